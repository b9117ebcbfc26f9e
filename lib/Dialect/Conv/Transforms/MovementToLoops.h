//===- MovementToLoops.h - movement of data as kernels ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements and is folded into no convolution is work of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Slices, flips, repetitions and gathers become element-wise ops that read
/// their operands at linear coordinates, and insertions that fill a tensor
/// become concatenations. What is neither stays.
void moveByLoops(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTTOLOOPS_H
