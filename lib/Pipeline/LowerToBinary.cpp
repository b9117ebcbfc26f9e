//===- LowerToBinary.cpp - LLVM dialects to code objects --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackendPipelines.h"

#include "conv/Pipeline/Passes.h"
#include "conv/Pipeline/Pipelines.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToBinaryPipeline(
    OpPassManager &manager, const LowerToBinaryOptions &options) {
  manager.addPass(createRunBackendPass(
      {.stage = "binary", .deviceLibraries = options.deviceLibraries}));
  manager.addPass(createVerifyStagePass({"binary"}));
}

void mlir::conv::buildLowerToBinaryPipeline(OpPassManager &manager,
                                            const BackendPipelines &backend) {
  backend.buildBinary(manager, LowerToBinaryOptions().deviceLibraries);
  manager.addPass(createVerifyStagePass({"binary"}));
}
