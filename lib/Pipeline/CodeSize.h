//===- CodeSize.h - kernels that are too long to compile --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_CODESIZE_H
#define CONV_LIB_PIPELINE_CODESIZE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// How long a back end works on kernels, in additions.
struct CodeSize {
  int64_t cost = 0;
  int64_t most = 0; ///< What it compiles in 2 s.
};

/// Of a module of the gpu stage.
CodeSize computeCodeSize(ModuleOp module, bool simulated);

/// Refuses what takes longer, at the location of the function: `problem-size`.
LogicalResult checkCodeSize(ModuleOp module, CodeSize size);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_CODESIZE_H
