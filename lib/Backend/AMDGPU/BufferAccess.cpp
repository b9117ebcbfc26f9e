//===- BufferAccess.cpp - accesses that the hardware guards -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer resource describes each tensor with its exact size. Where the guard
// is false, the offset lies beyond every tensor below 2 GiB, and the hardware's
// bounds check does the rest. AddressAccess.h handles larger tensors.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"

#include "../AddressAccess.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::conv;

/// An offset beyond every tensor that buffer instructions access.
static constexpr int64_t kOutOfRange = int64_t(1) << 31;

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
/// The common part of the patterns.
template <typename OpTy>
struct BufferAccessPattern : ConvertOpToLLVMPattern<OpTy> {
  BufferAccessPattern(const LLVMTypeConverter &converter,
                      amdgpu::Chipset chipset)
      : ConvertOpToLLVMPattern<OpTy>(converter, /*benefit=*/2),
        chipset(chipset) {}

protected:
  /// A resource that starts `lead` bytes in front of a tensor.
  Value createResource(OpBuilder &builder, Location loc, Value pointer,
                       MemRefType type, int64_t lead = 0) const {
    Value stride = LLVM::ConstantOp::create(builder, loc, builder.getI16Type(),
                                            builder.getI16IntegerAttr(0));
    Value bytes = LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(),
        builder.getI64IntegerAttr(computeBytes(type) + lead));
    if (lead != 0)
      pointer = LLVM::GEPOp::create(
          builder, loc, pointer.getType(), builder.getI8Type(), pointer,
          LLVM::GEPArg(createI32(builder, loc, -lead)));
    return ROCDL::MakeBufferRsrcOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 8),
        pointer, stride, bytes,
        createI32(builder, loc, resourceFlags(chipset)));
  }

  /// The byte offset, or one out of range where the guard is false.
  Value createGuardedOffset(OpBuilder &builder, Location loc, Value offset,
                            Value guard, MemRefType type) const {
    Value bytes = LLVM::MulOp::create(
        builder, loc, offset, createI32(builder, loc, getElementBytes(type)));
    if (matchPattern(guard, m_One()))
      return bytes;
    return LLVM::SelectOp::create(builder, loc, guard, bytes,
                                  createI32(builder, loc, kOutOfRange));
  }

  /// Loads at the sum of an offset of each lane and an offset that lanes share.
  void replaceWithLoad(OpTy op, Value source, MemRefType type, Value offset,
                       Value distance, int64_t lead,
                       ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto result = this->getTypeConverter()->template convertType<VectorType>(
        op.getResult().getType());
    Value pointer = MemRefDescriptor(source).alignedPtr(rewriter, loc);
    Value loaded = ROCDL::RawPtrBufferLoadOp::create(
        rewriter, loc, getCarrierType(result),
        createResource(rewriter, loc, pointer, type, lead), offset, distance,
        createI32(rewriter, loc, 0), ArrayAttr(), ArrayAttr(), ArrayAttr());
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, result, loaded);
  }

  amdgpu::Chipset chipset;
};

struct BufferLoadLowering final : BufferAccessPattern<GuardedLoadOp> {
  using BufferAccessPattern::BufferAccessPattern;

  LogicalResult
  matchAndRewrite(GuardedLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset().getType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "beyond buffer instructions");
    Location loc = op.getLoc();
    MemRefType source = op.getSource().getType();
    Value offset = createGuardedOffset(rewriter, loc, adaptor.getOffset(),
                                       op.getGuard(), source);
    replaceWithLoad(op, adaptor.getSource(), source, offset,
                    createI32(rewriter, loc, 0), /*lead=*/0, rewriter);
    return success();
  }
};

/// Negative places become offsets beyond every tensor below 2 GiB, also where
/// the bounds check includes the distance.
struct PlacedLoadLowering final : BufferAccessPattern<PlacedLoadOp> {
  using BufferAccessPattern::BufferAccessPattern;

  LogicalResult
  matchAndRewrite(PlacedLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    replaceWithLoad(op, adaptor.getSource(), op.getSource().getType(),
                    adaptor.getPlace(), adaptor.getDistance(),
                    static_cast<int64_t>(op.getLead()), rewriter);
    return success();
  }
};

