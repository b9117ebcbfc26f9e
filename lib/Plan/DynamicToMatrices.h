//===- DynamicToMatrices.h - dynamic convolutions -> matrices ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DYNAMICTOMATRICES_H
#define CONV_LIB_PLAN_DYNAMICTOMATRICES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Dynamic convolutions become element-wise ops on the matrices of a few
/// positions (`DynamicViews`): one op, or two if the channels of large groups
/// are summed up.
void populateDynamicToMatricesPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DYNAMICTOMATRICES_H
