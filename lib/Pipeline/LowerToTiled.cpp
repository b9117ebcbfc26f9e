//===- LowerToTiled.cpp - linalg to tiles -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Pipelines.h"

#include "conv/Pipeline/Passes.h"
#include "conv/Schedule/Passes.h"
#include "conv/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToTiledPipeline(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createTileToWorkgroupsPass());
  functions.addPass(createSelectLaunchesPass());
  manager.addPass(createVerifyStagePass({"tiled"}));
}
