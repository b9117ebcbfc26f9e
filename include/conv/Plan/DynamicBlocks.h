//===- DynamicBlocks.h - work-items of dynamic convolutions -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item of a dynamic convolution has a block of adjacent positions of a
// sequence, or a run of such blocks, of a few channels. This decides how many:
// the only choice that there is for these ops.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_DYNAMICBLOCKS_H
#define CONV_PLAN_DYNAMICBLOCKS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace mlir::conv {

/// What the blocks of a dynamic convolution depend on, beside the chip.
struct DynamicFacts {
  DynamicShape shape;
  Direction direction = Direction::Forward;
  KernelOrder order = KernelOrder::BTGW;
  int64_t operandBytes = 2, resultBytes = 2;
  bool isNormalized = false;
  bool hasOneKernel = false; ///< All tokens share one kernel.
  bool isPacked = false, hasState = false;
  /// The epilogue reads more than vectors of channels.
  bool hasTensorInEpilogue = false;
  /// One kernel computes the op without matrices (`lib/Kernels/State`): it has
  /// no tiles, and a work-item has only channels that there are.
  bool hasTokenKernel = false;

  static DynamicFacts get(DynamicOpInterface op);
};

/// What a work-item has of a dynamic convolution.
struct DynamicBlocks {
  int64_t positions; ///< Of a block.
  int64_t run = 1;   ///< Blocks that a work-item has one after the other.
  /// Channels, or groups in a kernel gradient.
  int64_t elements;
  /// Whether the work-item takes positions one after the other.
  bool isStream = false;
  /// Every run of blocks with the same `isStream` divides so many positions.
  int64_t wholeRuns;
  /// Rows, which are blocks, and columns of a workgroup. None with a kernel of
  /// its own.
  std::array<int64_t, 2> tile = {};

  static DynamicBlocks compute(const DynamicFacts &facts,
                               const ::conv::ChipInfo &chip);
  /// For the target of `op`. An op without a target counts as the host's.
  static DynamicBlocks compute(DynamicOpInterface op);

  /// Blocks of `tokens` tokens, rounded up to whole runs.
  int64_t countBlocks(int64_t tokens) const {
    return llvm::alignTo(llvm::divideCeil(tokens, positions), run);
  }
};

} // namespace mlir::conv

#endif // CONV_PLAN_DYNAMICBLOCKS_H
