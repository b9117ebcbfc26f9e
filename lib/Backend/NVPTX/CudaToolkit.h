//===- CudaToolkit.h - finding and running NVIDIA's tools -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_NVPTX_CUDATOOLKIT_H
#define CONV_LIB_BACKEND_NVPTX_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::conv {

/// The folder with `nvvm/libdevice`, or empty.
std::string findCudaToolkit(llvm::StringRef given);

/// The path of `ptxas`, or an error that says where it was searched for.
llvm::Expected<std::string> findPtxas(llvm::StringRef given);

/// Both outputs of a run of ptxas.
struct PtxasOutput {
  std::string cubin, report;
};

/// Assembles `ptx` for `chip`. The error is the output of ptxas.
llvm::Expected<PtxasOutput> runPtxas(llvm::StringRef ptxas,
                                     llvm::StringRef chip, llvm::StringRef ptx);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_NVPTX_CUDATOOLKIT_H
