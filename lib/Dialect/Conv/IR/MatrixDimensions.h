//===- MatrixDimensions.h - dimensions as batch, rows, columns --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_MATRIXDIMENSIONS_H
#define CONV_LIB_DIALECT_CONV_IR_MATRIXDIMENSIONS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The dimensions of a tensor that number its matrices, their rows and their
/// columns, from the outermost digit on. An empty list has one digit of size 1:
/// every view has a matrix, a row and a column.
struct MatrixDimensions {
  SmallVector<int64_t> batch, rows, columns;

  /// The coordinates in a tensor of `shape`, from the digits of its view.
  SmallVector<AffineExpr> createCoordinates(ArrayRef<int64_t> shape,
                                            MLIRContext *context) const;
  /// The view, with the digits of this tensor's matrices, of the elements at
  /// `results`, possibly in another tensor.
  ViewAttr createView(ArrayRef<int64_t> shape, ArrayRef<AffineExpr> results,
                      MLIRContext *context) const;
};

/// The tile of a workgroup that writes these matrices.
TransformScheduleAttr selectTransformSchedule(ViewAttr result,
                                              RankedTensorType type);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_MATRIXDIMENSIONS_H
