//===- Clock.h - how long an artifact's AMD kernels take --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of time over a code object's own instructions, for chips that are not
// in the machine. docs/amd-kernels.md says what is modelled and what is not.
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

/// Executions of instructions by unit, and their memory traffic, in one
/// iteration of one wave or in a whole kernel.
struct LoopCounts {
  std::array<int64_t, kUnits> instructions{};
  int64_t loads = 0, stores = 0;             ///< Instructions on global memory.
  int64_t sharedReads = 0, sharedWrites = 0; ///< Instructions on LDS.
  int64_t matrixCycles = 0;
  /// The fewest cycles of matrix instructions between a load of the iteration
  /// and the wait for it.
  int64_t loadDistance = 0;
  double sharedConflicts = 0; ///< LDS passes beyond the fewest possible.
};

/// Lower bounds of a launch; the longest one decides.
struct Bounds {
  double issue = 0;       ///< Cycles of the unit with most workgroups.
  double sharedCache = 0; ///< Bytes that units request from their die's cache.
  double farCache = 0;    ///< Bytes from below that cache.
  double memory = 0;      ///< Bytes of all buffers, once.
};

struct KernelClock {
  std::string kernel;
  int64_t workgroups = 0;
  int wavesOfWorkgroup = 0;
  int resident = 1;             ///< Workgroups on a unit,
  std::string residentLimit;    ///< and the resource that limits them.
  int64_t workgroupsOfUnit = 0; ///< Workgroups of the unit with the most.
  int64_t simulated = 0;        ///< Simulated ones; the rest is extrapolated.
  LoopCounts loop;
  IssueTimes issue;
  double cycles = 0;            ///< Includes workgroups not simulated.
  double matrixUtilization = 0; ///< The whole kernel's, on all units.
  Bounds microseconds;
  double requestedBytes = 0, farBytes = 0, compulsoryBytes = 0;
  int64_t unknownAddresses = 0, unknownBranches = 0;
  std::string firstUnknown; ///< Text of the first unknown one.
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
  /// The bytes of arguments on whose values it depends what kernels do.
  std::map<size_t, std::string> contents = {};
};

/// Clocks all launches of an entry. Fails for targets without a row of speeds
/// and for code that cannot be decoded.
Result<EntryClock> clockEntry(const artifact::Artifact &artifact,
                              const artifact::Entry &entry,
                              const ClockOptions &options = {});

/// How many workgroups fit on a unit at a time.
int countResident(const Program &program, const Pace &pace, int waves,
                  int64_t sharedBytes, std::string &limit);

/// The counts of a loop from the trace of a wave, or of the whole wave if
/// `loop` is null.
LoopCounts countLoop(const Program &program, const WaveTrace &wave,
                     const Loop *loop);

/// The loop that executes the most matrix instructions, or the most
/// instructions if there are no matrix instructions, with its copies, of which
/// it is the first; null without a loop.
const Loop *findMainLoop(const Program &program, const WaveTrace &wave);

/// The report of an entry: text for people, JSON for programs.
std::string writeText(const EntryClock &entry);
std::string writeJson(const std::vector<EntryClock> &entries);

/// A drawing of one main-loop iteration of the longest launch; empty without a
/// loop.
std::string drawTimeline(const EntryClock &entry);

} // namespace conv::clock

#endif // CONV_CLOCK_CLOCK_H
