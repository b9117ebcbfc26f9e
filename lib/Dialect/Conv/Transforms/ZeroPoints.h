//===- ZeroPoints.h - what zero points add to a convolution -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantised operand stands for its elements less a zero point. Kernels
// multiply the elements as they are; what differs is added to the sum.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H

#include "RaiseUtils.h"

namespace mlir::conv {

/// The value of a constant integer, scalar or the same in all of a tensor; zero
/// for floating zeros. None for everything else.
std::optional<int64_t> getZeroPoint(Value value);

/// What is to be added to the convolution of `lhs` and `rhs` as they are, so
/// that it becomes that of the elements less their zero points. Padding adds
/// nothing either way.
SmallVector<Addend> createZeroPointAddends(OpBuilder &builder, Location loc,
                                           const RaisedConvolution &convolution,
                                           Value lhs, Value rhs);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H
