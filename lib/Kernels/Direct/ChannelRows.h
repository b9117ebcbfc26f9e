//===- ChannelRows.h - runs of one channel in shared memory -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has arrived in shared memory has vectors of channels. Subgroups
// transpose 8 positions of a vector at a time, at their place: a transposed
// load leaves a lane with two positions of one channel, which it stores in the
// row of that channel. Then rows of 16 bytes are runs of one channel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H
#define CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H

#include "DirectOperands.h"

namespace mlir::conv {

/// Positions of one channel side by side, in the boxes of both operands.
class ChannelRows {
public:
  ChannelRows(const Kernel &kernel, const DirectDiagonals &diagonals)
      : kernel(kernel), math(kernel.math), b(kernel.b), diagonals(diagonals),
        element(kernel.form.lhs.getElementType()) {}

  /// Makes rows of channels of positions that are `step` apart, in all blocks
  /// of a box.
  void transpose(const SharedBox &box, int64_t step, int64_t classes) const;
  /// Loads blocks of positions of a channel.
  SmallVector<Value> load(const SharedBox &box, Value place,
                          int64_t count) const;
  /// The row that a channel has in a block of its line.
  Value getRow(Value channel, Value block) const;

private:
  /// The input positions of a class, modulo the step.
  Value getResidue(Value index) const;

  const Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectDiagonals &diagonals;
  Type element;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H
