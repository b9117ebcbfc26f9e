//===- Reshapes.cpp - reshapes around element-wise ops ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns expand the loops of an op by the reshape of an operand or
// of its result. They require maps without constants, and no slice in between.
//
//===----------------------------------------------------------------------===//

#include "Reshapes.h"

#include "EpilogueBuilder.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Removes a reshape that undoes another one.
template <typename OpTy, typename InverseTy>
struct FoldInverseReshape final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto inverse = op.getSrc().template getDefiningOp<InverseTy>();
    // Two unknown sizes may be other ones, although their product is the same.
    if (!inverse || !op.getType().hasStaticShape() ||
        inverse.getSrc().getType() != op.getType() ||
        inverse.getReassociationIndices() != op.getReassociationIndices())
      return failure();
    rewriter.replaceOp(op, inverse.getSrc());
    return success();
  }
};

/// Drops an operand's dimensions of size 1 that its map reads at 0.
struct DropUnitDimensions final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!type || !type.hasStaticShape() || map.getNumResults() == 0)
        continue;
      SmallVector<ReassociationIndices> groups;
      SmallVector<AffineExpr> kept;
      SmallVector<int64_t> shape;
      ReassociationIndices leading;
      for (auto [d, position] : llvm::enumerate(map.getResults())) {
        bool isUnit =
            type.getDimSize(d) == 1 && isa<AffineConstantExpr>(position);
        ReassociationIndices &group =
            isUnit && !groups.empty() ? groups.back() : leading;
        group.push_back(d);
        if (isUnit)
          continue;
        groups.push_back(std::exchange(leading, {}));
        kept.push_back(position);
        shape.push_back(type.getDimSize(d));
      }
      if (kept.size() == map.getNumResults())
        continue;
      rewriter.setInsertionPoint(op);
      Value collapsed = tensor::CollapseShapeOp::create(
          rewriter, op.getLoc(), type.clone(shape), operand->get(), groups);
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[operand->getOperandNumber()] =
          AffineMap::get(map.getNumDims(), 0, kept, op.getContext());
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(collapsed);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

/// Slices before dimensions of size 1 are dropped: moves a slice from the
/// result of a collapse to its operand.
struct SliceBeforeCollapse final : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto collapse = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !collapse.getSrcType().hasStaticShape() ||
        !op.getType().hasStaticShape() || op.getDroppedDims().any())
      return failure();
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (auto [d, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      bool isWhole =
          op.getType().getDimSize(d) == op.getSourceType().getDimSize(d);
      auto isLarge = [&](int64_t dimension) { return shape[dimension] != 1; };
      if (!isWhole && llvm::count_if(group, isLarge) != 1)
        return failure();
      for (int64_t dimension : group) {
        bool isSliced = !isWhole && isLarge(dimension);
        offsets.push_back(isSliced ? op.getMixedOffsets()[d]
                                   : rewriter.getIndexAttr(0));
        sizes.push_back(isSliced ? op.getMixedSizes()[d]
                                 : rewriter.getIndexAttr(shape[dimension]));
        strides.push_back(isSliced ? op.getMixedStrides()[d]
                                   : rewriter.getIndexAttr(1));
      }
    }
    SmallVector<int64_t> sliced;
    for (OpFoldResult size : sizes)
      sliced.push_back(*getConstantIntValue(size));
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), collapse.getSrcType().clone(sliced),
        collapse.getSrc(), offsets, sizes, strides);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getType(), slice, collapse.getReassociationIndices());
    return success();
  }
};
} // namespace

void mlir::conv::populateFoldReshapesPatterns(RewritePatternSet &patterns) {
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  patterns
      .add<FoldInverseReshape<tensor::ExpandShapeOp, tensor::CollapseShapeOp>,
           FoldInverseReshape<tensor::CollapseShapeOp, tensor::ExpandShapeOp>>(
          patterns.getContext());
}

