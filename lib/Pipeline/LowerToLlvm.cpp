//===- LowerToLlvm.cpp - kernels to LLVM dialects ---------------*- C++ -*-===//
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

void mlir::conv::buildLowerToLlvmPipeline(OpPassManager &manager) {
  manager.addPass(createRunBackendPass({.stage = "llvm"}));
  manager.addPass(createVerifyStagePass({"llvm"}));
}

void mlir::conv::buildLowerToLlvmPipeline(OpPassManager &manager,
                                          const BackendPipelines &backend) {
  backend.buildLlvm(manager);
  manager.addPass(createVerifyStagePass({"llvm"}));
}
