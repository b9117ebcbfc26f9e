//===- ConvertKernelsToHost.cpp - kernels to the LLVM dialect ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One full conversion, so that ops without a pattern fail here and not in the
// translation to LLVM IR. Functions that activations are made of become
// arithmetic, other math ops their LLVM intrinsic if they have one; the others
// become calls of libm.
//
// bf16 becomes i16. Conversions are integer operations by now, so what is left
// of it is loaded, moved between lanes and stored. LLVM would widen vectors of
// bf16 that it shuffles, and narrow them again by a call for each element.
//
//===----------------------------------------------------------------------===//

#include "../AddressAccess.h"
#include "../KernelToLLVM.h"
#include "../TargetCheck.h"
#include "ExpandFunctions.h"
#include "KernelFunction.h"
#include "conv/Backend/Passes.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELSTOHOSTPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// bf16 and vectors of it become i16.
static void convertBf16(LLVMTypeConverter &converter) {
  Type i16 = IntegerType::get(&converter.getContext(), 16);
  converter.addConversion([i16](BFloat16Type) { return i16; });
  converter.addConversion([i16](VectorType type) -> std::optional<Type> {
    if (!type.getElementType().isBF16())
      return std::nullopt;
    return type.clone(i16);
  });
}

namespace {
/// A constant of bf16 to its bits.
struct Bf16Constant final : ConvertOpToLLVMPattern<arith::ConstantOp> {
  /// Preferred to the pattern that keeps the type.
  explicit Bf16Constant(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isBF16())
      return rewriter.notifyMatchFailure(op, "not of bf16");
    auto toBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
    Type i16 = rewriter.getI16Type();
    TypedAttr bits;
    if (auto elements = dyn_cast<DenseFPElementsAttr>(op.getValue()))
      bits = elements.mapValues(i16, toBits);
    else
      bits = IntegerAttr::get(
          i16, toBits(cast<FloatAttr>(op.getValue()).getValue()));
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, bits.getType(), bits);
    return success();
  }
};
} // namespace

namespace {
/// Dot products of pairs of bf16 to their instruction, which has operands of
/// LLVM's type.
struct PairProduct final : ConvertOpToLLVMPattern<x86vector::DotBF16Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(x86vector::DotBF16Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto cast = [&](Value bits) -> Value {
      return LLVM::BitcastOp::create(rewriter, op.getLoc(), op.getA().getType(),
                                     bits);
    };
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(op.getIntrinsicName()),
        ValueRange{adaptor.getSrc(), cast(adaptor.getA()),
                   cast(adaptor.getB())});
    return success();
  }
};
} // namespace

static void populatePatterns(LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<Bf16Constant, PairProduct>(converter);
  populateKernelFunctionPatterns(converter, patterns);
  populateAddressAccessPatterns(converter, patterns);
  populateKernelToLLVMPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  // Intrinsics are preferred to calls of libm.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
}

/// Calls libm for expm1 of other types than f32. The patterns for intrinsics
/// compute exp(x) - 1, which cancels near zero.
static LogicalResult convertExpM1(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::ExpM1Op>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Exports the name of the processor, which the runtime checks before it runs a
/// kernel.
static void createCpuName(gpu::GPUModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  const ::conv::HostProcessor &processor =
      *TargetAttr::lookup(module).getInfo().processor;
  std::string text(processor.level);
  text += processor.features;
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::External, "conv_cpu",
                         builder.getStringAttr(text));
}

namespace {
struct ConvertKernelsToHostPass final
    : mlir::conv::impl::ConvertKernelsToHostPassBase<ConvertKernelsToHostPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyTarget(module, ::conv::Backend::Host)))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    RewritePatternSet functions(context);
    populateExpandFunctionPatterns(functions);
    walkAndApplyPatterns(module, std::move(functions));
    if (failed(convertExpM1(module)))
      return signalPassFailure();
    LLVMTypeConverter converter(context);
    convertBf16(converter);
    populateGpuMemorySpaceAttributeConversions(
        converter, [](gpu::AddressSpace) { return 0; });

    RewritePatternSet patterns(context);
    populatePatterns(converter, patterns);
    LLVMConversionTarget legal(*context);
    if (failed(convertKernels(module, legal, std::move(patterns))))
      return signalPassFailure();
    createCpuName(module);
  }
};
} // namespace
