//===- GuardedAccess.cpp - guarded accesses to buffer instructions -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer resource describes each tensor with its exact size. Where the guard
// is false the offset is one that no tensor below 2 GiB has, and the hardware's
// bounds check does the rest. Values travel as integers: every width from 2 to
// 16 bytes then has an instruction on every chip.
//
//===----------------------------------------------------------------------===//

#include "GuardedAccess.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::conv;

/// An offset beyond every tensor that buffer instructions access.
static constexpr int64_t kOutOfRange = int64_t(1) << 31;

static int64_t sizeInBytes(MemRefType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static int64_t sizeInBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// The integer, or vector of 32-bit integers, of as many bytes.
static Type carrierType(OpBuilder &builder, VectorType type) {
  int64_t bytes = sizeInBytes(type);
  if (bytes <= 4)
    return builder.getIntegerType(bytes * 8);
  return VectorType::get({bytes / 4}, builder.getI32Type());
}

static Value createI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32Type(),
      builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

/// Word 3 of a buffer resource: raw buffer, 32-bit elements, out-of-range by
/// byte offset. Fields as in the instruction set manuals, "Buffer Resource
/// Descriptor": DATA_FORMAT (gfx9) or FORMAT (gfx10 and newer), and OOB_SELECT.
static int64_t resourceFlags(amdgpu::Chipset chipset) {
  constexpr int64_t kNumberFormatFloat = 7 << 12, kDataFormat32 = 4 << 15;
  if (chipset.majorVersion < 10)
    return kNumberFormatFloat | kDataFormat32;
  constexpr int64_t kResourceLevel = 1 << 24, kRawOutOfBounds = 3 << 28;
  return kNumberFormatFloat | kDataFormat32 | kResourceLevel | kRawOutOfBounds;
}

namespace {
/// What both patterns share.
template <typename OpTy>
struct GuardedAccessPattern : ConvertOpToLLVMPattern<OpTy> {
  GuardedAccessPattern(const LLVMTypeConverter &converter,
                       amdgpu::Chipset chipset)
      : ConvertOpToLLVMPattern<OpTy>(converter), chipset(chipset) {}

protected:
  Value createResource(OpBuilder &builder, Location loc, Value pointer,
                       MemRefType type) const {
    Value stride = LLVM::ConstantOp::create(builder, loc, builder.getI16Type(),
                                            builder.getI16IntegerAttr(0));
    Value bytes =
        LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                 builder.getI64IntegerAttr(sizeInBytes(type)));
    return ROCDL::MakeBufferRsrcOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 8),
        pointer, stride, bytes,
        createI32(builder, loc, resourceFlags(chipset)));
  }

  /// The byte offset, or one out of range where the guard is false.
  Value createGuardedOffset(OpBuilder &builder, Location loc, Value offset,
                            Value guard, MemRefType type) const {
    Value bytes = LLVM::MulOp::create(
        builder, loc, offset,
        createI32(builder, loc, type.getElementTypeBitWidth() / 8));
    if (matchPattern(guard, m_One()))
      return bytes;
    return LLVM::SelectOp::create(builder, loc, guard, bytes,
                                  createI32(builder, loc, kOutOfRange));
  }

  /// The address of an element.
  Value createAddress(OpBuilder &builder, Location loc, Value pointer,
                      Value offset, MemRefType type) const {
    Type element = this->getTypeConverter()->convertType(type.getElementType());
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, offset);
  }

  amdgpu::Chipset chipset;
};

struct GuardedLoadLowering final : GuardedAccessPattern<GuardedLoadOp> {
  using GuardedAccessPattern::GuardedAccessPattern;

  LogicalResult
  matchAndRewrite(GuardedLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType source = op.getSource().getType();
    auto result =
        getTypeConverter()->convertType<VectorType>(op.getResult().getType());
    Value pointer =
        MemRefDescriptor(adaptor.getSource()).alignedPtr(rewriter, loc);
    if (op.getOffset().getType().isInteger(64)) {
      rewriter.replaceOp(op, createLargeLoad(rewriter, op, adaptor, pointer));
      return success();
    }
    Value resource = createResource(rewriter, loc, pointer, source);
    Value offset = createGuardedOffset(rewriter, loc, adaptor.getOffset(),
                                       op.getGuard(), source);
    Value zero = createI32(rewriter, loc, 0);
    Value loaded = ROCDL::RawPtrBufferLoadOp::create(
        rewriter, loc, carrierType(rewriter, result), resource, offset, zero,
        zero, ArrayAttr(), ArrayAttr(), ArrayAttr());
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, result, loaded);
    return success();
  }

private:
  /// Reads the first elements where the guard is false: they exist.
  Value createLargeLoad(ConversionPatternRewriter &rewriter, GuardedLoadOp op,
                        OpAdaptor adaptor, Value pointer) const {
    Location loc = op.getLoc();
    auto result =
        getTypeConverter()->convertType<VectorType>(op.getResult().getType());
    Value first = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                           rewriter.getI64IntegerAttr(0));
    Value offset = LLVM::SelectOp::create(rewriter, loc, adaptor.getGuard(),
                                          adaptor.getOffset(), first);
    Value loaded = LLVM::LoadOp::create(
        rewriter, loc, result,
        createAddress(rewriter, loc, pointer, offset, op.getSource().getType()),
        sizeInBytes(result));
    Value zero = LLVM::ConstantOp::create(rewriter, loc, result,
                                          rewriter.getZeroAttr(result));
    return LLVM::SelectOp::create(rewriter, loc, adaptor.getGuard(), loaded,
                                  zero);
  }
};

struct GuardedStoreLowering final : GuardedAccessPattern<GuardedStoreOp> {
  using GuardedAccessPattern::GuardedAccessPattern;

  LogicalResult
  matchAndRewrite(GuardedStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType destination = op.getDestination().getType();
    auto type = cast<VectorType>(op.getValue().getType());
    Value pointer =
        MemRefDescriptor(adaptor.getDestination()).alignedPtr(rewriter, loc);
    if (op.getOffset().getType().isInteger(64)) {
      // The guard is true: conv-convert-kernel-ops-to-amdgpu made a branch.
      if (!matchPattern(op.getGuard(), m_One()))
        return rewriter.notifyMatchFailure(op, "guarded 64-bit store");
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
          op, adaptor.getValue(),
          createAddress(rewriter, loc, pointer, adaptor.getOffset(),
                        destination),
          sizeInBytes(type));
      return success();
    }
    Value resource = createResource(rewriter, loc, pointer, destination);
    Value offset = createGuardedOffset(rewriter, loc, adaptor.getOffset(),
                                       op.getGuard(), destination);
    Value carried = LLVM::BitcastOp::create(
        rewriter, loc, carrierType(rewriter, type), adaptor.getValue());
    Value zero = createI32(rewriter, loc, 0);
    rewriter.replaceOpWithNewOp<ROCDL::RawPtrBufferStoreOp>(
        op, carried, resource, offset, zero, zero, ArrayAttr(), ArrayAttr(),
        ArrayAttr());
    return success();
  }
};
} // namespace

void mlir::conv::populateGuardedAccessPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns,
    amdgpu::Chipset chipset) {
  patterns.add<GuardedLoadLowering, GuardedStoreLowering>(converter, chipset);
}
