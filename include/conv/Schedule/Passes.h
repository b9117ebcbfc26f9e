//===- Passes.h - passes that choose schedules ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares and registers the passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_PASSES_H
#define CONV_SCHEDULE_PASSES_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Schedule/Database.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::conv {

class RankingMemo;

#define GEN_PASS_DECL
#include "conv/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Schedule/Passes.h.inc"

/// Creates the pass. It also uses database rows of other compilers whose code
/// digest equals what `computeCode` returns. `memo` may be null.
std::unique_ptr<Pass>
createSelectSchedulePass(const SelectSchedulePassOptions &options,
                         ComputeCode computeCode, RankingMemo *memo);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_PASSES_H
