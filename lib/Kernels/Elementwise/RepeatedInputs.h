//===- RepeatedInputs.h - what rows share with each other -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item that has a run of rows need not read what its last row has read.
// Views tell what that is: an input of one row may have the elements of another
// input of the next row, or the same elements in all rows. With blocks of four
// tokens, and two more before them:
//
//   row r       -2 -1  0  1  2  3
//   row r + 1               -2 -1  0  1  2  3      -2 and -1 are carried
//
// A row may also read elements for the next one only, which lie between its
// own: of the kernel of a token that two blocks see, each needs other taps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_REPEATEDINPUTS_H
#define CONV_LIB_KERNELS_ELEMENTWISE_REPEATEDINPUTS_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

namespace mlir::conv {

class RepeatedInputs {
public:
  RepeatedInputs() = default;
  static RepeatedInputs find(const TiledConvolution &form, bool withExtras);

  /// Whether runs go from their last row to the first: results are listed in
  /// this order.
  bool areDescending() const { return step < 0; }
  /// Whether all rows have the same elements of an input.
  bool isConstant(size_t input) const { return constants.contains(input); }
  /// Whether the previous row of a run has read the elements of an input.
  bool isCarried(size_t input) const { return carried.contains(input); }
  /// Matrices that a row reads beside its inputs, with the inputs of the next
  /// row that have their elements. Their numbers follow those of the inputs.
  ArrayRef<std::pair<MatrixOperand, size_t>> getExtras() const {
    return extras;
  }
  bool isExtra(size_t input) const { return input >= inputs; }
  /// The input of the next row of a run that has the elements of this row's
  /// `input`, if there is one.
  std::optional<size_t> getNext(size_t input) const;

private:
  int64_t step = 1; ///< From a row to the next one of its run.
  size_t inputs = 0;
  SmallVector<std::pair<MatrixOperand, size_t>> extras;
  llvm::DenseSet<size_t> constants, carried;
  llvm::DenseMap<size_t, size_t> next;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_REPEATEDINPUTS_H
