//===- GuardedAccess.cpp - guarded accesses to global memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load whose guard is false reads the first elements of its tensor, which
// exist, and selects zero: branches would keep loads from being in flight
// together. Values travel as 32-bit words where they have any, since vectors of
// words have an instruction for each width.
//
//===----------------------------------------------------------------------===//

#include "GuardedAccess.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

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

/// The address of an element of type `element` at `offset`. Offsets are signed:
/// those of guards that are false may be below zero, and are never used.
static Value createAddress(OpBuilder &builder, Location loc, Value buffer,
                           Value offset, Type element) {
  Value pointer = MemRefDescriptor(buffer).alignedPtr(builder, loc);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer,
                             offset);
}

static Value createZero(OpBuilder &builder, Location loc, Type type) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getZeroAttr(type));
}

namespace {
struct GuardedLoadLowering final : ConvertOpToLLVMPattern<GuardedLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(GuardedLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type =
        getTypeConverter()->convertType<VectorType>(op.getResult().getType());
    bool isGuarded = !matchPattern(op.getGuard(), m_One());
    Value offset = adaptor.getOffset();
    if (isGuarded)
      offset =
          LLVM::SelectOp::create(rewriter, loc, adaptor.getGuard(), offset,
                                 createZero(rewriter, loc, offset.getType()));
    Value address = createAddress(rewriter, loc, adaptor.getSource(), offset,
                                  type.getElementType());
    Type carrier = carrierType(rewriter, type);
    Value loaded = LLVM::LoadOp::create(rewriter, loc, carrier, address,
                                        sizeInBytes(type));
    if (isGuarded)
      loaded = LLVM::SelectOp::create(rewriter, loc, adaptor.getGuard(), loaded,
                                      createZero(rewriter, loc, carrier));
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, loaded);
    return success();
  }
};

struct GuardedStoreLowering final : ConvertOpToLLVMPattern<GuardedStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(GuardedStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // conv-convert-kernel-ops-to-nvvm made a branch of every other guard.
    if (!matchPattern(op.getGuard(), m_One()))
      return rewriter.notifyMatchFailure(op, "guarded store");
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getValue().getType());
    Value address = createAddress(rewriter, loc, adaptor.getDestination(),
                                  adaptor.getOffset(), type.getElementType());
    Value carried = LLVM::BitcastOp::create(
        rewriter, loc, carrierType(rewriter, type), adaptor.getValue());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, carried, address,
                                               sizeInBytes(type));
    return success();
  }
};
} // namespace

void mlir::conv::populateNVPTXGuardedAccessPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<GuardedLoadLowering, GuardedStoreLowering>(converter);
}
