//===- Refusal.h - reasons why an op was not raised or fused ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_REFUSAL_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_REFUSAL_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Reports why no pass has fused `op` into a convolution, with one reason code
/// for each cause and a note about what to do. Always fails.
LogicalResult refuse(Operation *op);

/// True if `op` is a convolution of another dialect.
bool isOtherConvolution(Operation *op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_REFUSAL_H
