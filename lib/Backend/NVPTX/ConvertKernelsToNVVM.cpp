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

#include "../AddressAccess.h"
#include "../KernelToLLVM.h"
#include "../TargetCheck.h"
#include "conv/Backend/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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
  populateAddressAccessPatterns(converter, patterns);
  populateKernelToLLVMPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  // NVPTX cannot select most of the intrinsics that the patterns above make.
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/2);
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
    if (failed(verifyTarget(module, ::conv::Backend::NVPTX)))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context, getGpuLoweringOptions(module));
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    populatePatterns(converter, patterns);
    ConversionTarget legal(*context);
    configureGpuToNVVMConversionLegality(legal);
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    if (failed(convertKernels(module, legal, std::move(patterns))))
      return signalPassFailure();
    alignSharedMemory(module);
  }
};
} // namespace
