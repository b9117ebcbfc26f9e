//===- ConvertImplicitGemm.cpp - convolution to matrix product -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles every layout in which both matrices are plain views of the operands:
// channels innermost. Others need a repack, which is a visible op and not made
// here.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/ToLinalg/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTIMPLICITGEMMPASS
#include "conv/ToLinalg/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Folds all but the last of `rank` dimensions into one.
static SmallVector<ReassociationIndices> leadingByLast(int64_t rank) {
  return {llvm::to_vector(llvm::seq<int64_t>(rank - 1)), {rank - 1}};
}

/// Folds all but the first of `rank` dimensions into one.
static SmallVector<ReassociationIndices> firstByTrailing(int64_t rank) {
  return {{0}, llvm::to_vector(llvm::seq<int64_t>(1, rank))};
}

/// Spatial sizes of a tensor whose first and last dimensions are not spatial.
static ArrayRef<int64_t> innerSizes(RankedTensorType type) {
  return type.getShape().drop_front().drop_back();
}

/// True if input and output are `N..C` and `N..K` with the spatial dimensions
/// in their usual order, and the filter is `K..C` or `..CK`.
static bool isChannelsInnermost(LayoutsAttr layouts, int64_t rank) {
  auto spatial = [&](StringRef letters) {
    return letters.take_back(rank).str();
  };
  std::string filter = spatial("TRS");
  return layouts.getInput() == "N" + spatial("DHW") + "C" &&
         layouts.getOutput() == "N" + spatial("ZPQ") + "K" &&
         (layouts.getFilter() == "K" + filter + "C" ||
          layouts.getFilter() == filter + "CK");
}

namespace {
struct ForwardToMatmul final : OpRewritePattern<ForwardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForwardOp op,
                                PatternRewriter &rewriter) const override;

private:
  /// The filter as a matrix, and whether its rows are the reduction.
  static std::pair<Value, bool> createFilterMatrix(ForwardOp op,
                                                   OpBuilder &builder);
  static Value createIm2col(ForwardOp op, OpBuilder &builder);
  static Value createMatmul(ForwardOp op, OpBuilder &builder);
  static Value createTail(ForwardOp op, Value product, OpBuilder &builder);
};
} // namespace

std::pair<Value, bool> ForwardToMatmul::createFilterMatrix(ForwardOp op,
                                                           OpBuilder &builder) {
  bool reductionFirst = op.getLayouts().getFilter().back() == 'K';
  int64_t rank = op.getFilter().getType().getRank();
  auto groups = reductionFirst ? leadingByLast(rank) : firstByTrailing(rank);
  return {tensor::CollapseShapeOp::create(builder, op.getLoc(), op.getFilter(),
                                          groups),
          reductionFirst};
}

Value ForwardToMatmul::createIm2col(ForwardOp op, OpBuilder &builder) {
  RankedTensorType input = op.getInput().getType();
  RankedTensorType filter = op.getFilter().getType();
  // "KRSC" has the spatial sizes in the middle, "RSCK" in front.
  bool reductionFirst = op.getLayouts().getFilter().back() == 'K';
  ArrayRef<int64_t> filterSizes =
      reductionFirst ? filter.getShape().drop_back(2) : innerSizes(filter);
  ArrayRef<int64_t> outputSizes = innerSizes(op.getOutput().getType());
  int64_t rows = input.getDimSize(0) * llvm::product_of(outputSizes);
  int64_t columns =
      llvm::product_of(filterSizes) * input.getDimSize(input.getRank() - 1);
  Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
  return Im2colOp::create(
      builder, op.getLoc(),
      RankedTensorType::get({rows, columns}, input.getElementType()),
      op.getInput(), zero, zero, ValueRange(), op.getWindow(), filterSizes,
      outputSizes);
}

Value ForwardToMatmul::createMatmul(ForwardOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value a = createIm2col(op, builder);
  auto [b, reductionFirst] = createFilterMatrix(op, builder);
  RankedTensorType output = op.getOutput().getType();
  int64_t rows = cast<RankedTensorType>(a.getType()).getDimSize(0);
  int64_t channels = output.getDimSize(output.getRank() - 1);

  Type accumulator = getAccumulatorType(op);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accumulator));
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{rows, channels}, accumulator);
  Value filled = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);

  AffineExpr m, n, k;
  bindDims(builder.getContext(), m, n, k);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(3, 0, results, builder.getContext());
  };
  auto matmul =
      linalg::MatmulOp::create(builder, loc, TypeRange{filled.getType()},
                               ValueRange{a, b}, ValueRange{filled});
  AffineMap filterMap = reductionFirst ? map({k, n}) : map({n, k});
  matmul.setIndexingMapsAttr(
      builder.getAffineMapArrayAttr({map({m, k}), filterMap, map({m, n})}));
  return matmul.getResult(0);
}

/// The body of a tail: that of the region, or the conversion without one.
static void buildTailBody(ForwardOp op, OpBuilder &builder, Location loc,
                          ValueRange elements) {
  Type element = op.getOutput().getType().getElementType();
  if (op.getTail().empty()) {
    Value value = elements.front();
    if (value.getType() != element)
      value = arith::TruncFOp::create(builder, loc, element, value);
    linalg::YieldOp::create(builder, loc, value);
    return;
  }
  Block &body = op.getTail().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), elements.drop_back());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  auto yield = cast<YieldOp>(body.getTerminator());
  linalg::YieldOp::create(builder, loc,
                          mapping.lookupOrDefault(yield.getValue()));
}

Value ForwardToMatmul::createTail(ForwardOp op, Value product,
                                  OpBuilder &builder) {
  Location loc = op.getLoc();
  RankedTensorType output = op.getOutput().getType();
  AffineMap both = builder.getMultiDimIdentityMap(2);
  AffineMap channel =
      AffineMap::get(2, 0, builder.getAffineDimExpr(1), builder.getContext());
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {both};
  for (Value operand : op.getTailOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    maps.push_back(isVector ? channel : both);
    inputs.push_back(
        isVector ? operand
                 : tensor::CollapseShapeOp::create(
                       builder, loc, operand, leadingByLast(output.getRank())));
  }
  maps.push_back(both);
  Value empty = tensor::EmptyOp::create(
      builder, loc, cast<RankedTensorType>(product.getType()).getShape(),
      output.getElementType());
  auto tail = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, inputs, ValueRange{empty}, maps,
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
        buildTailBody(op, nested, nestedLoc, elements);
      });
  tail->setAttr(kScheduleName, op.getScheduleAttr());
  return tail.getResult(0);
}

LogicalResult
ForwardToMatmul::matchAndRewrite(ForwardOp op,
                                 PatternRewriter &rewriter) const {
  if (!op.getSchedule() || op.getGroups() != 1)
    return rewriter.notifyMatchFailure(op, "no schedule, or groups");
  if (op.getSchedule()->getAlgorithm() != Algorithm::ImplicitGemm)
    return rewriter.notifyMatchFailure(op, "another algorithm");
  if (!isChannelsInnermost(op.getLayouts(), op.getWindow().getRank()))
    return rewriter.notifyMatchFailure(op, "channels are not innermost");

  Value product = createMatmul(op, rewriter);
  Value tail = createTail(op, product, rewriter);
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, op.getOutput().getType(), tail,
      leadingByLast(op.getOutput().getType().getRank()));
  return success();
}

namespace {
struct ConvertImplicitGemmPass final
    : mlir::conv::impl::ConvertImplicitGemmPassBase<ConvertImplicitGemmPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ForwardToMatmul>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
