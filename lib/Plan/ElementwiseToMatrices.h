//===- ElementwiseToMatrices.h - ops between convolutions -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the ops between convolutions, element-wise ops and concatenations,
// to ops on matrices.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_ELEMENTWISETOMATRICES_H
#define CONV_LIB_PLAN_ELEMENTWISETOMATRICES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

void populateElementwiseToMatricesPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_ELEMENTWISETOMATRICES_H
