//===- StagedBody.h - kernels that stage tiles in shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_STAGEDBODY_H
#define CONV_LIB_KERNELS_GEMM_STAGEDBODY_H

#include "../Parts/KernelBody.h"

namespace mlir::conv {

/// Builds a body whose work-items all fill and multiply tiles in shared memory.
LogicalResult createStagedBody(Kernel &kernel, gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_STAGEDBODY_H
