//===- ExpandExponential.h - exponentials without calls ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_HOST_EXPANDEXPONENTIAL_H
#define CONV_LIB_BACKEND_HOST_EXPANDEXPONENTIAL_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Computes exp of f32 by arithmetic, which vectors have instructions for.
void populateExpandExponentialPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_HOST_EXPANDEXPONENTIAL_H
