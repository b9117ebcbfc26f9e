//===- DirectBody.h - kernels that compute directly -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTBODY_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTBODY_H

#include "../Parts/KernelBody.h"

namespace mlir::conv {

/// Creates a body: shared operands are read once; work-items keep their sums.
LogicalResult createDirectBody(Kernel &kernel, gpu::GPUFuncOp function);
/// Creates the body of a kernel whose work-items share the reduction.
LogicalResult createDirectReductionBody(Kernel &kernel,
                                        gpu::GPUFuncOp function);
/// Creates the body of a kernel that uses matrix instructions.
LogicalResult createDirectMatrixBody(Kernel &kernel, gpu::GPUFuncOp function);
/// Creates the body of a kernel on a thread of the host.
LogicalResult createDirectHostBody(Kernel &kernel, gpu::GPUFuncOp function);
LogicalResult createDirectHostReductionBody(Kernel &kernel,
                                            gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTBODY_H
