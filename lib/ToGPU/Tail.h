//===- Tail.h - the element-wise ops behind a product -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_TAIL_H
#define CONV_LIB_TOGPU_TAIL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Builds the ops of `tail` for `inputs`, the accumulator and one value per
/// operand, and returns the result. The inputs are either scalars, or vectors
/// of one shape, and then all ops are on such vectors.
Value createTail(OpBuilder &builder, linalg::GenericOp tail,
                 ArrayRef<Value> inputs);

/// The same for a tail of several results.
SmallVector<Value> createTailResults(OpBuilder &builder, linalg::GenericOp tail,
                                     ArrayRef<Value> inputs);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_TAIL_H
