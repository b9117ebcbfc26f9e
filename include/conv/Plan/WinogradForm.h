//===- WinogradForm.h - Winograd's algorithm as a plan ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm as a plan: one transform of each operand, a product for
// each element of a transformed tile, and a transform of the sums, with the
// epilogue, into the result. The products form a grouped convolution, one group
// per tile element, so that every kernel for grouped convolutions applies.
//
//   input NHWC  ──▶ [ places × tiles × C ] ─┐
//                                           ├─▶ [ places × tiles × K ] ──▶ NPQK
//   filter KRSC ──▶ [ places × K × C ] ─────┘
//
// The gradient of a filter is a correlation of the input with the gradient of
// the output, which takes the filter's place: F(3, 4) computes 3 elements of a
// filter from 4 gradients. Sums over all tiles are those of the products, so
// that the last transform is of one block.
//
//   input NHWC  ──▶ [ places × tiles × C ] ─┐
//                                           ├─▶ [ places × K × C ] ──▶ KRSC
//   output NPQK ──▶ [ places × tiles × K ] ─┘
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

/// The matrices of each spatial dimension: those of F(output_tile, r), or of
/// F(r, output_tile) for the gradient of a filter. There is no obstacle.
SmallVector<::conv::WinogradMatrices, 3>
getWinogradMatrices(ConvolutionOpInterface op, ArrayRef<int64_t> outputTile);

/// How many products of transformed elements each of the products' sums has:
/// channels, or, for the gradient of a filter, tiles. There is no obstacle.
int64_t countWinogradProducts(ConvolutionOpInterface op,
                              ArrayRef<int64_t> outputTile);

/// The nearest f32, which kernels multiply by.
inline float toFloat(::conv::Rational value) {
  return float(value.numerator()) / float(value.denominator());
}

/// The ops that replace a convolution.
struct WinogradConvolution {
  BlockTransformOp lhs, rhs; ///< The operands' transforms.
  ConvolutionOpInterface products;
  BlockTransformOp result; ///< In the original's type.

  /// Creates the ops before `op`, which does not change. There must be no
  /// obstacle.
  static WinogradConvolution create(OpBuilder &builder,
                                    ConvolutionOpInterface op,
                                    ArrayRef<int64_t> outputTile);
};

} // namespace mlir::conv

#endif // CONV_PLAN_WINOGRADFORM_H
