//===- ElementwiseLoops.h - element-wise loops ------------------*- C++ -*-===//
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
/// operands: the loops over a static tensor are parallel, and their body has
/// `arith` and `math` ops.
bool isElementwise(linalg::GenericOp op);

/// True if the operands of `op`, or `op` itself, depend on a convolution
/// through element-wise ops.
bool comesFromConvolution(Operation *op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTWISELOOPS_H
