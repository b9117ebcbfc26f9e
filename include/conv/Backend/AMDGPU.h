//===- AMDGPU.h - kernels to AMD code objects -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps behind `conv-serialize-amdgpu`, for tools that show intermediate
// results.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_AMDGPU_H
#define CONV_BACKEND_AMDGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::conv {

/// Registers what the functions below need to translate a module.
void registerAMDGPUTranslations(DialectRegistry &registry);

/// The assembly of a module in the LLVM and ROCDL dialects.
FailureOr<std::string> compileToAssembly(gpu::GPUModuleOp module);

} // namespace mlir::conv

#endif // CONV_BACKEND_AMDGPU_H
