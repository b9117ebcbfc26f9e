//===- BuildKernel.h - tiled convolutions to one kernel ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_BUILDKERNEL_H
#define CONV_KERNELS_BUILDKERNEL_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// One of the nests that a kernel computes, and where its tensors are: both
/// operands of the product if there is one, epilogue operands, result.
struct KernelPart {
  TiledConvolution form;
  SmallVector<Value> buffers;
};

/// What a kernel is given of a buffer: its address, or a tensor map.
struct KernelArgument {
  Value buffer;
  TensorMapAttr map = {};

  bool operator==(const KernelArgument &) const = default;
};

/// A kernel and what it is launched with: the number of workgroups, of them in
/// a cluster, and of work-items, the shared memory that it does not declare
/// itself, and its arguments.
struct BuiltKernel {
  gpu::GPUFuncOp function;
  int64_t workgroups, cluster = 1, workItems;
  int64_t dynamicSharedBytes;
  SmallVector<KernelArgument> arguments;
};

/// Builds the kernel of all parts of a `conv.scatter`, which have one schedule,
/// at the insertion point. Fails with a diagnostic if the target has no atom as
/// the schedule says.
FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                   ArrayRef<KernelPart> parts, StringRef name);

} // namespace mlir::conv

#endif // CONV_KERNELS_BUILDKERNEL_H
