//===- Explain.h - why a schedule was chosen --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements `conv-compile --explain`: the problem, the decision and who made
// it, the predicted cost, and the rejected candidates with reasons.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_EXPLAIN_H
#define CONV_SCHEDULE_EXPLAIN_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/JSON.h"

namespace mlir::conv {

/// Prints a table for people. The op must have gone through
/// `conv-select-schedule`.
void explainSchedule(ConvolutionOpInterface op, raw_ostream &os);

/// The explanation as JSON, with times in seconds and sizes in bytes.
llvm::json::Object explainScheduleAsJson(ConvolutionOpInterface op);

/// Explains dynamic convolutions, which have no schedule of their own.
void explainDynamic(DynamicOpInterface op, raw_ostream &os);
llvm::json::Object explainDynamicAsJson(DynamicOpInterface op);

/// Explains ops on states.
void explainState(StateOpInterface op, raw_ostream &os);
llvm::json::Object explainStateAsJson(StateOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_EXPLAIN_H
