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

std::vector<WorkgroupTrace> clock::interpretRounds(const Program &program,
                                                   const Pace &pace,
                                                   const LaunchShape &shape,
                                                   const KernelClock &kernel) {
  int64_t grid = kernel.workgroups, units = pace.units();
  // A unit in the middle of the first die; the only one of a small grid.
  int64_t first = std::min(units, grid) / 2;
  std::vector<WorkgroupTrace> traces;
  traces.push_back(interpretWorkgroup(program, pace, shape, first));
  int64_t affordable =
      kBudget / std::max<int64_t>(1, countSteps(traces.front()));
  int64_t count =
      std::min({kernel.workgroupsOfUnit, kRounds * kernel.resident,
                std::max(affordable, kLeastRounds * kernel.resident)});
  for (int64_t i = 1; i < count; ++i) {
    int64_t number = i * kernel.workgroupsOfUnit / count;
    traces.push_back(interpretWorkgroup(
        program, pace, shape, std::min(first + number * units, grid - 1)));
  }
  return traces;
}

double clock::extrapolateRounds(const KernelClock &kernel,
                                const std::vector<WorkgroupTrace> &traces) {
  int64_t left = kernel.workgroupsOfUnit - kernel.simulated;
  size_t resident = size_t(kernel.resident);
  std::vector<int64_t> ends = kernel.issue.ends;
  if (left <= 0)
    return double(kernel.issue.cycles);
  if (ends.size() < 2 * resident)
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
  return double(kernel.issue.cycles) + oneWorkgroup * double(left);
}
