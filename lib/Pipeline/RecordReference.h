//===- RecordReference.h - what a function computes, as JSON ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_RECORDREFERENCE_H
#define CONV_PIPELINE_RECORDREFERENCE_H

#include "conv/Artifact/Manifest.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::conv {

/// The error bound of an op, or that a check must follow its operations.
::conv::artifact::ErrorBound recordErrorBound(ConvolutionOpInterface op);
::conv::artifact::ErrorBound recordErrorBound(DynamicOpInterface op);
::conv::artifact::ErrorBound recordErrorBound(StateOpInterface op);

/// The "reference" object (docs/artifact.md) of a function at the conv stage:
/// its convolutions and epilogues, for verification by other tools.
FailureOr<std::string> recordReference(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_PIPELINE_RECORDREFERENCE_H
