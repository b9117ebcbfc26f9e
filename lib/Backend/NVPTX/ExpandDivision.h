//===- ExpandDivision.h - quotients without a branch each -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_NVPTX_EXPANDDIVISION_H
#define CONV_LIB_BACKEND_NVPTX_EXPANDDIVISION_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Makes vectors of quotients of f32 that do not depend on each other.
void joinScalarDivisions(Operation *root);

/// Divides vectors of f32, to the bit as single divisions would, with one
/// branch for all elements.
void populateExpandDivisionPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_NVPTX_EXPANDDIVISION_H
