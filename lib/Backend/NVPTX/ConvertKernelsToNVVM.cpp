//===- ConvertKernelsToNVVM.cpp - kernels to LLVM and NVVM ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects upstream patterns into one full conversion, so that ops without a
// pattern fail here and not in the translation to LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "../AddressAccess.h"
#include "../KernelToLLVM.h"
#include "../TargetCheck.h"
#include "GuardedCopy.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// A CUtensorMap.
static constexpr int64_t kTensorMapBytes = 128;
static constexpr int64_t kTensorMapAlignment = 64;

static void populatePatterns(LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  populateAddressAccessPatterns(converter, patterns);
  populateGuardedCopyPatterns(converter, patterns);
  populateKernelToLLVMPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  // NVPTX cannot select most of the intrinsics that the patterns above create.
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/2);
  // NVPTX selects these, and they should not need the CUDA toolkit. Square
  // roots become sqrt.rn, which rounds correctly: libdevice's square root is
  // approximate unless LLVM is told otherwise.
  patterns.add<VectorConvertToLLVMPattern<math::FmaOp, LLVM::FMAOp,
                                          arith::AttrConvertFastMathToLLVM>,
               VectorConvertToLLVMPattern<math::SqrtOp, LLVM::SqrtOp,
                                          arith::AttrConvertFastMathToLLVM>>(
      converter, /*benefit=*/3);
}

/// Shared memory is declared with the alignment of its elements, but accessed
/// in wider vectors.
static void alignSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() ==
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      global.setAlignment(std::max<uint64_t>(global.getAlignment().value_or(1),
                                             ::conv::kVectorBytes));
}

namespace {
/// An argument of a kernel.
struct KernelArgument {
  StringAttr kernel;
  unsigned index;
};
} // namespace

/// The arguments that are tensor maps. The conversion of functions drops their
/// attribute.
static SmallVector<KernelArgument> findTensorMaps(gpu::GPUModuleOp module) {
  SmallVector<KernelArgument> maps;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (kernel.getArgAttr(i, TensorMapAttr::kArgumentName))
        maps.push_back({kernel.getNameAttr(), i});
  return maps;
}

/// Passes tensor maps by value; kernels read them where the launch put them.
static void passByValue(gpu::GPUModuleOp module,
                        ArrayRef<KernelArgument> arguments) {
  Builder b(module.getContext());
  for (auto [name, i] : arguments) {
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(),
                                                             kTensorMapBytes)));
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kTensorMapAlignment));
    kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                      b.getUnitAttr());
  }
}

/// Without this, the assembler uses all registers that the threads of one
/// workgroup may have.
static void limitRegisters(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
    if (Attribute count = kernel->removeAttr(kResidentWorkgroupsName))
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), count);
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
    SmallVector<KernelArgument> tensorMaps = findTensorMaps(module);
    ConversionTarget legal(*context);
    configureGpuToNVVMConversionLegality(legal);
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legal.addLegalOp<LLVM::SqrtOp>(); // Upstream takes it from libdevice.
    if (failed(convertKernels(module, legal, std::move(patterns))))
      return signalPassFailure();
    alignSharedMemory(module);
    limitRegisters(module);
    passByValue(module, tensorMaps);
  }
};
} // namespace
