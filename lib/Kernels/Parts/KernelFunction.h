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

/// Whether a kernel can start before the one in front of it has ended
/// (programmatic dependent launch).
bool canStartEarly(const ::conv::ChipInfo &chip);

/// If kernels can, lets this one start before the one in front of it has ended,
/// for which what is built from here on waits, and the next one likewise.
void startEarly(ImplicitLocOpBuilder &b, const ::conv::ChipInfo &chip);

/// The atom of the schedule; any of the chip's without a product, when the
/// schedule only says how large tiles are.
const ::conv::MatrixAtom &getAtom(const TiledConvolution &form,
                                  const ::conv::ChipInfo &chip);

/// The position of an argument in the list. The argument is added if the list
/// does not have it, so subproblems share the tensors they have in common.
size_t findOrAddArgument(SmallVectorImpl<KernelArgument> &arguments,
                         KernelArgument argument);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNELFUNCTION_H
