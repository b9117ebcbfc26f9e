//===- LowerToLinalg.cpp - conv to linalg -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Pipelines.h"

#include "conv/Pipeline/Passes.h"
#include "conv/Plan/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToLinalgPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createConvertToProductsPass());
  manager.addPass(createVerifyStagePass({"linalg"}));
}
