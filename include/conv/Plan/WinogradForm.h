//===- WinogradForm.h - Winograd's algorithm as a plan ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm as a plan: one transform of the input and one of the
// filter, a product for each element of a transformed tile, and a transform of
// the sums, with the epilogue, into the result. The products form a grouped
// convolution, one group per tile element, so that every kernel for grouped
// convolutions applies to them.
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

/// Why the convolution cannot be computed with Winograd output tiles of these
/// sizes (S21), or an empty string.
std::string findWinogradObstacle(ConvolutionOpInterface op,
                                 ArrayRef<int64_t> outputTile);

/// The matrices of each spatial dimension. There must be no obstacle.
SmallVector<::conv::WinogradMatrices, 3>
getWinogradMatrices(ConvolutionOpInterface op, ArrayRef<int64_t> outputTile);

/// The nearest f32, which kernels multiply by.
inline float toFloat(::conv::Rational value) {
  return float(value.numerator()) / float(value.denominator());
}

/// The ops that replace a convolution.
struct WinogradConvolution {
  BlockTransformOp input, filter;
  ConvolutionOpInterface products;
  BlockTransformOp output; ///< Its result has the original's type.

  /// Creates the ops before `op`, which does not change. There must be no
  /// obstacle.
  static WinogradConvolution create(OpBuilder &builder,
                                    ConvolutionOpInterface op,
                                    ArrayRef<int64_t> outputTile);
};

} // namespace mlir::conv

#endif // CONV_PLAN_WINOGRADFORM_H
