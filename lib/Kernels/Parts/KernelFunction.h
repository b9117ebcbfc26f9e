//===- KernelFunction.h - functions that kernels are built in ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_KERNELFUNCTION_H
#define CONV_LIB_KERNELS_PARTS_KERNELFUNCTION_H

#include "conv/Kernels/BuildKernel.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// Creates a kernel without a body, for workgroups of `workItems`.
gpu::GPUFuncOp createKernelFunction(OpBuilder &builder, Location loc,
                                    StringRef name,
                                    ArrayRef<Type> argumentTypes,
                                    int64_t workItems);

/// The atom of the schedule. Without a product, the schedule only says how
/// large tiles are, and this is any atom of the chip.
const ::conv::MatrixAtom &getAtom(const TiledConvolution &form,
                                  const ::conv::ChipInfo &chip);

/// The position of an argument in the list. The argument is added if the list
/// does not have it, so subproblems share the tensors they have in common.
size_t findOrAddArgument(SmallVectorImpl<KernelArgument> &arguments,
                         KernelArgument argument);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNELFUNCTION_H
