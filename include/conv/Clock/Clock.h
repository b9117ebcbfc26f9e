//===- Clock.h - how long an artifact's AMD kernels take --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of time over a code object's own instructions, for chips that are not
// in the machine. docs/amd-kernels.md says what it models and what not.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_CLOCK_H
#define CONV_CLOCK_CLOCK_H

#include "conv/Artifact/Artifact.h"
#include "conv/Clock/Issue.h"
#include "conv/Support/Result.h"

#include <string>
#include <vector>

namespace conv::clock {

/// Executions of instructions in one iteration of one wave, or in a whole
/// kernel, by unit; and what goes with them.
struct LoopCounts {
  std::array<int64_t, kUnits> instructions{};
  int64_t loads = 0, stores = 0;             ///< Of global memory.
  int64_t sharedReads = 0, sharedWrites = 0; ///< Of LDS.
  int64_t matrixCycles = 0;
  /// The fewest cycles of matrix instructions between a load and the wait for
  /// it, of those of the iteration.
  int64_t loadDistance = 0;
  double sharedConflicts = 0; ///< Passes through LDS beyond the fewest.
};

/// Which of these takes longest bounds a launch.
struct Bounds {
  double issue = 0;       ///< The unit that has most workgroups.
  double sharedCache = 0; ///< Bytes that units ask their die's cache for.
  double farCache = 0;    ///< Bytes below it.
  double memory = 0;      ///< Bytes of all buffers, once.
};

struct KernelClock {
  std::string kernel;
  int64_t workgroups = 0;
  int wavesOfWorkgroup = 0;
  int resident = 1;             ///< Workgroups on a unit,
  std::string residentLimit;    ///< and what limits them.
  int64_t workgroupsOfUnit = 0; ///< Of the unit that has most.
  int64_t simulated = 0;        ///< Of these; the rest take as long.
  LoopCounts loop;
  IssueTimes issue;
  double cycles = 0;            ///< With those that were not simulated.
  double matrixUtilization = 0; ///< Of the whole kernel, on all units.
  Bounds microseconds;
  double requestedBytes = 0, farBytes = 0, compulsoryBytes = 0;
  int64_t unknownAddresses = 0, unknownBranches = 0;
  std::string firstUnknown; ///< Text of an instruction of these.
  bool isComplete = true;
  Program program; ///< For the timeline.

  double time() const {
    return std::max({microseconds.issue, microseconds.sharedCache,
                     microseconds.farCache, microseconds.memory});
  }
  /// "issue", "shared_cache", "far_cache" or "memory".
  std::string_view bound() const;
};

struct EntryClock {
  std::string function, target;
  const Pace *pace = nullptr;
  std::vector<KernelClock> launches;

  double time() const;
};

struct ClockOptions {
  bool keepTimeline = false;
};

/// Clocks all launches of an entry. Fails for targets without a row of speeds
/// and for code that cannot be decoded.
Result<EntryClock> clockEntry(const artifact::Artifact &artifact,
                              const artifact::Entry &entry,
                              const ClockOptions &options = {});

/// How many workgroups a unit has room for.
int countResident(const Program &program, const Pace &pace, int waves,
                  int64_t sharedBytes, std::string &limit);

/// A loop's counts from the trace of a wave; those of the whole wave without a
/// loop.
LoopCounts countLoop(const Program &program, const WaveTrace &wave,
                     const Loop *loop);

/// The loop with most executions of matrix instructions, or of any if there are
/// none; null without a loop.
const Loop *findMainLoop(const Program &program, const WaveTrace &wave);

/// What reports say, for people and for programs.
std::string writeText(const EntryClock &entry);
std::string writeJson(const std::vector<EntryClock> &entries);

/// One iteration of the main loop of the launch that takes longest, as a
/// drawing; empty without a loop.
std::string drawTimeline(const EntryClock &entry);

} // namespace conv::clock

#endif // CONV_CLOCK_CLOCK_H
