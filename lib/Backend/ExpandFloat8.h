//===- ExpandFloat8.h - conversions of 8-bit floats -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_EXPANDFLOAT8_H
#define CONV_LIB_BACKEND_EXPANDFLOAT8_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Adds patterns that turn `arith.extf` from and `arith.truncf` to 8-bit floats
/// into arithmetic on their bits.
void populateExpandFloat8Patterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_EXPANDFLOAT8_H
