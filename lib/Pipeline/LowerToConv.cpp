//===- LowerToConv.cpp - input to scheduled convolutions --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user gives becomes convolutions with their tails, is refused if this
// version does not handle it, and gets its schedules. Nothing after this stage
// refuses or decides.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Passes.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToConvPipeline(OpPassManager &manager,
                                          const LowerToConvOptions &options) {
  manager.addPass(
      createSelectSchedulePass({options.schedule, options.algorithm}));
  manager.addPass(createVerifyStagePass({"conv"}));
}
