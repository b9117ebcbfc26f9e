//===- Sim.h - AMD kernels as host objects ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler half of the simulator: compiles the gpu.module that would go to
// the AMDGPU back end to an x86-64 shared library with the interface of
// conv/Runtime/SimAbi.h.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_SIM_H
#define CONV_BACKEND_SIM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::conv {

/// Registers what `compileForSimulator` needs to translate a module.
void registerSimulatorTranslations(DialectRegistry &registry);

/// Compiles `module`, already lowered to the ROCDL and LLVM dialects for
/// `chip`, and returns the bytes of the shared library. Does not change the
/// module. Errors are reported at the module.
FailureOr<std::string> compileForSimulator(gpu::GPUModuleOp module,
                                           StringRef chip);

} // namespace mlir::conv

#endif // CONV_BACKEND_SIM_H
