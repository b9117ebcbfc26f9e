//===- MovementToLoops.h - data movement to element-wise ops ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns data movement that is folded into no convolution into separate ops.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Turns slices, flips, repetitions and gathers into element-wise ops that read
/// their operands at linear coordinates, and insertions that fill a tensor into
/// concatenations. Other ops stay.
void moveByLoops(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H
