//===- ExpandFunctions.h - functions without calls --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_HOST_EXPANDFUNCTIONS_H
#define CONV_LIB_BACKEND_HOST_EXPANDFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Computes erf, exp, expm1 and tanh of f32 by arithmetic, which vectors have
/// instructions for.
void populateExpandFunctionPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_HOST_EXPANDFUNCTIONS_H
