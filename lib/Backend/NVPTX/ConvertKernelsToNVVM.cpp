//===- ConvertKernelsToNVVM.cpp - kernels to LLVM and NVVM -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects upstream patterns into one full conversion, so that whatever has no
// pattern fails here and not in the translation to LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "../ExpandFloat8.h"
#include "GuardedAccess.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Bytes of the widest access to shared memory.
static constexpr uint64_t kSharedAlignment = 16;

static void populatePatterns(LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  populateNVPTXGuardedAccessPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  // NVPTX cannot select most of the intrinsics that the patterns above make.
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/2);
  populateExpandFloat8Patterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
}

/// Shared memory is declared with the alignment of its elements, but accessed
/// in larger pieces.
static void alignSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() ==
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      global.setAlignment(kSharedAlignment);
}

namespace {
struct ConvertKernelsToNVVMPass final
    : mlir::conv::impl::ConvertKernelsToNVVMPassBase<ConvertKernelsToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(
        context, DataLayout(cast<DataLayoutOpInterface>(*module)));
    options.overrideIndexBitwidth(32);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    populatePatterns(converter, patterns);
    ConversionTarget legal(*context);
    configureGpuToNVVMConversionLegality(legal);
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legal.addLegalOp<gpu::GPUModuleOp>();
    legal.addIllegalDialect<ConvDialect>();
    if (failed(applyFullConversion(module, legal, std::move(patterns))))
      return signalPassFailure();
    alignSharedMemory(module);
  }
};
} // namespace