struct BufferStoreLowering final : BufferAccessPattern<GuardedStoreOp> {
  using BufferAccessPattern::BufferAccessPattern;

  LogicalResult
  matchAndRewrite(GuardedStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset().getType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "beyond buffer instructions");
    Location loc = op.getLoc();
    MemRefType destination = op.getDestination().getType();
    auto type = cast<VectorType>(op.getValue().getType());
    Value pointer =
        MemRefDescriptor(adaptor.getDestination()).alignedPtr(rewriter, loc);
    Value resource = createResource(rewriter, loc, pointer, destination);
    Value offset = createGuardedOffset(rewriter, loc, adaptor.getOffset(),
                                       op.getGuard(), destination);
    Value carried = LLVM::BitcastOp::create(rewriter, loc, getCarrierType(type),
                                            adaptor.getValue());
    Value zero = createI32(rewriter, loc, 0);
    rewriter.replaceOpWithNewOp<ROCDL::RawPtrBufferStoreOp>(
        op, carried, resource, offset, zero, zero, ArrayAttr(), ArrayAttr(),
        ArrayAttr());
    return success();
  }
};
/// Alias scopes of accesses to shared memory: copies, and reads of lanes.
struct SharedScopes {
  explicit SharedScopes(MLIRContext *context)
      : domain(LLVM::AliasScopeDomainAttr::get(
            context, StringAttr::get(context, "conv.shared"), StringAttr())),
        copies(getScope("conv.shared.copies")),
        reads(getScope("conv.shared.reads")) {}

  LLVM::AliasScopeDomainAttr domain;
  ArrayAttr copies, reads;

private:
  ArrayAttr getScope(StringRef name) const {
    MLIRContext *context = domain.getContext();
    auto scope = LLVM::AliasScopeAttr::get(
        context, StringAttr::get(context, name), domain, StringAttr());
    return ArrayAttr::get(context, {scope});
  }
};

struct BufferCopyLowering final : BufferAccessPattern<GuardedCopyOp> {
  using BufferAccessPattern::BufferAccessPattern;

  LogicalResult
  matchAndRewrite(GuardedCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset().getType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "beyond buffer instructions");
    Location loc = op.getLoc();
    MemRefType source = op.getSource().getType();
    MemRefType destination = op.getDestination().getType();
    Value pointer =
        MemRefDescriptor(adaptor.getSource()).alignedPtr(rewriter, loc);
    Value resource = createResource(rewriter, loc, pointer, source);
    Value offset = createGuardedOffset(rewriter, loc, adaptor.getOffset(),
                                       op.getGuard(), source);
    Value to =
        getStridedElementPtr(rewriter, loc, destination,
                             adaptor.getDestination(), {adaptor.getIndex()});
    int64_t bytes = int64_t(op.getElements()) * getElementBytes(source);
    Value zero = createI32(rewriter, loc, 0);
    rewriter.replaceOpWithNewOp<ROCDL::RawPtrBufferLoadLdsOp>(
        op, resource, to, createI32(rewriter, loc, bytes), offset, zero, zero,
        zero, SharedScopes(op.getContext()).copies, ArrayAttr(), ArrayAttr());
    return success();
  }
};
} // namespace

void mlir::conv::separateCopiesFromReads(Operation *kernels) {
  kernels->walk([](LLVM::LLVMFuncOp function) {
    bool hasCopies = false;
    function.walk([&](ROCDL::RawPtrBufferLoadLdsOp) { hasCopies = true; });
    if (!hasCopies)
      return;
    SharedScopes scopes(function.getContext());
    function.walk([&](LLVM::AliasAnalysisOpInterface access) {
      bool isSharedRead =
          isa<ROCDL::ds_read_tr16_b64>(access) ||
          (isa<LLVM::LoadOp>(access) &&
           cast<LLVM::LLVMPointerType>(access->getOperand(0).getType())
                   .getAddressSpace() == 3);
      if (!isSharedRead)
        return;
      access.setAliasScopes(scopes.reads);
      access.setNoAliasScopes(scopes.copies);
    });
  });
}

void mlir::conv::populateBufferAccessPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns,
    amdgpu::Chipset chipset) {
  patterns.add<BufferCopyLowering, BufferLoadLowering, BufferStoreLowering,
               PlacedLoadLowering>(converter, chipset);
}
