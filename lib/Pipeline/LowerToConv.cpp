//===- LowerToConv.cpp - input to scheduled convolutions --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's input becomes convolutions with their epilogues, is refused if
// this version does not support it, and gets its schedules. No later stage
// refuses or decides.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/Transforms/Passes.h"
#include "conv/Pipeline/Passes.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Plan/Passes.h"
#include "conv/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Raises front ends' ops to convolutions with their epilogues. With `outline`,
/// sums are left to the compiler of the rest of the program.
static void addRaising(OpPassManager &manager, bool raisesSums) {
  manager.addPass(createFoldConstantsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createRaiseTosaPass());
  functions.addPass(createRaiseLinalgPass());
  if (raisesSums)
    functions.addPass(createRaiseSumsPass());
  functions.addPass(createFuseEpiloguePass());
  manager.addPass(createFoldConstantsPass()); // Reshapes from raising.
}

void mlir::conv::buildOutlinePipeline(OpPassManager &manager,
                                      const OutlineOptions &options) {
  addRaising(manager, /*raisesSums=*/false);
  manager.addPass(createOutlineConvolutionsPass(
      {options.passConstants,
       llvm::to_vector(ArrayRef<std::string>(options.chips))}));
}

void mlir::conv::buildRaisePipeline(OpPassManager &manager) {
  addRaising(manager, /*raisesSums=*/true);
  manager.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  manager.addNestedPass<func::FuncOp>(createHoistConstantsPass());
}

void mlir::conv::buildLowerToConvPipeline(OpPassManager &manager,
                                          const LowerToConvOptions &options) {
  buildLowerToConvPipeline(manager, options, ComputeCode(), /*memo=*/nullptr);
}

void mlir::conv::buildLowerToConvPipeline(OpPassManager &manager,
                                          const LowerToConvOptions &options,
                                          ComputeCode computeCode,
                                          RankingMemo *memo) {
  buildRaisePipeline(manager);
  manager.addPass(createCheckSupportedPass());
  manager.addPass(createSelectSchedulePass(
      {options.schedule, options.algorithm, options.maxError,
       options.maxWorkspace, options.database, options.compiler,
       options.usesStale, options.computeUnits,
       llvm::to_vector(ArrayRef<std::string>(options.exclude)),
       options.stepElements},
      std::move(computeCode), memo));
  manager.addNestedPass<func::FuncOp>(createPropagateLayoutsPass());
  manager.addPass(createPrepackFilterPass());
  manager.addPass(createVerifyStagePass({"conv"}));
}
