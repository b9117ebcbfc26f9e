//===- GuardedCopy.cpp - copies that take no registers ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async fills the bytes of a copy beyond its source size with zeros (PTX
// ISA, "cp.async"): the guard selects a source size of zero. Copies of 16 bytes
// bypass the first-level cache unless others use the same sectors.
//
//===----------------------------------------------------------------------===//

#include "GuardedCopy.h"

#include "../AddressAccess.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct GuardedCopyLowering final : ConvertOpToLLVMPattern<GuardedCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(GuardedCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getTypeConverter()->convertType(
        op.getSource().getType().getElementType());
    int64_t bytes = int64_t(op.getElements()) * getElementBytes(element);
    Value guard = adaptor.getGuard();
    Value offset = createSafeOffset(rewriter, loc, adaptor.getOffset(), guard);
    Value source =
        createAddress(rewriter, loc, adaptor.getSource(), offset, element);
    Value destination = createAddress(rewriter, loc, adaptor.getDestination(),
                                      adaptor.getIndex(), element);
    auto constant = [&](int64_t value) {
      return LLVM::ConstantOp::create(rewriter, loc,
                                      rewriter.getI32IntegerAttr(value));
    };
    Value sourceBytes;
    if (!matchPattern(op.getGuard(), m_One()))
      sourceBytes = LLVM::SelectOp::create(rewriter, loc, guard,
                                           constant(bytes), constant(0));
    NVVM::CpAsyncOp::create(
        rewriter, loc, destination, source, static_cast<uint32_t>(bytes),
        bytes == 16 && !op.getCached() ? NVVM::LoadCacheModifierKind::CG
                                       : NVVM::LoadCacheModifierKind::CA,
        sourceBytes);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::conv::populateGuardedCopyPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<GuardedCopyLowering>(converter);
}
