//===- ConstantLoop.h - evaluates a loop over constants ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_CONSTANTLOOP_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_CONSTANTLOOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::conv {

/// The elements of a constant tensor of static shape, dense or in a resource,
/// or null.
ElementsAttr getConstantElements(Value value);

/// The tensor whose dimension `i` is dimension `permutation[i]` of the constant
/// `tensor`, or null.
ElementsAttr transposeConstant(Value tensor, ArrayRef<int64_t> permutation);

/// The elements that a parallel loop over constants computes, or null if an
/// operand is not constant or an op of the body does not fold.
ElementsAttr computeConstantLoop(linalg::GenericOp loop);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_CONSTANTLOOP_H
