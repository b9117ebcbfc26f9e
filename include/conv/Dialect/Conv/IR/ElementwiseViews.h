//===- ElementwiseViews.h - element-wise ops as matrices --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise op that no convolution takes in is a kernel of its own: work
// in front of an operand, a change of layout between two convolutions, a slice.
// Its tensors are matrices of one size, as those of a transform.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
#define CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {

/// The coordinates at which an element-wise op reads an operand: sums of
/// multiples of those of its result, and constants. None if they are not, or if
/// one may be outside of the operand.
///
/// linalg takes an operand whose coordinate is a plain one of the result's to
/// be as large as the result. The start of a larger one is read at `d mod
/// size`, with the operand's size, which is `d` here.
std::optional<SmallVector<AffineExpr>>
computeReadCoordinates(linalg::GenericOp op, OpOperand *operand);

/// Where operands are read.
struct ElementwiseViews {
  SmallVector<ViewAttr> operands; ///< One for each input.
  ViewAttr result;

  /// Expects that `isReadByCoordinates` holds.
  static ElementwiseViews get(linalg::GenericOp op);

  /// The tile of a workgroup, for results of this type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;
};

/// Where a part of a concatenation is read, and where it goes.
struct ConcatenationViews {
  ViewAttr source, result;

  /// The views of a part that starts at `offset` in the dimension of `op`.
  static ConcatenationViews get(tensor::ConcatOp op, Value part,
                                int64_t offset);

  /// The tile of a workgroup, for results of this type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;
};

/// Whether the op writes each element of one static tensor, and reads others
/// only where `computeReadCoordinates` says.
bool isReadByCoordinates(linalg::GenericOp op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
