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

/// The bound of one convolution, or that its operations are to be followed.
::conv::artifact::ErrorBound recordErrorBound(ConvolutionOpInterface op);
::conv::artifact::ErrorBound recordErrorBound(DynamicOpInterface op);
::conv::artifact::ErrorBound recordErrorBound(StateOpInterface op);

/// The "reference" object of docs/artifact.md for a function at the conv stage:
/// its convolutions and their epilogues, for verification by other tools.
FailureOr<std::string> recordReference(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_PIPELINE_RECORDREFERENCE_H
