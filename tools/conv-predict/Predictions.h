//===- Predictions.h - seconds of given schedules ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request has a module with one convolution, its target and schedules, and
// may have other values of calibration constants.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVPREDICT_PREDICTIONS_H
#define CONV_TOOLS_CONVPREDICT_PREDICTIONS_H

#include "conv/Support/Result.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/JSON.h"

namespace mlir::conv {

/// The nonzero constants of a target, with their values.
::conv::Result<llvm::json::Value> listConstants(StringRef target);

/// Answers a request: the predicted `seconds` of each schedule, null for one
/// that the convolution cannot have; and if it asks for `derivatives`, for each
/// constant that matters, the logarithmic derivatives of all of these.
::conv::Result<llvm::json::Value> predict(const llvm::json::Object &request,
                                          MLIRContext &context);

} // namespace mlir::conv

#endif // CONV_TOOLS_CONVPREDICT_PREDICTIONS_H
