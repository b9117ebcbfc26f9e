//===- MatrixDimensions.h - dimensions as batch, rows, columns --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_MATRIXDIMENSIONS_H
#define CONV_DIALECT_CONV_IR_MATRIXDIMENSIONS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Elements of 16 bits in a cache line: rows and columns are as long if there
/// are so many.
inline constexpr int64_t kLineElements = 64;

/// The dimensions of a tensor that number its matrices, their rows and their
/// columns, from the outermost digit on. An empty list has one digit of size 1:
/// every view has a matrix, a row and a column.
struct MatrixDimensions {
  SmallVector<int64_t> batch, rows, columns;

  /// These matrices as rows of one: a block of one place has no batch.
  MatrixDimensions joinBatch() &&;
  /// The coordinates in a tensor of `shape`, from the digits of its view.
  SmallVector<AffineExpr> createCoordinates(ArrayRef<int64_t> shape,
                                            MLIRContext *context) const;
  /// The view, with the digits of this tensor's matrices, of the elements at
  /// `results`, possibly in another tensor.
  ViewAttr createView(ArrayRef<int64_t> shape, ArrayRef<AffineExpr> results,
                      MLIRContext *context) const;
};

/// The digits of a copy: what counts the elements of its result.
struct CopyDigits {
  /// From the outermost digit of the result on.
  ArrayRef<int64_t> sizes;
  /// For each digit, the dimension of the source whose neighbours it counts, or
  /// -1 if it counts none.
  ArrayRef<int64_t> places;
  ArrayRef<int64_t> source; ///< The shape of the source.

  /// The matrices in which a workgroup copies. Columns are the digits that are
  /// innermost in the result. Rows are those innermost in the source, if they
  /// differ: a tile then has whole cache lines of both tensors. Short columns
  /// continue with their neighbours in the result, and short rows with theirs
  /// in the source.
  MatrixDimensions selectMatrices() const;

private:
  SmallVector<int64_t> collectRun(int64_t last) const;
  bool isShort(ArrayRef<int64_t> digits) const;
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_MATRIXDIMENSIONS_H
