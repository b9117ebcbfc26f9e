//===- TurnTaking.h - workgroups that end together --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the workgroups that share a unit, the oldest one goes first. So they end
// one after another, and others take their places; but the last one of a launch
// is alone in the end, and waits for each of its own accesses. The workgroups
// of a launch's last round lower their priority after each quarter of their
// loop, so that those behind go first, and all end at about the same time.
// Earlier ones keep the highest priority: if their ends met, nobody would have
// products meanwhile. The schedule says which workgroups these are
// (`last_round` of `#conv.staged_gemm`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_TURNTAKING_H
#define CONV_LIB_KERNELS_GEMM_TURNTAKING_H

#include "MainLoop.h"

namespace mlir::conv {

/// The iterations of a main loop: `count` of them, of which each advances the
/// reduction by `step`, from `first` on.
struct LoopRange {
  int64_t first, step;
  SharedNumber count;
};

using LoopBody = function_ref<SmallVector<Value>(Value k, ValueRange carried)>;

/// The workgroups of a launch's last round, which take turns.
class TurnTaking {
public:
  /// Starts at the highest priority if the schedule has turns to take.
  explicit TurnTaking(const Kernel &kernel);

  /// Builds a loop that is not unrolled, and returns what it carries.
  SmallVector<Value> createLoop(const LoopRange &range, ArrayRef<Value> initial,
                                LoopBody body) const;

private:
  int64_t countSegments(scf::ForOp loop, int64_t iterations) const;
  void lowerPriority(int64_t level) const;

  const Kernel &kernel;
  int64_t inLastRound = 0; ///< Workgroups; 0 if none take turns.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_TURNTAKING_H
