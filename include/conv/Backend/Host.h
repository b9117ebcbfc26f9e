//===- Host.h - kernels to host objects -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host object is an ELF shared library. Each kernel of the module is exported
// as
//
//   extern "C" void <kernel>(void *const *parameters,
//                            const int32_t workgroup[3]);
//
// which computes one workgroup: `parameters[i]` points to the value of the i-th
// parameter. The library also exports `const char conv_cpu[]`, the processor it
// was compiled for. It keeps no state, so kernels may run on any number of
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_HOST_H
#define CONV_BACKEND_HOST_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::conv {

/// Registers what the functions below need to translate a module.
void registerHostTranslations(DialectRegistry &registry);

/// The assembly of a module in the LLVM dialect.
FailureOr<std::string> compileToHostAssembly(gpu::GPUModuleOp module);

/// The shared library of a module in the LLVM dialect. Same input, same bytes.
FailureOr<std::string> compileForHost(gpu::GPUModuleOp module);

} // namespace mlir::conv

#endif // CONV_BACKEND_HOST_H
