//===- AddressAccess.cpp - guarded accesses without hardware ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a bounds check in hardware, a load whose guard is false reads the
// first elements of its tensor, which exist, and selects zero: branches would
// keep loads from being in flight together. A store is put under a branch.
//
//===----------------------------------------------------------------------===//

#include "AddressAccess.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

Type mlir::conv::getCarrierType(VectorType type) {
  int64_t bytes = computeBytes(type);
  if (bytes <= 4)
    return IntegerType::get(type.getContext(), bytes * 8);
  return VectorType::get({bytes / 4}, IntegerType::get(type.getContext(), 32));
}

Value mlir::conv::createAddress(OpBuilder &builder, Location loc, Value buffer,
                                Value offset, Type element) {
  Value pointer = MemRefDescriptor(buffer).alignedPtr(builder, loc);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer,
                             offset);
}

static Value createZero(OpBuilder &builder, Location loc, Type type) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getZeroAttr(type));
}

Value mlir::conv::createSafeOffset(OpBuilder &builder, Location loc,
                                   Value offset, Value guard) {
  if (matchPattern(guard, m_One()))
    return offset;
  return LLVM::SelectOp::create(builder, loc, guard, offset,
                                createZero(builder, loc, offset.getType()));
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
    Value offset = createSafeOffset(rewriter, loc, adaptor.getOffset(),
                                    adaptor.getGuard());
    Value address = createAddress(rewriter, loc, adaptor.getSource(), offset,
                                  type.getElementType());
    Type carrier = getCarrierType(type);
    Value loaded = LLVM::LoadOp::create(rewriter, loc, carrier, address,
                                        computeBytes(type));
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
    // All other stores are under a branch.
    if (!matchPattern(op.getGuard(), m_One()))
      return rewriter.notifyMatchFailure(op, "guarded store");
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getValue().getType());
    Value address = createAddress(rewriter, loc, adaptor.getDestination(),
                                  adaptor.getOffset(), type.getElementType());
    Value carried = LLVM::BitcastOp::create(rewriter, loc, getCarrierType(type),
                                            adaptor.getValue());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, carried, address,
                                               computeBytes(type));
    return success();
  }
};

struct AddressLowering final : ConvertOpToLLVMPattern<AddressOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(AddressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefDescriptor buffer(adaptor.getBuffer());
    rewriter.replaceOp(op, buffer.alignedPtr(rewriter, op.getLoc()));
    return success();
  }
};

struct StoreToBranch final : OpRewritePattern<GuardedStoreOp> {
  StoreToBranch(MLIRContext *context,
                std::function<bool(GuardedStoreOp)> needsBranch)
      : OpRewritePattern(context), needsBranch(std::move(needsBranch)) {}

  LogicalResult matchAndRewrite(GuardedStoreOp op,
                                PatternRewriter &rewriter) const override {
    if (!needsBranch(op) || matchPattern(op.getGuard(), m_One()))
      return failure();
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), op.getGuard());
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value yes = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          rewriter.getBoolAttr(true));
    GuardedStoreOp::create(rewriter, op.getLoc(), op.getValue(),
                           op.getDestination(), op.getOffset(), yes);
    rewriter.eraseOp(op);
    return success();
  }

private:
  std::function<bool(GuardedStoreOp)> needsBranch;
};
} // namespace

void mlir::conv::populateStoreToBranchPatterns(
    RewritePatternSet &patterns,
    std::function<bool(GuardedStoreOp)> needsBranch) {
  patterns.add<StoreToBranch>(patterns.getContext(), std::move(needsBranch));
}

void mlir::conv::populateAddressAccessPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AddressLowering, GuardedLoadLowering, GuardedStoreLowering>(
      converter);
}
