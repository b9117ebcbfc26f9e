//===- InterleavedMatrices.h - matrices that alternate ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices may alternate in memory: those of the taps of a kernel, where a
// channel's taps follow each other. None of them has vectors along its columns,
// but all together do.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H
#define CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

namespace mlir::conv {

/// One matrix, or several whose elements at one place follow each other in
/// memory, as one matrix with `period` columns for each of theirs.
struct InterleavedMatrices {
  struct Member {
    size_t number;     ///< Which one.
    int64_t place = 0; ///< Its element among those of a period.
  };
  MatrixOperand operand;
  SmallVector<Member> members; ///< By place.
  int64_t period = 1;
};

/// Finds the matrices that alternate. Each of `matrices` is a member once. With
/// `withGaps`, some of a period may be missing: what is read need not be used.
SmallVector<InterleavedMatrices, 0> interleave(ArrayRef<MatrixOperand> matrices,
                                               bool withGaps);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_INTERLEAVEDMATRICES_H
