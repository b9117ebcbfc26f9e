//===- CudaModule.h - code on an NVIDIA GPU, and its launches ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H
#define CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H

#include "CudaContext.h"
#include "conv/Runtime/Driver.h"

namespace conv::runtime {

/// The kernels of a module of the driver, which is unloaded with the object.
/// Errors call it `label`.
std::unique_ptr<Module> createCudaModule(SharedContext context, void *handle,
                                         std::string label);

} // namespace conv::runtime

#endif // CONV_LIB_RUNTIME_CUDA_CUDAMODULE_H
