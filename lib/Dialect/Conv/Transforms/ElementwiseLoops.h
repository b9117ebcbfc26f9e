//===- ElementwiseLoops.h - loops over single elements ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTWISELOOPS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTWISELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// True if every element of the result depends on single elements of the
/// operands: parallel loops over a static tensor, `arith` and `math` in the
/// body.
bool isElementwise(linalg::GenericOp op);

/// True if a convolution computes the operands of `op`, or `op` itself, through
/// element-wise ops.
bool comesFromConvolution(Operation *op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTWISELOOPS_H
