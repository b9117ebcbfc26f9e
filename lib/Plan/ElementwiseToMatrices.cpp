//===- ElementwiseToMatrices.cpp - ops between convolutions -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise ops and concatenations become ops on matrices of their tensors.
// A concatenation copies each operand to its place in the result, all in one
// kernel.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseToMatrices.h"

#include "CopyMatrices.h"

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Plan/TransformSchedules.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// An element-wise op on tensors becomes one on their matrices.
struct ElementwiseToMatrices final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr(kScheduleName) || !isReadByCoordinates(op))
      return rewriter.notifyMatchFailure(op, "has matrices, or is no map");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    ElementwiseViews views = ElementwiseViews::get(op);
    SmallVector<Value> inputs;
    for (auto [input, view] : llvm::zip(op.getInputs(), views.operands))
      inputs.push_back(GatherOp::create(rewriter, loc, input, view));
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, views.result.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                rewriter.getMultiDimIdentityMap(3));
    auto matrices = linalg::GenericOp::create(
        rewriter, loc, TypeRange{empty.getType()}, inputs, ValueRange{empty},
        maps,
        SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel));
    rewriter.inlineRegionBefore(op.getRegion(), matrices.getRegion(),
                                matrices.getRegion().begin());
    matrices->setAttr(kScheduleName,
                      selectTransformSchedule(views.result, type));
    Value result = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                           type.getElementType());
    rewriter.replaceOpWithNewOp<ScatterOp>(op, result, matrices.getResult(0),
                                           rewriter.getArrayAttr(views.result));
    return success();
  }
};

/// A concatenation becomes copies of its operands.
struct ConcatenationToCopies final : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    SmallVector<Value> copies;
    SmallVector<Attribute> targets;
    int64_t offset = 0;
    for (Value part : op.getInputs()) {
      auto views = ConcatenationViews::get(op, part, offset);
      copies.push_back(
          copyMatrices(rewriter, loc, part, views.source, type.getElementType(),
                       selectTransformSchedule(views.result, type)));
      targets.push_back(views.result);
      offset += cast<RankedTensorType>(part.getType()).getDimSize(op.getDim());
    }
    Value result = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                           type.getElementType());
    rewriter.replaceOpWithNewOp<ScatterOp>(op, result, copies,
                                           rewriter.getArrayAttr(targets));
    return success();
  }
};
} // namespace

void mlir::conv::populateElementwiseToMatricesPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ConcatenationToCopies, ElementwiseToMatrices>(
      patterns.getContext());
}
