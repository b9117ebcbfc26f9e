//===- Rounds.cpp - which workgroups are simulated ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounds.h"

#include <algorithm>

using namespace conv;
using namespace conv::clock;

/// About as many steps of waves as one simulation may have.
static constexpr int64_t kBudget = 2'000'000;
/// Rounds of workgroups that are simulated, at most; and at least, if there are
/// more: at the end of a single one, workgroups are alone whose places others
/// would take.
static constexpr int64_t kRounds = 3, kLeastRounds = 2;

/// Units among which the busiest one is sought, if all workgroups of a unit are
/// simulated: the launch waits for it, and phases of different lengths do not
/// average out over few of them.
static constexpr int64_t kComparedUnits = 16;

/// Workgroups that take so many times the steps of others do not take turns
/// with them in rounds.
static constexpr int64_t kUneven = 2;

/// Whether waves say which of them go first. Those of the last round may say
/// other things than those before them.
static bool setsPriorities(const Program &program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const Instruction &instruction) {
                       return instruction.mnemonic == "s_setprio";
                     });
}

static int64_t countSteps(const WorkgroupTrace &trace) {
  int64_t steps = 0;
  for (const WaveTrace &wave : trace.waves)
    steps += int64_t(wave.steps.size());
  return steps;
}

/// Mean steps of the workgroups from number `first` to before `last`.
static double averageSteps(const std::vector<WorkgroupTrace> &traces,
                           size_t first, size_t last) {
  double steps = 0;
  for (size_t i = first; i < last; ++i)
    steps += double(countSteps(traces[i]));
  return steps / double(last - first);
}

static bool areUneven(const std::vector<WorkgroupTrace> &traces) {
  auto [least, most] =
      std::minmax_element(traces.begin(), traces.end(),
                          [](const WorkgroupTrace &a, const WorkgroupTrace &b) {
                            return countSteps(a) < countSteps(b);
                          });
  return countSteps(*most) > kUneven * countSteps(*least);
}

/// Steps of all waves of the workgroups.
static int64_t countSteps(const std::vector<WorkgroupTrace> &traces) {
  int64_t steps = 0;
  for (const WorkgroupTrace &trace : traces)
    steps += countSteps(trace);
  return steps;
}

std::vector<WorkgroupTrace> clock::interpretRounds(const Program &program,
                                                   const Pace &pace,
                                                   const LaunchShape &shape,
                                                   const KernelClock &kernel) {
  int64_t grid = kernel.workgroups, units = pace.units();
  int64_t busy = std::min(units, grid), all = kernel.workgroupsOfUnit;
  bool keepsLast = setsPriorities(program);
  // Which of the unit's workgroups number `i` of `count` stands for.
  auto getNumber = [&](int64_t i, int64_t count) {
    if (!keepsLast || count <= kernel.resident)
      return i * all / count;
    int64_t before = count - kernel.resident;
    return i < before ? i * (all - kernel.resident) / before : all - count + i;
  };
  auto interpretUnit = [&](int64_t unit, int64_t count) {
    std::vector<WorkgroupTrace> traces;
    for (int64_t i = 0; i < count; ++i)
      traces.push_back(interpretWorkgroup(
          program, pace, shape,
          std::min(unit + getNumber(i, count) * units, grid - 1)));
    return traces;
  };
  // A unit in the middle of the first die; the only one of a small grid.
  auto interpret = [&](int64_t count) {
    return interpretUnit(busy / 2, count);
  };
  auto countAffordable = [&](const std::vector<WorkgroupTrace> &traces) {
    double steps = averageSteps(traces, 0, traces.size());
    return int64_t(double(kBudget) / std::max(1.0, steps));
  };
  // The second round tells how long those between the first and the last take.
  int64_t least = (keepsLast ? kRounds : kLeastRounds) * kernel.resident;
  int64_t few = std::min({all, kRounds * kernel.resident,
                          std::max(countAffordable(interpret(1)), least)});
  std::vector<WorkgroupTrace> traces = interpret(few);
  if (few == all) {
    int64_t compared =
        std::min({busy, kComparedUnits,
                  kBudget / std::max<int64_t>(1, countSteps(traces))});
    for (int64_t i = 0; i < compared; ++i) {
      std::vector<WorkgroupTrace> others =
          interpretUnit(i * busy / compared, few);
      if (countSteps(others) > countSteps(traces))
        traces = std::move(others);
    }
    return traces;
  }
  int64_t most = std::min(all, countAffordable(traces));
  return most > few && areUneven(traces) ? interpret(most) : traces;
}

/// Clocks in which a simulated workgroup keeps the unit that multiplies
/// matrices busy, in the mean of the SIMD units.
static double computeBusyClocks(const KernelClock &kernel, const Pace &pace) {
  const IssueTimes &issue = kernel.issue;
  double share = issue.busy[size_t(Unit::Matrix)];
  if (pace.matrixTakesVector)
    share += issue.busy[size_t(Unit::Vector)];
  return share * double(issue.cycles) / double(kernel.simulated);
}

double clock::extrapolateRounds(const KernelClock &kernel, const Pace &pace,
                                const std::vector<WorkgroupTrace> &traces) {
  int64_t left = kernel.workgroupsOfUnit - kernel.simulated;
  size_t resident = size_t(kernel.resident);
  std::vector<int64_t> ends = kernel.issue.ends;
  if (left <= 0)
    return double(kernel.issue.cycles);
  if (ends.size() < 2 * resident || areUneven(traces))
    return double(kernel.issue.cycles) * double(kernel.workgroupsOfUnit) /
           double(kernel.simulated);
  std::sort(ends.begin(), ends.end());
  double rounds = 0;
  for (size_t i = 0; i < resident; ++i)
    rounds += double(ends[resident + i] - ends[i]);
  // The first one represents only itself: its part of the launch may be small.
  double oneWorkgroup = rounds / double(resident * resident) *
                        averageSteps(traces, 1, traces.size()) /
                        averageSteps(traces, resident, 2 * resident);
  // Waves that start together end at other distances than those of later
  // rounds, so that the first two may seem closer than they can be.
  oneWorkgroup = std::max(oneWorkgroup, computeBusyClocks(kernel, pace));
  return double(kernel.issue.cycles) + oneWorkgroup * double(left);
}
