//===- ConvolutionLoops.h - reads loops as a convolution --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_CONVOLUTIONLOOPS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_CONVOLUTIONLOOPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mlir::conv {

/// A linalg op that is a forward convolution.
struct ConvolutionLoops {
  Value input, filter;
  /// The letters of the tensors' dimensions. A dimension whose letter is
  /// missing has size 1.
  std::string inputOrder, filterOrder, outputOrder;
  int64_t groups = 1;
  int64_t inputZeroPoint = 0, filterZeroPoint = 0;
  /// By spatial dimension, in the order of the output, outermost first.
  SmallVector<int64_t> strides, dilations;
};

/// Reads the loops of a named op or a generic from its indexing maps, or
/// reports why they are not the loops of a convolution.
FailureOr<ConvolutionLoops>
readConvolutionLoops(linalg::LinalgOp op,
                     function_ref<void(const Twine &)> explain);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_CONVOLUTIONLOOPS_H
