//===- EpilogueOps.h - the element-wise ops behind a product ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H
#define CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Builds the ops of `epilogue` for `inputs`, the accumulator and one value per
/// operand, and returns the result. The inputs are either scalars, or vectors
/// of one shape, and then all ops are on such vectors.
Value createEpilogueOps(OpBuilder &builder, linalg::GenericOp epilogue,
                        ArrayRef<Value> inputs);

/// The same for an epilogue of several results.
SmallVector<Value> createEpilogueResults(OpBuilder &builder,
                                         linalg::GenericOp epilogue,
                                         ArrayRef<Value> inputs);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H
