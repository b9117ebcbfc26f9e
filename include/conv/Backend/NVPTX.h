//===- NVPTX.h - kernels to NVIDIA code objects -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps behind `conv-serialize-nvptx`, for tools that show intermediate
// results.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_NVPTX_H
#define CONV_BACKEND_NVPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::conv {

/// The prefix of errors that report a machine without a CUDA toolkit.
inline constexpr llvm::StringLiteral kNoCudaToolkit = "no CUDA toolkit: ";

/// Registers what the functions below need to translate a module.
void registerNVPTXTranslations(DialectRegistry &registry);

/// The PTX of a module in the LLVM and NVVM dialects. `toolkit` is the folder
/// of the CUDA toolkit; if empty, the environment names it.
FailureOr<std::string> compileToPtx(gpu::GPUModuleOp module,
                                    StringRef toolkit = "");

/// A cubin and the report of `ptxas -v` about its kernels.
struct AssembledPtx {
  std::string cubin, report;
};
FailureOr<AssembledPtx> assemblePtx(gpu::GPUModuleOp module, StringRef ptx,
                                    StringRef toolkit = "");

/// The path of the `ptxas` that the environment names; empty if there is none.
std::string findAssembler();

/// The resources of one kernel.
struct PtxResources {
  int64_t registers = 0, sharedBytes = 0, stackBytes = 0;
  int64_t spillBytes = 0; ///< Bytes of spill stores, without spill loads.
};

/// The resources of `kernel` in a report of `ptxas -v`; none if the report does
/// not name the kernel.
std::optional<PtxResources> parsePtxReport(StringRef report, StringRef kernel);

} // namespace mlir::conv

#endif // CONV_BACKEND_NVPTX_H
