//===- KernelFunction.cpp - the function that a host kernel becomes -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are static, so a kernel needs only a bare pointer for each buffer:
// the descriptor is rebuilt from the type.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

/// Private memory is aligned to a cache line.
static constexpr unsigned kPrivateAlignment = 64;

/// The value, of type `type`, of the parameter at `index` in the list.
static Value loadParameter(OpBuilder &builder, Location loc, Value parameters,
                           int32_t index, Type type) {
  Type pointer = parameters.getType();
  Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, parameters,
                                   ArrayRef<LLVM::GEPArg>{index});
  Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
  return LLVM::LoadOp::create(builder, loc, type, address);
}

/// Memory on the stack for the elements of a buffer.
static Value createPrivate(OpBuilder &builder, Location loc, MemRefType type) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value count = LLVM::ConstantOp::create(
      builder, loc, builder.getI64Type(),
      builder.getI64IntegerAttr(type.getNumElements()));
  return LLVM::AllocaOp::create(builder, loc, pointer, type.getElementType(),
                                count, kPrivateAlignment);
}

/// Whether the type is a number, or a descriptor can be rebuilt from it.
static bool isParameter(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return type.isInteger(32) ||
         (buffer && buffer.hasStaticShape() && buffer.getLayout().isIdentity());
}

namespace {
struct KernelToFunction final : ConvertOpToLLVMPattern<gpu::GPUFuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.isKernel() || !op.getWorkgroupAttributions().empty() ||
        !llvm::all_of(op.getArgumentTypes(), isParameter))
      return rewriter.notifyMatchFailure(
          op, "not a kernel on static buffers without shared memory");
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(getContext()), {pointer, pointer});
    auto function = LLVM::LLVMFuncOp::create(rewriter, loc, op.getName(), type);
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    Block *entry = function.addEntryBlock(rewriter);
    Block *body = &op.getBody().front();
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.getBody().end());
    rewriter.setInsertionPointToStart(entry);
    TypeConverter::SignatureConversion conversion =
        createBuffers(rewriter, body, op.getNumArguments(), entry);
    Block *converted =
        rewriter.applySignatureConversion(body, conversion, getTypeConverter());
    rewriter.setInsertionPointToEnd(entry);
    LLVM::BrOp::create(rewriter, loc, ValueRange{}, converted);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Replacements of the arguments of `body`: parameters, then private memory.
  TypeConverter::SignatureConversion
  createBuffers(ConversionPatternRewriter &rewriter, Block *body,
                unsigned numParameters, Block *entry) const {
    TypeConverter::SignatureConversion conversion(body->getNumArguments());
    for (BlockArgument argument : body->getArguments()) {
      Location loc = argument.getLoc();
      unsigned index = argument.getArgNumber();
      auto type = dyn_cast<MemRefType>(argument.getType());
      Type loaded =
          type ? Type(LLVM::LLVMPointerType::get(rewriter.getContext()))
               : argument.getType();
      Value address = index < numParameters
                          ? loadParameter(rewriter, loc, entry->getArgument(0),
                                          static_cast<int32_t>(index), loaded)
                          : createPrivate(rewriter, loc, type);
      if (!type) {
        conversion.remapInput(index, address);
        continue;
      }
      Value buffer = MemRefDescriptor::fromStaticShape(
          rewriter, loc, *getTypeConverter(), type, address);
      conversion.remapInput(index, buffer);
    }
    return conversion;
  }
};

struct ReturnLowering final : ConvertOpToLLVMPattern<gpu::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange{});
    return success();
  }
};

struct BlockIdLowering final : ConvertOpToLLVMPattern<gpu::BlockIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::BlockIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // An op is converted after the function that contains it.
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "not in a converted kernel");
    Location loc = op.getLoc();
    Value workgroup = function.getArgument(1);
    Type i32 = rewriter.getI32Type();
    Value slot = LLVM::GEPOp::create(
        rewriter, loc, workgroup.getType(), i32, workgroup,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getDimension())});
    Value id = LLVM::LoadOp::create(rewriter, loc, i32, slot);
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, getIndexType(), id);
    return success();
  }
};
} // namespace

void mlir::conv::populateKernelFunctionPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BlockIdLowering, KernelToFunction, ReturnLowering>(converter);
}
