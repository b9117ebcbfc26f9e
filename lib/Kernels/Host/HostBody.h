//===- HostBody.h - kernels of the host -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTBODY_H
#define CONV_LIB_KERNELS_HOST_HOSTBODY_H

#include "../Parts/KernelBody.h"

namespace mlir::conv {

/// Builds a kernel with tiles in the cache of one thread, its only work-item.
LogicalResult createHostCacheBody(Kernel &kernel, gpu::GPUFuncOp function);

/// Builds a transform whose rows are adjacent in memory in its source, and its
/// columns in its result.
LogicalResult createHostTransposeBody(Kernel &kernel, gpu::GPUFuncOp function);

/// Builds the kernel of an epilogue without a product.
LogicalResult createHostElementwiseBody(Kernel &kernel,
                                        gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTBODY_H
