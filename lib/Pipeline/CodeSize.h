//===- CodeSize.h - limits on the size of kernels ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_CODESIZE_H
#define CONV_LIB_PIPELINE_CODESIZE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// The cost of compiling kernels in a back end, in additions.
struct CodeSize {
  int64_t cost = 0;
  /// Operations of the kernels other than arithmetic on floats, mostly of
  /// epilogues, which code generators compile several times as fast.
  int64_t operations = 0;
  int64_t most = 0; ///< The cost that compiles in 2 s.
};

/// The code size of a module of the gpu stage.
CodeSize computeCodeSize(ModuleOp module, bool simulated);

/// Refuses larger code, at the function's location: `problem-size`.
LogicalResult checkCodeSize(ModuleOp module, CodeSize size);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_CODESIZE_H
