//===- conv-opt.cpp - runs passes on IR -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the dialects and passes that convolutions meet on their way,
// for tests and debugging.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  mlir::conv::registerDialects(registry);
  mlir::conv::registerPassesAndPipelines();
  // Upstream passes that tests use between ours.
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "Runs passes on convolutions\n", registry));
}
