//===- ComputeUnit.h - a unit and the waves that it runs --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the issue model. Issue.cpp implements the turns of SIMD units,
// IssueUnits.cpp what each kind of unit does with an instruction, and
// LoopTimes.cpp the measurements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_COMPUTEUNIT_H
#define CONV_LIB_CLOCK_COMPUTEUNIT_H

#include "Caches.h"

#include "conv/Clock/Issue.h"

#include <limits>

namespace conv::clock {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 2;

/// Completion times of the operations of one counter, oldest first.
class Outstanding {
public:
  /// Operations complete in order.
  void add(int64_t time) {
    times.push_back(times.size() > first ? std::max(time, times.back()) : time);
  }
  /// The time when no more than `limit` operations are left.
  int64_t getTime(size_t limit) const {
    return times.size() - first > limit ? times[times.size() - limit - 1] : 0;
  }
  void retire(int64_t now) {
    while (first < times.size() && times[first] <= now)
      ++first;
    if (first == times.size()) {
      times.clear();
      first = 0;
    }
  }

private:
  std::vector<int64_t> times;
  size_t first = 0;
};

/// The times at which vector registers can be read.
struct Registers {
  std::array<int64_t, kVectorRegisters> ready{};
  /// The times for a matrix instruction that adds to another one's result.
  std::array<int64_t, kVectorRegisters> forwarded{};
  std::array<uint16_t, kVectorRegisters> owner{};
};

struct RunningWave {
  const WaveTrace *trace = nullptr;
  int place = 0, order = 0, simd = 0, number = 0;
  size_t at = 0;
  int64_t ready = 0;
  std::array<Outstanding, kCounters> outstanding;
  Registers registers;
  int priority = 0;
  int64_t barriersPassed = 0;
  bool hasArrived = false;
  std::vector<int64_t> marks; ///< Times of closing the loop.
};

/// A running workgroup.
struct Place {
  int workgroup = -1;
  int wavesLeft = 0, arrived = 0;
  int64_t generation = 0;
};

struct StallTime {
  int64_t from, to;
  Stall stall;
};

/// The properties of an instruction that the model needs, decoded once.
struct Decoded {
  std::vector<Operand> sources; ///< Vector registers it reads.
  std::optional<Operand> result, secondResult, sum;
  int cycles = 0; ///< Cycles of the vector unit.
};

class ComputeUnit {
public:
  ComputeUnit(const Program &program, const Pace &pace,
              std::span<const WorkgroupTrace *const> workgroups,
              const IssueOptions &options);
  IssueTimes run();

private:
  /// An attempt to issue: done, or the earliest time of the next attempt.
  struct Attempt {
    bool isIssued;
    int64_t next;
    Stall stall = Stall::Turn;
  };

  void start(int place, int64_t now);
  int64_t stepSimd(int simd, int64_t now);
  Attempt attempt(RunningWave &wave, int64_t now, unsigned &taken);
  Attempt issueMatrix(RunningWave &wave, const Instruction &instruction,
                      const Decoded &decoded, int64_t now);
  Attempt issueVector(RunningWave &wave, const Instruction &instruction,
                      const Decoded &decoded, int64_t now);
  Attempt issueShared(RunningWave &wave, const Instruction &instruction,
                      const Access &access, int64_t now);
  Attempt issueGlobal(RunningWave &wave, const Instruction &instruction,
                      const Access &access, int64_t now);
  Attempt issueWait(RunningWave &wave, const Instruction &instruction,
                    int64_t now);
  Attempt issueBarrier(RunningWave &wave, const Instruction &instruction,
                       int64_t now);
  Attempt issueInternal(RunningWave &wave, const Instruction &instruction,
                        int64_t now);
  void endWave(RunningWave &wave, int64_t now);
  void arrive(Place &place, int64_t now);
  int64_t getReady(const RunningWave &wave, const Decoded &decoded) const;
  void note(Unit unit, const RunningWave &wave, int64_t start, int64_t end);
  LoopTimes measureLoop() const;

  const Program &program;
  const Pace &pace;
  std::span<const WorkgroupTrace *const> workgroups;
  const IssueOptions &options;
  std::vector<Decoded> decoded;
  std::vector<bool> endsIteration; ///< Of the loop that is measured.
  std::vector<std::vector<RunningWave>> simds;
  std::vector<Place> places;
  std::vector<int64_t> matrixFree, vectorFree;
  std::vector<double> globalFree, portFree;
  std::vector<LineCache> caches;
  std::vector<double> farCredit;
  double sharedFree = 0;
  size_t nextWorkgroup = 0;
  int startedWaves = 0, runningWaves = 0;
  int64_t wakeup = 0;
  /// True while the first waves are in the loop, for a number of iterations.
  bool isRecording = true;
  int64_t recordEnd = kNever;
  std::vector<Busy> busy;
  std::vector<StallTime> stalls;
  std::vector<std::vector<int64_t>> marks;
  IssueTimes times;
};

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_COMPUTEUNIT_H
