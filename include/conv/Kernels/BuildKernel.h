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

/// One of the nests that a kernel computes, and its tensors: both operands of
/// the product if there is one, epilogue operands, result.
struct KernelSubproblem {
  TiledConvolution form;
  SmallVector<Value> buffers;
};

/// What a kernel receives of a buffer: its address, or a tensor map.
struct KernelArgument {
  Value buffer;
  TensorMapAttr map = {};

  bool operator==(const KernelArgument &) const = default;
};

/// A kernel and its launch: the number of workgroups, of workgroups in a
/// cluster, and of work-items, the shared memory that the kernel does not
/// declare itself, and its arguments.
struct BuiltKernel {
  gpu::GPUFuncOp function;
  int64_t workgroups, cluster = 1, workItems;
  int64_t dynamicSharedBytes;
  SmallVector<KernelArgument> arguments;
};

/// Selects how the kernel of all nests of a `conv.scatter` overlaps with its
/// neighbours on a stream; null if it does not. The chip can do that. Fails
/// with a diagnostic if the schedule's family cannot build the kernel.
FailureOr<LaunchAttr> selectLaunch(ArrayRef<TiledConvolution> forms,
                                   const ::conv::ChipInfo &chip);

/// Builds the kernel of all subproblems of a `conv.scatter`, which share one
/// schedule, at the insertion point. Fails with a diagnostic if the target
/// lacks the schedule's atom.
FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                   ArrayRef<KernelSubproblem> subproblems,
                                   StringRef name);

} // namespace mlir::conv

#endif // CONV_KERNELS_BUILDKERNEL_H
