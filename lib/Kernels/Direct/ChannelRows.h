//===- ChannelRows.h - runs of one channel in shared memory -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data arrives in shared memory as vectors of channels. Subgroups transpose 8
// positions of a vector at a time, in place: a transposed load gives a lane two
// positions of one channel, which the lane stores in the row of that channel.
// Then each row of 16 bytes is a run of one channel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H
#define CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H

#include "DirectOperands.h"

namespace mlir::conv {

/// Makes positions of one channel adjacent, in the boxes of both operands.
class ChannelRows {
public:
  ChannelRows(const Kernel &kernel, const BandedGradient &banded)
      : kernel(kernel), math(kernel.math), b(kernel.b), banded(banded),
        element(kernel.form.lhs.getElementType()) {}

  /// Transposes all blocks of a box to rows of channels, whose positions are
  /// `step` apart.
  void transpose(const SharedBox &box, int64_t step, int64_t classes) const;
  /// Loads blocks of positions of a channel.
  SmallVector<Value> load(const SharedBox &box, Value place,
                          int64_t count) const;
  /// The row of a channel in a block of its line.
  Value getRow(Value channel, Value block) const;

private:
  /// The remainder modulo the step of a class of input positions.
  Value getRemainder(Value index) const;

  const Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const BandedGradient &banded;
  Type element;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_CHANNELROWS_H
