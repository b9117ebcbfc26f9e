//===- IndexEvaluation.h - integers computed in loop bodies -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write a flip or a reflection as loops that compute the place of
// each element. Passes that fold such loops compute the same integers here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::conv {

/// Evaluates integers in the body of element-wise ops from constants and loop
/// positions. Floating-point numbers may occur in between.
class IndexEvaluator {
public:
  /// The value of the integer `scalar` of the body of `op`, or none if it is
  /// unknown or takes too many steps.
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
  /// The steps that all remaining evaluations together may take.
  int64_t stepsLeft = int64_t(1) << 24;
};

/// The loops of `op`, with more than one iteration, that the integer `scalar`
/// of its body depends on, or none if that is unknown.
std::optional<llvm::SmallBitVector> computeLoopsOf(linalg::LinalgOp op,
                                                   Value scalar);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_INDEXEVALUATION_H
