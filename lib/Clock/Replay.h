//===- Replay.h - what goes below a die's cache -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loads of all workgroups that run on one die at a time go through its
// caches in lock step: the first of every wave, then the second, and so on.
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
  /// Share of the lines that units ask the die's cache for and it does not
  /// have, by instruction.
  std::vector<double> farShare;
  double requestedBytes = 0; ///< From the die's cache, of a workgroup.
  double farBytes = 0;       ///< From below it, of a workgroup.
  double writtenBytes = 0;   ///< Of a workgroup.
  int64_t workgroups = 0;    ///< That were replayed.
  bool isWhole = true;       ///< False: only the beginning of each.
};

/// Replays the first round of one die's workgroups; `resident` of them share a
/// unit. `waveSteps` is how many steps a wave has, to keep within a budget.
Traffic replayDie(const Program &program, const Pace &pace,
                  const LaunchShape &shape, int resident, int64_t waveSteps);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_REPLAY_H
