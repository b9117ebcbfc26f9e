//===- KernelToLLVM.cpp - what conversions to LLVM share --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelToLLVM.h"
#include "ExpandFloat8.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Targets that can separate instructions, or that have priorities, have
/// already replaced these ops.
template <typename OpTy> struct EraseAdvice final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

LowerToLLVMOptions mlir::conv::getGpuLoweringOptions(gpu::GPUModuleOp module) {
  LowerToLLVMOptions options(module.getContext(),
                             DataLayout(cast<DataLayoutOpInterface>(*module)));
  options.overrideIndexBitwidth(32);
  options.useBarePtrCallConv = true;
  return options;
}

void mlir::conv::populateKernelToLLVMPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<EraseAdvice<ScheduleFenceOp>, EraseAdvice<SetPriorityOp>>(
      patterns.getContext());
  populateExpandFloat8Patterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
}

LogicalResult mlir::conv::convertKernels(gpu::GPUModuleOp module,
                                         ConversionTarget &legal,
                                         RewritePatternSet patterns) {
  legal.addLegalOp<gpu::GPUModuleOp>();
  legal.addIllegalDialect<ConvDialect>();
  return applyFullConversion(module, legal, std::move(patterns));
}
