//===- DynamicToMatrices.cpp - dynamic convolutions -> matrices -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which dynamic convolutions become matrices directly, and which kernel
// gradients go through partial sums.
//
//===----------------------------------------------------------------------===//

#include "DynamicToMatrices.h"

#include "DynamicMatrixBuilder.h"

#include "conv/Dialect/Conv/IR/DynamicProblem.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct DynamicToMatrices final : OpInterfaceRewritePattern<DynamicOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(DynamicOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op.hasTokenKernel())
      return rewriter.notifyMatchFailure(op, "has a kernel of its own");
    if (op.getDirection() == Direction::BackwardWeight &&
        op.getShape().perGroup() > kMostMembers)
      return rewriter.notifyMatchFailure(op, "has partial sums");
    rewriter.replaceOp(op, DynamicMatrixBuilder(op, rewriter).createProducts());
    return success();
  }
};

/// The kernel gradient of large groups adds up the gradients of small groups.
struct GroupsToPartialSums final : OpRewritePattern<DynamicBackwardKernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicBackwardKernelOp op,
                                PatternRewriter &rewriter) const override {
    if (cast<DynamicOpInterface>(*op).hasTokenKernel())
      return rewriter.notifyMatchFailure(op, "has a kernel of its own");
    int64_t perGroup = cast<DynamicOpInterface>(*op).getShape().perGroup();
    int64_t members = computeMembersOfSum(perGroup);
    if (perGroup <= kMostMembers || members == 0)
      return rewriter.notifyMatchFailure(op, "has one sum, or too many");
    int64_t sums = perGroup / members;
    auto type = cast<RankedTensorType>(op.getGradKernel().getType());
    SmallVector<int64_t> sizes(type.getShape());
    sizes[op.getOrder() == KernelOrder::BTGW ? 2 : 3] *= sums;
    Type operand = getElementTypeOrSelf(op.getInput().getType());
    Value partial = DynamicBackwardKernelOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(sizes, getAccumulatorType(operand)),
        op.getInput(), op.getGradOutput(), op.getCuSeqlens(),
        op.getInitialState(), /*givenKernel=*/nullptr,
        /*epilogueOperands=*/ValueRange(), op.getOrder());
    DynamicMatrixBuilder builder(cast<DynamicOpInterface>(*op), rewriter);
    rewriter.replaceOp(op, builder.createSums(partial, sums));
    return success();
  }
};
} // namespace

void mlir::conv::populateDynamicToMatricesPatterns(
    RewritePatternSet &patterns) {
  patterns.add<DynamicToMatrices, GroupsToPartialSums>(patterns.getContext());
}
