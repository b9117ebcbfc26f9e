//===- LowerToGpu.cpp - tiles to kernels ------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Pipelines.h"

#include "conv/Pipeline/Passes.h"
#include "conv/ToGPU/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToGpuPipeline(OpPassManager &manager) {
  manager.addPass(createConvertTilesToKernelsPass());
  manager.addPass(createCSEPass());
  manager.addPass(createVerifyStagePass({"gpu"}));
}
