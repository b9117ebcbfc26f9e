//===- ConvertKernelsToROCDL.cpp - kernels to LLVM and ROCDL ----*- C++ -*-===//
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
#include "BufferAccess.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToROCDL/MathToROCDL.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELSTOROCDLPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static void populatePatterns(LLVMTypeConverter &converter,
                             RewritePatternSet &patterns,
                             amdgpu::Chipset chipset) {
  populateBufferAccessPatterns(converter, patterns, chipset);
  populateAddressAccessPatterns(converter, patterns);
  populateKernelToLLVMPatterns(converter, patterns);
  populateGpuToROCDLConversionPatterns(converter, patterns,
                                       gpu::amd::Runtime::Unknown, chipset);
  populateAMDGPUToROCDLConversionPatterns(converter, patterns, chipset);
  populateMathToROCDLConversionPatterns(converter, patterns, chipset);
  // Ops without an ocml function, or with an instruction (fma, sqrt, abs).
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/true,
                                       /*benefit=*/0);
}

/// Tells LLVM the number of work-items of a workgroup. Without it, LLVM assumes
/// up to 256, and sets registers and the kernel's launch limit accordingly.
/// Upstream passes on only the required size.
static void setWorkgroupSizes(gpu::GPUModuleOp module) {
  StringRef required = "rocdl.reqd_work_group_size";
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(required);
    if (!sizes)
      continue;
    int64_t workItems = llvm::product_of(sizes.asArrayRef());
    std::string range = std::to_string(workItems);
    function->setAttr(
        "rocdl.flat_work_group_size",
        StringAttr::get(module.getContext(), range + "," + range));
  }
}

namespace {
struct ConvertKernelsToROCDLPass final
    : mlir::conv::impl::ConvertKernelsToROCDLPassBase<
          ConvertKernelsToROCDLPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyTarget(module, ::conv::Backend::AMDGPU)))
      return signalPassFailure();
    // Upstream knows the name of every row of the table.
    amdgpu::Chipset chipset =
        *amdgpu::Chipset::parse(TargetAttr::lookup(module).getChip());
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context, getGpuLoweringOptions(module));
    amdgpu::populateCommonGPUTypeAndAttributeConversions(converter);
    populateAMDGPUTypeAndAttributeConversions(converter);

    RewritePatternSet patterns(context);
    populatePatterns(converter, patterns, chipset);
    ConversionTarget legal(*context);
    configureGpuToROCDLConversionLegality(legal);
    legal.addLegalDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
    if (failed(convertKernels(module, legal, std::move(patterns))))
      return signalPassFailure();
    setWorkgroupSizes(module);
    separateCopiesFromReads(module);
  }
};
} // namespace
