//===- NVPTX.h - kernels to NVIDIA code objects -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of `conv-serialize-nvptx`, for tools that show what is between
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_NVPTX_H
#define CONV_BACKEND_NVPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::conv {

/// How messages begin that blame the machine for having no CUDA toolkit.
inline constexpr llvm::StringLiteral kNoCudaToolkit = "no CUDA toolkit: ";

/// Registers what the functions below need to translate a module.
void registerNVPTXTranslations(DialectRegistry &registry);

/// The PTX of a module in the LLVM and NVVM dialects. `toolkit` is the folder
/// of the CUDA toolkit; empty: where the environment says.
FailureOr<std::string> compileToPtx(gpu::GPUModuleOp module,
                                    StringRef toolkit = "");

/// A cubin and what `ptxas -v` said about its kernels.
struct AssembledPtx {
  std::string cubin, report;
};
FailureOr<AssembledPtx> assemblePtx(gpu::GPUModuleOp module, StringRef ptx,
                                    StringRef toolkit = "");

/// The path of `ptxas` where the environment says; empty if there is none.
std::string findAssembler();

/// What one kernel uses.
struct PtxResources {
  int64_t registers = 0, sharedBytes = 0, stackBytes = 0;
  int64_t spillBytes = 0; ///< Stored; what is loaded again is not counted.
};

/// What a report of `ptxas -v` says about `kernel`; nothing if it does not name
/// it.
std::optional<PtxResources> parsePtxReport(StringRef report, StringRef kernel);

} // namespace mlir::conv

#endif // CONV_BACKEND_NVPTX_H
