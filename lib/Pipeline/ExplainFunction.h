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

/// Says, in place of one of the above, why there is no explanation of `what`:
/// nothing before the name of a function, or "launches of ".
std::string explainFailure(StringRef what, StringRef function,
                           const Target &target, const ::conv::Error &error,
                           ExplanationForm form);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_EXPLAINFUNCTION_H
