//===- BackendPipelines.cpp - passes and code of each back end ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes after the gpu stage, where back ends differ.
//
//===----------------------------------------------------------------------===//

#include "BackendPipelines.h"

#include "conv/Backend/AMDGPU.h"
#include "conv/Backend/Host.h"
#include "conv/Backend/NVPTX.h"
#include "conv/Backend/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::conv;

static void buildAmdgpuLlvm(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertKernelOpsToAMDGPUPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelsToROCDLPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

static void buildAmdgpuBinary(OpPassManager &manager,
                              StringRef deviceLibraries) {
  manager.addPass(createSerializeAMDGPUPass({deviceLibraries.str()}));
}

static void buildNvptxLlvm(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertKernelOpsToNVVMPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelsToNVVMPass());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createJoinWgmmaPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

static void buildNvptxBinary(OpPassManager &manager, StringRef) {
  manager.addPass(createSerializeNVPTXPass());
}

static void buildHostLlvm(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  // The host computes bf16 in f32, and converts with integer instructions.
  kernels.addPass(math::createMathExtendToSupportedTypes());
  kernels.addPass(arith::createArithEmulateUnsupportedFloats(
      {.sourceTypeStrs = {"bf16"}, .targetTypeStr = "f32"}));
  kernels.addPass(arith::createArithExpandOpsPass({.includeBf16 = true}));
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelsToHostPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

static void buildHostBinary(OpPassManager &manager, StringRef) {
  manager.addPass(createSerializeHostPass());
}

ArrayRef<BackendPipelines> mlir::conv::allBackendPipelines() {
  static const BackendPipelines kRows[] = {
      {.backend = ::conv::Backend::AMDGPU,
       .buildLlvm = buildAmdgpuLlvm,
       .buildBinary = buildAmdgpuBinary,
       .compileToAssembly =
           [](gpu::GPUModuleOp module) { return compileToAssembly(module); },
       .codeExtension = "hsaco",
       .assemblyExtension = "",
       .hasKernelMetadata = true},
      {.backend = ::conv::Backend::Host,
       .buildLlvm = buildHostLlvm,
       .buildBinary = buildHostBinary,
       .compileToAssembly = compileToHostAssembly,
       .codeExtension = "so",
       .assemblyExtension = "",
       .hasKernelMetadata = false},
      {.backend = ::conv::Backend::NVPTX,
       .buildLlvm = buildNvptxLlvm,
       .buildBinary = buildNvptxBinary,
       .compileToAssembly =
           [](gpu::GPUModuleOp module) { return compileToPtx(module); },
       .codeExtension = "cubin",
       .assemblyExtension = "ptx",
       .hasKernelMetadata = true},
  };
  return kRows;
}

const BackendPipelines &
mlir::conv::getBackendPipelines(::conv::Backend backend) {
  const BackendPipelines *row =
      llvm::find_if(allBackendPipelines(), [&](const auto &candidate) {
        return candidate.backend == backend;
      });
  assert(row != allBackendPipelines().end() && "every back end has a row");
  return *row;
}
