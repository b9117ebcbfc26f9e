//===- ConvertImplicitGemm.cpp - convolution to matrix product -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and result are read and written through views (`MatrixProduct`), so
// no layout, direction or group costs a copy.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/MatrixProduct.h"
#include "conv/ToLinalg/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTIMPLICITGEMMPASS
#include "conv/ToLinalg/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
struct ConvolutionToProducts final
    : OpInterfaceRewritePattern<ConvolutionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOpInterface op,
                                PatternRewriter &rewriter) const override;

private:
  static Value createProduct(ConvolutionOpInterface op, const MatrixProduct &product,
                             OpBuilder &builder);
  static Value createTail(ConvolutionOpInterface op, const MatrixProduct &product,
                          Value matrices, OpBuilder &builder);
};
} // namespace

Value ConvolutionToProducts::createProduct(ConvolutionOpInterface op,
                                       const MatrixProduct &product,
                                       OpBuilder &builder) {
  Location loc = op.getLoc();
  Value lhs = GatherOp::create(builder, loc, op.getTensor(product.lhsRole),
                               product.lhs);
  Value rhs = GatherOp::create(builder, loc, op.getTensor(product.rhsRole),
                               product.rhs);
  Type accumulator = getAccumulatorType(op);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accumulator));
  Value empty = tensor::EmptyOp::create(
      builder, loc, product.result.getShape(), accumulator);
  Value filled = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);

  AffineExpr b, m, n, k;
  bindDims(builder.getContext(), b, m, n, k);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(4, 0, results, builder.getContext());
  };
  auto matmul = linalg::BatchMatmulOp::create(
      builder, loc, TypeRange{filled.getType()}, ValueRange{lhs, rhs},
      ValueRange{filled});
  matmul.setIndexingMapsAttr(builder.getAffineMapArrayAttr(
      {map({b, m, k}), map({b, n, k}), map({b, m, n})}));
  return matmul.getResult(0);
}

/// The body of a tail: that of the region, or the conversion without one.
static void buildTailBody(ConvolutionOpInterface op, OpBuilder &builder, Location loc,
                          ValueRange elements) {
  Type element = op.getResultType().getElementType();
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

Value ConvolutionToProducts::createTail(ConvolutionOpInterface op, const MatrixProduct &product,
                                    Value matrices, OpBuilder &builder) {
  Location loc = op.getLoc();
  Type element = op.getResultType().getElementType();
  SmallVector<Value> inputs = {matrices};
  for (Value operand : op.getTailOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    inputs.push_back(GatherOp::create(
        builder, loc, operand, isVector ? product.channels : product.result));
  }
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(3));
  Value empty = tensor::EmptyOp::create(builder, loc,
                                        product.result.getShape(), element);
  auto tail = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, inputs, ValueRange{empty}, maps,
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
        buildTailBody(op, nested, nestedLoc, elements);
      });
  tail->setAttr(kScheduleName, op.getScheduleAttr());
  return tail.getResult(0);
}

LogicalResult
ConvolutionToProducts::matchAndRewrite(ConvolutionOpInterface op,
                                   PatternRewriter &rewriter) const {
  ScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule)
    return rewriter.notifyMatchFailure(op, "no schedule");
  if (schedule.getAlgorithm() != Algorithm::ImplicitGemm)
    return rewriter.notifyMatchFailure(op, "another algorithm");

  RankedTensorType type = op.getResultType();
  Value result = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                         type.getElementType());
  for (const MatrixProduct &product : getMatrixProducts(op)) {
    Value matrices = createProduct(op, product, rewriter);
    Value elements = createTail(op, product, matrices, rewriter);
    result = ScatterOp::create(rewriter, op.getLoc(), elements, result,
                               product.result);
  }
  rewriter.replaceOp(op, result);
  return success();
}

namespace {
struct ConvertImplicitGemmPass final
    : mlir::conv::impl::ConvertImplicitGemmPassBase<ConvertImplicitGemmPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvolutionToProducts>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
