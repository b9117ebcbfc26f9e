//===- BuildKernel.h - one tiled convolution to one kernel -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_BUILDKERNEL_H
#define CONV_LIB_TOGPU_BUILDKERNEL_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// A kernel and what it is launched with: the number of workgroups and of
/// work-items, the shared memory that it does not declare itself, and the
/// tensor map that each argument is passed as; null, or past the end, for
/// addresses.
struct BuiltKernel {
  gpu::GPUFuncOp function;
  int64_t workgroups, workItems;
  int64_t dynamicSharedBytes;
  SmallVector<TensorMapAttr> tensorMaps;
};

/// Builds the kernel of `form` at the insertion point. Its arguments are
/// buffers in global memory: input, filter, tail operands, result; each has the
/// type in `argumentTypes`. Fails with a diagnostic if the target has no atom
/// as the schedule says.
FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                   const TiledConvolution &form, StringRef name,
                                   ArrayRef<Type> argumentTypes);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_BUILDKERNEL_H
