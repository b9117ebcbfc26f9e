//===- RaiseUtils.h - what the raising passes share -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making `conv.forward` from the convolutions of other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// A convolution of another dialect.
struct RaisedConvolution {
  Value input, filter;
  WindowAttr window;
  LayoutsAttr layouts;
  int64_t groups = 1;
  RankedTensorType resultType;
};

/// True if `conv.forward` can say it: element types and the output's sizes.
bool isRaisable(const RaisedConvolution &convolution);

/// The type of the sum: i32 for integers, f32 otherwise.
Type getAccumulatorType(const RaisedConvolution &convolution);

/// Creates `convolution`, or with `accumulator` the same with elements of the
/// accumulator's type.
Value createForward(OpBuilder &builder, Location loc,
                    const RaisedConvolution &convolution,
                    bool accumulator = false);

/// Creates `convolution + addend`, rounded once, as a convolution and an
/// element-wise op. `addendMap` maps output positions to elements of `addend`.
Value createForwardPlus(OpBuilder &builder, Location loc,
                        const RaisedConvolution &convolution, Value addend,
                        AffineMap addendMap);

/// Erases every op below `root` whose results nothing uses.
void eraseDeadOps(Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H
