//===- Replay.h - what goes below a die's cache -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays the loads of all workgroups on one die at a time through its caches
// in lock step: the first load of every wave, then the second, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_REPLAY_H
#define CONV_LIB_CLOCK_REPLAY_H

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"
#include "conv/Clock/Trace.h"

#include <vector>

namespace conv::clock {

struct Traffic {
  /// Share of the lines requested from the die's cache that miss it, by
  /// instruction.
  std::vector<double> farShare;
  double requestedBytes = 0; ///< Bytes of a workgroup, to the die's cache.
  double farBytes = 0;       ///< Bytes of a workgroup, from below that.
  double writtenBytes = 0;   ///< Written by a workgroup.
  int64_t workgroups = 0;    ///< Replayed ones.
  bool isWhole = true;       ///< False: only the start of each.
  /// False if waves of the workgroups that stand for the grid were cut at the
  /// limit of instructions.
  bool isComplete = true;
};

/// Replays the first round of one die's workgroups; `resident` of them share a
/// unit. `waveSteps` is the number of steps of a wave, for the budget.
Traffic replayDie(const Program &program, const Pace &pace,
                  const LaunchShape &shape, int resident, int64_t waveSteps);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_REPLAY_H