/// Whether the loops of an element-wise op are expanded by the reshape of an
/// operand or of its result. Vectors that are broadcast have fewer dimensions
/// than loops, and stay. So do tensors to which only sizes of 1 are added.
static bool isExpanded(OpOperand *fused) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner())) {
    auto generic = expand.getSrc().getDefiningOp<linalg::GenericOp>();
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    auto isSplit = [&](ArrayRef<int64_t> group) {
      return llvm::count_if(group, [&](int64_t d) { return shape[d] != 1; }) >
             1;
    };
    return generic && isElementwise(generic) &&
           llvm::any_of(expand.getReassociationIndices(), isSplit);
  }
  auto generic = dyn_cast<linalg::GenericOp>(fused->getOwner());
  return generic && isElementwise(generic) &&
         generic.getMatchingIndexingMap(fused).isPermutation();
}

LogicalResult mlir::conv::moveReshapesOutward(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isExpanded);
  populateFoldReshapesPatterns(patterns);
  patterns.add<DropUnitDimensions, SliceBeforeCollapse>(root->getContext());
  return applyWithoutFolding(root, std::move(patterns));
}

/// `source` from `offsets` on, as loops.
static Value createSlice(RewriterBase &rewriter, Location loc, Value source,
                         RankedTensorType type, ArrayRef<int64_t> offsets) {
  int64_t rank = type.getRank();
  SmallVector<AffineExpr> positions;
  for (auto [d, offset] : llvm::enumerate(offsets))
    positions.push_back(rewriter.getAffineDimExpr(d) + offset);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
  return linalg::GenericOp::create(
             rewriter, loc, TypeRange(type), source, empty,
             ArrayRef{AffineMap::get(rank, 0, positions, rewriter.getContext()),
                      rewriter.getMultiDimIdentityMap(rank)},
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [](OpBuilder &body, Location loc, ValueRange elements) {
               linalg::YieldOp::create(body, loc, elements.front());
             })
      .getResult(0);
}

void mlir::conv::generalizeSlices(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<tensor::ExtractSliceOp> slices;
  root->walk([&](tensor::ExtractSliceOp op) {
    if (isa_and_nonnull<linalg::LinalgOp, ConvolutionOpInterface>(
            op.getSource().getDefiningOp()) &&
        op.hasUnitStride() &&
        !ShapedType::isDynamicShape(op.getStaticSizes()) &&
        !ShapedType::isDynamicShape(op.getStaticOffsets()))
      slices.push_back(op);
  });
  for (tensor::ExtractSliceOp op : slices) {
    rewriter.setInsertionPoint(op);
    RankedTensorType type = op.getSourceType().clone(op.getStaticSizes());
    auto groups = getReassociationIndicesForReshape(type, op.getType());
    if (op.getType().getRank() != type.getRank() && !groups)
      continue;
    Value slice = createSlice(rewriter, op.getLoc(), op.getSource(), type,
                              op.getStaticOffsets());
    if (op.getType().getRank() != type.getRank())
      slice = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                              op.getType(), slice, *groups);
    rewriter.replaceOp(op, slice);
  }
}

/// The offsets if `op` is a slice, or none.
static std::optional<SmallVector<int64_t>> readSlice(linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (op.getNumDpsInputs() != 1 || !isElementwise(op) ||
      yielded != op.getBody()->getArgument(0))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (map.getNumResults() != map.getNumDims())
    return std::nullopt;
  SmallVector<int64_t> offsets;
  for (auto [d, position] : llvm::enumerate(map.getResults())) {
    AffineExpr loop = getAffineDimExpr(d, op.getContext());
    auto offset = dyn_cast<AffineConstantExpr>(position - loop);
    if (!offset)
      return std::nullopt;
    offsets.push_back(offset.getValue());
  }
  return offsets;
}

void mlir::conv::restoreSlices(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<linalg::GenericOp> slices;
  root->walk([&](linalg::GenericOp op) {
    if (op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
        op.getDpsInputs()[0].getType() != op.getResult(0).getType() &&
        readSlice(op))
      slices.push_back(op);
  });
  for (linalg::GenericOp op : slices) {
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, type, op.getDpsInputs()[0],
        getAsIndexOpFoldResult(op.getContext(), *readSlice(op)),
        getAsIndexOpFoldResult(op.getContext(), type.getShape()), strides);
  }
}
