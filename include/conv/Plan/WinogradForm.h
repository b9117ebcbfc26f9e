//===- WinogradForm.h - convolutions by Winograd ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm as a plan: a transform of the input and one of the
// filter, a product for each element of a transformed tile, and a transform of
// their sums, with the epilogue, into the result. The products are a
// convolution of their own, with a group for each: whatever computes that one
// is of use here.
//
//   input NHWC  ──▶ [ places × tiles × C ] ─┐
//                                           ├─▶ [ places × tiles × K ] ──▶ NPQK
//   filter KRSC ──▶ [ places × K × C ] ─────┘
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_WINOGRADFORM_H
#define CONV_PLAN_WINOGRADFORM_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Support/Winograd.h"

namespace mlir::conv {

/// Why the convolution is not computed with tiles of so many results (S21), or
/// an empty string.
std::string findWinogradObstacle(ConvolutionOpInterface op,
                                 ArrayRef<int64_t> outputTile);

/// The matrices of each spatial dimension. There is no obstacle.
SmallVector<::conv::WinogradMatrices, 3>
getWinogradMatrices(ConvolutionOpInterface op, ArrayRef<int64_t> outputTile);

/// The nearest f32, which kernels multiply by.
inline float toFloat(::conv::Rational value) {
  return float(value.numerator()) / float(value.denominator());
}

/// The ops that stand for a convolution.
struct WinogradConvolution {
  BlockTransformOp input, filter;
  ConvolutionOpInterface products;
  BlockTransformOp output; ///< Has the result, in the original's type.

  /// Creates them in front of `op`, which it leaves alone. There is no
  /// obstacle.
  static WinogradConvolution create(OpBuilder &builder,
                                    ConvolutionOpInterface op,
                                    ArrayRef<int64_t> outputTile);
};

} // namespace mlir::conv

#endif // CONV_PLAN_WINOGRADFORM_H
