//===- ElementwiseViews.h - views of element-wise ops -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise op that cannot be fused into a convolution is a kernel of its
// own: preprocessing of an operand, a layout change between two convolutions, a
// slice. Its tensors are matrices of one size, as in a transform.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
#define CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {

/// The coordinates at which an element-wise op reads an operand, as linear
/// functions of the result's coordinates. None if they are not linear, or if
/// one may be outside of the operand.
///
/// linalg assumes that an operand whose coordinate is a plain loop dimension is
/// as large as the result. The start of a larger operand is therefore read at
/// `d mod size`, with the operand's size; here that is `d`.
std::optional<SmallVector<AffineExpr>>
computeReadCoordinates(linalg::GenericOp op, OpOperand *operand);

/// The views at which operands are read.
struct ElementwiseViews {
  SmallVector<ViewAttr> operands; ///< One for each input.
  ViewAttr result;

  /// Expects that `isReadByCoordinates` holds.
  static ElementwiseViews get(linalg::GenericOp op);
};

/// Where an operand of a concatenation is read, and where it is written.
struct ConcatenationViews {
  ViewAttr source, result;

  /// The views of an operand that starts at `offset` in `op`'s dimension.
  static ConcatenationViews get(tensor::ConcatOp op, Value part,
                                int64_t offset);
};

/// Whether the op writes each element of one static tensor, and reads others
/// only at coordinates that `computeReadCoordinates` returns.
bool isReadByCoordinates(linalg::GenericOp op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
