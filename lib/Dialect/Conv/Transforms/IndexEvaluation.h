//===- IndexEvaluation.h - integers that loops compute ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write a flip or a reflection as loops that compute where each
// element is. Whoever folds such loops computes the same integers here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::conv {

/// Evaluates integers in the body of element-wise ops, given constants and the
/// loops' positions. They may be computed from numbers with fractions.
class IndexEvaluator {
public:
  /// The value of the integer `scalar` of the body of `op`, or none if it is
  /// not known or takes too long.
  std::optional<int64_t> evaluate(linalg::LinalgOp op, Value scalar,
                                  ArrayRef<int64_t> loops);

private:
  std::optional<llvm::APFloat> evaluateFloat(linalg::LinalgOp op, Value scalar,
                                             ArrayRef<int64_t> loops);
  std::optional<llvm::APFloat> evaluateFloatOp(linalg::LinalgOp op,
                                               Operation *inner,
                                               ArrayRef<int64_t> loops);
  std::optional<int64_t> evaluateElement(Value tensor,
                                         ArrayRef<int64_t> position);
  std::optional<int64_t> evaluateArgument(linalg::LinalgOp op,
                                          BlockArgument argument,
                                          ArrayRef<int64_t> loops);

  int depth = 0;
  /// What all evaluations together may still cost.
  int64_t stepsLeft = int64_t(1) << 24;
};

/// The loops of `op`, of more than one iteration, that the integer `scalar` of
/// its body depends on, or none if that cannot be said.
std::optional<llvm::SmallBitVector> computeLoopsOf(linalg::LinalgOp op,
                                                   Value scalar);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H
