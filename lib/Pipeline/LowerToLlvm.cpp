//===- LowerToLlvm.cpp - kernels to LLVM dialects -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Pipelines.h"

#include "conv/Pipeline/Passes.h"
#include "conv/Backend/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::buildLowerToLlvmPipeline(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertKernelOpsToAMDGPUPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelsToROCDLPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  manager.addPass(createVerifyStagePass({"llvm"}));
}
