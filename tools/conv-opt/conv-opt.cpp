//===- conv-opt.cpp - runs passes on IR -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the dialects and passes that convolutions meet on their way,
// for tests and debugging. It registers nothing else: start-up time matters to
// tests.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void registerDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, amdgpu::AMDGPUDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              mlir::conv::ConvDialect, func::FuncDialect, gpu::GPUDialect,
              index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
              math::MathDialect, memref::MemRefDialect, ROCDL::ROCDLDialect,
              scf::SCFDialect, tensor::TensorDialect, tosa::TosaDialect,
              vector::VectorDialect>();
}

/// Upstream passes that tests use between ours.
static void registerUpstreamPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
}

/// Our passes, one line per folder, in the order of the walk.
static void registerConvPasses() { mlir::conv::registerConvTransformsPasses(); }

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  registerUpstreamPasses();
  registerConvPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "Runs passes on convolutions\n", registry));
}
