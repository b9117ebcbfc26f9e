//===- ElementwiseViews.h - element-wise ops as matrices --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise op that no convolution takes in is a kernel of its own: work
// in front of an operand, a change of layout between two convolutions. Its
// tensors are matrices of one size, as those of a transform.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
#define CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Where operands are read: each coordinate is one of the result's, or zero in
/// a dimension that is broadcast.
struct ElementwiseViews {
  SmallVector<ViewAttr> operands; ///< One for each input.
  ViewAttr result;

  /// Expects that `isReadByCoordinates` holds.
  static ElementwiseViews get(linalg::GenericOp op);

  /// The tile of a workgroup, for results of this type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;
};

/// Whether the op writes each element of one static tensor, and reads others
/// only at coordinates of it.
bool isReadByCoordinates(linalg::GenericOp op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ELEMENTWISEVIEWS_H
