//===- MatrixProduct.h - convolutions as matrix products ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows which matrices a convolution multiplies. Whoever
// chooses a schedule, and whoever lowers the op, asks here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_MATRIXPRODUCT_H
#define CONV_DIALECT_CONV_IR_MATRIXPRODUCT_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// A batch of matrix products `result = lhs * transpose(rhs)`: views of a
/// convolution's two operands and of its result.
struct MatrixProduct {
  TensorRole lhsRole, rhsRole; ///< Which operand is which.
  ViewAttr lhs, rhs, result;
  /// A vector with one element per channel of the result, as matrices of the
  /// result's sizes. Null where a result has no such vector.
  ViewAttr channels;
};

/// The products that are the convolution, one after the other: together they
/// write all of the result, and what one of them writes stands over what an
/// earlier one wrote.
///
///   * forward: rows are the output's pixels `(n, p, q)`, columns its channels;
///     the reduction is over the filter's elements.
///   * backward data: one product for each residue of the input's positions by
///     the strides. Positions of one residue meet the same filter elements, so
///     each product is dense: rows are the pixels `(n, h, w)` of that residue,
///     columns the input's channels, and the reduction is over those filter
///     elements and the output's channels. If some residue meets no filter
///     element, a product of zeros from outside of the operands comes first,
///     with all pixels.
///   * backward weight: rows are the output's channels, columns the filter's
///     elements `(r, s, c)`; the reduction is over the output's pixels.
///
/// Groups are the batch.
SmallVector<MatrixProduct> getMatrixProducts(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_MATRIXPRODUCT_H
