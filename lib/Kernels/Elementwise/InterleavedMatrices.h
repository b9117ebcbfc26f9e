//===- InterleavedMatrices.h - matrices interleaved in memory ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices may be interleaved in memory, such as the matrices of the taps of a
// kernel whose taps are innermost. No single one has vectors along its columns,
// but all of them together have.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H
#define CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include <optional>

namespace mlir::conv {

/// One matrix, or several that are interleaved in memory, as one matrix with
/// `period` columns for each column of theirs.
struct InterleavedMatrices {
  struct Member {
    size_t number;     ///< Which matrix it is.
    int64_t place = 0; ///< Its element in a period.
  };
  MatrixOperand operand;
  SmallVector<Member> members; ///< By place.
  int64_t period = 1;
  /// The matrix without the innermost columns that have the same elements: one
  /// of its columns has the elements of `repeat` columns. Only if there are
  /// several members.
  std::optional<MatrixOperand> compact = std::nullopt;
  int64_t repeat = 1;
};

/// Finds the matrices that are interleaved. Each of `matrices` is a member
/// once. With `withGaps`, a period may lack members, as reads may be unused;
/// with `withWindows`, it may be outside of the tensor.
SmallVector<InterleavedMatrices, 0> interleave(ArrayRef<MatrixOperand> matrices,
                                               bool withGaps, bool withWindows);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H
