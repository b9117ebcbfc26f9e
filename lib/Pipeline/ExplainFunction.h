//===- ExplainFunction.h - explains a function's schedules ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_EXPLAINFUNCTION_H
#define CONV_LIB_PIPELINE_EXPLAINFUNCTION_H

#include "CompilePair.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Explains each kernel of a function at the conv stage.
std::string explainFunction(func::FuncOp function, const Target &target,
                            ExplanationForm form);

/// Explains how the kernels of a function overlap, at the tiled stage. Empty if
/// kernels of the target do not.
std::string explainLaunches(func::FuncOp function, const Target &target,
                            ExplanationForm form);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_EXPLAINFUNCTION_H
