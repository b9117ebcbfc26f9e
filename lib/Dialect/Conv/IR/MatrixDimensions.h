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

/// Which dimensions of a tensor number its matrices, their rows and their
/// columns, from the outermost digit on. None of these has no digit: every view
/// has a matrix, a row and a column.
struct MatrixDimensions {
  SmallVector<int64_t> batch, rows, columns;

  /// The coordinates in a tensor of `shape` by the digits of its view.
  SmallVector<AffineExpr> createCoordinates(ArrayRef<int64_t> shape,
                                            MLIRContext *context) const;
  /// The view of matrices of this tensor at `results` of the same digits, in a
  /// tensor that may be another one.
  ViewAttr createView(ArrayRef<int64_t> shape, ArrayRef<AffineExpr> results,
                      MLIRContext *context) const;
};

/// The tile of a workgroup that writes these matrices.
TransformScheduleAttr selectTransformSchedule(ViewAttr result,
                                              RankedTensorType type);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_MATRIXDIMENSIONS_H
