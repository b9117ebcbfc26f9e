//===- BackendPipelines.h - passes and code of each back end ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_BACKENDPIPELINES_H
#define CONV_LIB_PIPELINE_BACKENDPIPELINES_H

#include "conv/Chip/Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlir::conv {

/// How one back end lowers modules with kernels, and what it produces. A new
/// back end is one more row.
struct BackendPipelines {
  ::conv::Backend backend;
  /// gpu -> llvm: kernels in the LLVM dialect and the target's dialect.
  void (*buildLlvm)(OpPassManager &manager);
  /// llvm -> binary. Only some back ends use `deviceLibraries`.
  void (*buildBinary)(OpPassManager &manager, StringRef deviceLibraries);
  /// The assembly of a module of the llvm stage.
  FailureOr<std::string> (*compileToAssembly)(gpu::GPUModuleOp module);
  /// File extensions of its code objects and, if the device's driver accepts
  /// assembly, of its assembly.
  StringLiteral codeExtension, assemblyExtension;
  /// Whether its objects state the registers and memory of their kernels.
  bool hasKernelMetadata;
};

/// One row for each back end.
ArrayRef<BackendPipelines> allBackendPipelines();
const BackendPipelines &getBackendPipelines(::conv::Backend backend);

/// The pipelines of a back end that is known when they are built, so that a
/// context loads the dialects of this one alone.
void buildLowerToLlvmPipeline(OpPassManager &manager,
                              const BackendPipelines &backend);
void buildLowerToBinaryPipeline(OpPassManager &manager,
                                const BackendPipelines &backend);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_BACKENDPIPELINES_H
