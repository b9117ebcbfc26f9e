//===- EpilogueOutput.h - order and crop of an epilogue's result ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last op of an epilogue may have another dimension order than the
// convolution, or fewer positions: the convolution then computes its result in
// that order and size.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEOUTPUT_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEOUTPUT_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace mlir::conv {

/// The output of a convolution with its epilogue.
struct EpilogueOutput {
  /// Sizes and order of its dimensions.
  SmallVector<int64_t> shape;
  std::string order;
  /// Maps its positions to those of the convolution's result without the
  /// epilogue.
  AffineMap access;
  WindowAttr window;
};

/// The result of `convolution` in the form of the last op of its epilogue.
/// `dependents` are the ops that depend on it.
FailureOr<EpilogueOutput>
computeEpilogueOutput(ConvolutionOpInterface convolution,
                      linalg::GenericOp last,
                      const DenseSet<Operation *> &dependents);

/// `map` from positions in `shape`, with 0 for those in dimensions of size 1.
AffineMap canonicalizePositions(AffineMap map, ArrayRef<int64_t> shape);

/// Maps positions to those in the operand of a reshape that only adds or drops
/// dimensions of size 1; `map` leads to positions in the reshape's result.
FailureOr<AffineMap> composeReshape(Operation *reshape, AffineMap map);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEOUTPUT_H
