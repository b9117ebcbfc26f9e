//===- Registration.cpp - dialects, passes and pipelines by name ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv-opt and the compiler driver load: only what convolutions use on
// their way down, because start-up time matters.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/AMDGPU.h"
#include "conv/Backend/Host.h"
#include "conv/Backend/NVPTX.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"
#include "conv/Pipeline/Passes.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Plan/Passes.h"
#include "conv/Schedule/Passes.h"
#include "conv/Tile/Passes.h"
#include "conv/ToGPU/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Pass/PassRegistry.h"

#include <functional>

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::registerDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, amdgpu::AMDGPUDialect,
                  arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, ConvDialect, func::FuncDialect,
                  gpu::GPUDialect, index::IndexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  ml_program::MLProgramDialect, nvgpu::NVGPUDialect,
                  NVVM::NVVMDialect, ROCDL::ROCDLDialect, scf::SCFDialect,
                  tensor::TensorDialect, tosa::TosaDialect,
                  vector::VectorDialect, x86vector::X86VectorDialect>();
  linalg::registerTilingInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  registerAMDGPUTranslations(registry);
  registerHostTranslations(registry);
  registerNVPTXTranslations(registry);
}

/// Registers a pipeline that begins by setting the target.
template <typename Options>
static void
registerPipeline(StringRef name, StringRef description,
                 std::function<void(OpPassManager &, const Options &)> build) {
  PassPipelineRegistration<Options>(
      name, description,
      [build](OpPassManager &manager, const Options &options) {
        manager.addPass(createSetTargetPass({options.target}));
        build(manager, options);
      });
}

/// Registers a pipeline without options.
static void registerPipeline(StringRef name, StringRef description,
                             void (*build)(OpPassManager &)) {
  registerPipeline<LowerOptions>(
      name, description, [build](OpPassManager &manager, const LowerOptions &) {
        build(manager);
      });
}

void mlir::conv::registerPassesAndPipelines() {
  registerConvTransformsPasses();
  registerSchedulePasses();
  registerPlanPasses();
  registerTilePasses();
  registerToGPUPasses();
  registerBackendPasses();
  registerPipelinePasses();
  PassPipelineRegistration<OutlineOptions>(
      "conv-outline",
      "Each convolution with what fuses into it to a function of its own",
      buildOutlinePipeline);
  registerPipeline<LowerToConvOptions>(
      "conv-lower-to-conv", "Input IR to scheduled convolutions",
      [](OpPassManager &manager, const LowerToConvOptions &options) {
        buildLowerToConvPipeline(manager, options);
      });
  registerPipeline("conv-lower-to-linalg", "Scheduled convolutions to linalg",
                   buildLowerToLinalgPipeline);
  registerPipeline("conv-lower-to-tiled", "linalg to workgroup tiles",
                   buildLowerToTiledPipeline);
  registerPipeline("conv-lower-to-gpu",
                   "Workgroup tiles to kernels and launches",
                   buildLowerToGpuPipeline);
  registerPipeline("conv-lower-to-llvm",
                   "Kernels to the LLVM dialects of the target",
                   buildLowerToLlvmPipeline);
  registerPipeline<LowerToBinaryOptions>("conv-lower-to-binary",
                                         "Kernels to code objects",
                                         buildLowerToBinaryPipeline);
}
