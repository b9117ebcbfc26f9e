//===- ZeroPoints.h - zero points as addends --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantised operand represents its elements less a zero point. Kernels
// multiply the stored elements; an addend corrects the sum.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H

#include "RaiseUtils.h"

namespace mlir::conv {

/// The value of a constant integer, scalar or splat; zero for floating-point
/// zeros. None for everything else.
std::optional<int64_t> getZeroPoint(Value value);

/// The addends that turn the convolution of `lhs` and `rhs` into the
/// convolution of their elements less their zero points. Padding adds nothing
/// in either case.
SmallVector<Addend> createZeroPointAddends(OpBuilder &builder, Location loc,
                                           const RaisedConvolution &convolution,
                                           Value lhs, Value rhs);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_ZEROPOINTS_H
