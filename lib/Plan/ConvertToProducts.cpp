//===- ConvertToProducts.cpp - convolutions to matrix products --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and results are read and written through views (`ConvolutionPlan`),
// so no layout, direction or group count requires a copy.
//
//===----------------------------------------------------------------------===//

#include "BlockTransformBody.h"
#include "CopyMatrices.h"
#include "DynamicToMatrices.h"
#include "ElementwiseToMatrices.h"

#include "conv/Dialect/Conv/IR/BlockViews.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/TransformViews.h"
#include "conv/Plan/ConvolutionPlan.h"
#include "conv/Plan/EpilogueBody.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Plan/Passes.h"
#include "conv/Plan/TransformSchedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTTOPRODUCTSPASS
#include "conv/Plan/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Creates the ops of all steps of one convolution's plan.
class PlanBuilder {
public:
  PlanBuilder(ConvolutionOpInterface op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder), accumulator(getAccumulatorType(op)) {}

  /// Creates all steps and returns the convolution's result.
  Value create();

private:
  Value createEmpty(ArrayRef<int64_t> shape, Type element) {
    return tensor::EmptyOp::create(b, shape, element);
  }
  Value createProduct(const MatrixProduct &product, ArrayRef<int64_t> shape);
  Value createEpilogueOps(const PlanSubproblem &subproblem, bool isLast);
  /// Creates the sum of the first `addends` elements.
  Value createSum(OpBuilder &nested, Location loc, ValueRange elements,
                  size_t addends);

  ConvolutionOpInterface op;
  ImplicitLocOpBuilder b;
  Type accumulator;
  SmallVector<Value> intermediates;
};
} // namespace

Value PlanBuilder::createProduct(const MatrixProduct &product,
                                 ArrayRef<int64_t> shape) {
  Value lhs = GatherOp::create(b, op.getTensor(product.lhsRole), product.lhs);
  Value rhs = GatherOp::create(b, op.getTensor(product.rhsRole), product.rhs);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  Value filled =
      linalg::FillOp::create(b, zero, createEmpty(shape, accumulator))
          .getResult(0);

  AffineExpr batch, m, n, k;
  bindDims(b.getContext(), batch, m, n, k);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(4, 0, results, b.getContext());
  };
  auto matmul = linalg::BatchMatmulOp::create(
      b, TypeRange{filled.getType()}, ValueRange{lhs, rhs}, ValueRange{filled});
  matmul.setIndexingMapsAttr(b.getAffineMapArrayAttr(
      {map({batch, m, k}), map({batch, n, k}), map({batch, m, n})}));
  return matmul.getResult(0);
}

Value PlanBuilder::createSum(OpBuilder &nested, Location loc,
                             ValueRange elements, size_t addends) {
  if (addends == 0)
    return arith::ConstantOp::create(nested, loc,
                                     nested.getZeroAttr(accumulator));
  Value sum = elements.front();
  for (Value term : elements.take_front(addends).drop_front())
    sum = isa<FloatType>(accumulator)
              ? arith::AddFOp::create(nested, loc, sum, term).getResult()
              : arith::AddIOp::create(nested, loc, sum, term).getResult();
  return sum;
}

Value PlanBuilder::createEpilogueOps(const PlanSubproblem &subproblem,
                                     bool isLast) {
  SmallVector<int64_t> shape = llvm::to_vector(subproblem.target.getShape());
  SmallVector<Value> inputs;
  if (subproblem.product)
    inputs.push_back(createProduct(*subproblem.product, shape));
  for (const PlanSubproblem::Term &term : subproblem.terms)
    inputs.push_back(
        GatherOp::create(b, intermediates[term.intermediate], term.view));
  size_t addends = inputs.size();
  if (isLast)
    for (Value operand : op.getEpilogueOperands()) {
      bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
      inputs.push_back(GatherOp::create(
          b, operand, isVector ? subproblem.channels : subproblem.target));
    }

  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(3));
  Value empty = createEmpty(shape, isLast ? op.getResultType().getElementType()
                                          : accumulator);
  auto epilogue = linalg::GenericOp::create(
      b, TypeRange{empty.getType()}, inputs, ValueRange{empty}, maps,
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        Value sum = createSum(nested, loc, elements, addends);
        if (isLast)
          sum = createEpilogueBody(nested, loc, op.getEpilogue(),
                                   op.getResultType().getElementType(), sum,
                                   elements.drop_front(addends).drop_back());
        linalg::YieldOp::create(nested, loc, sum);
      });
  epilogue->setAttr(kScheduleName, op.getScheduleAttr());
  return epilogue.getResult(0);
}

Value PlanBuilder::create() {
  ConvolutionPlan plan =
      planConvolution(op, getPlanOptions(op.getScheduleAttr()));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    intermediates.push_back(createEmpty(shape, accumulator));
  RankedTensorType type = op.getResultType();
  Value result = createEmpty(type.getShape(), type.getElementType());
  for (const PlanStep &step : plan.steps) {
    SmallVector<Value> elements;
    SmallVector<Attribute> views;
    for (const PlanSubproblem &subproblem : step.subproblems) {
      elements.push_back(
          createEpilogueOps(subproblem, /*isLast=*/!step.intermediate));
      views.push_back(subproblem.target);
    }
    Value &target =
        step.intermediate ? intermediates[*step.intermediate] : result;
    target = ScatterOp::create(b, target, elements, b.getArrayAttr(views));
  }
  return result;
}

namespace {
struct ConvolutionToProducts final
    : OpInterfaceRewritePattern<ConvolutionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOpInterface op,
                                PatternRewriter &rewriter) const override {
    ScheduleAttr schedule = op.getScheduleAttr();
    if (!schedule || !OperandForm::get(schedule).isFormOf(op))
      return rewriter.notifyMatchFailure(op, "no schedule, or another form");
    rewriter.replaceOp(op, PlanBuilder(op, rewriter).create());
    return success();
  }
};
} // namespace

/// Lets the transformed convolution read what callers packed, if its filter is
/// that, instead of the transforms of the filter.
static void readPackedFilter(PatternRewriter &rewriter,
                             ConvolutionOpInterface op,
                             ConvolutionOpInterface transformed) {
  auto unpack = lookThroughReshapes(op.getTensor(TensorRole::Filter))
                    .getDefiningOp<UnpackOp>();
  Value filter = transformed.getTensor(TensorRole::Filter);
  if (!unpack || unpack.getPacked().getType() != filter.getType())
    return;
  rewriter.modifyOpInPlace(transformed, [&] {
    transformed->replaceUsesOfWith(filter, unpack.getPacked());
  });
}

namespace {
/// Transforms operands first if the schedule asks for another form.
struct ConvolutionToItsForm final
    : OpInterfaceRewritePattern<ConvolutionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOpInterface op,
                                PatternRewriter &rewriter) const override {
    ScheduleAttr schedule = op.getScheduleAttr();
    if (!schedule || OperandForm::get(schedule).isFormOf(op))
      return rewriter.notifyMatchFailure(op, "has the form of its schedule");
    if (!OperandForm::get(schedule).findObstacle(op).empty())
      return rewriter.notifyMatchFailure(op, "has no such form");
    auto transformed = TransformedConvolution::create(
        rewriter, op, OperandForm::get(schedule));
    readPackedFilter(rewriter, op, transformed.op);
    rewriter.replaceOp(op, transformed.result);
    return success();
  }
};

/// A transform becomes a copy: source and result have the same matrices.
struct TransformToCopy final : OpRewritePattern<TransformOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransformOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    TransformViews views = TransformViews::get(op);
    Value copy = copyMatrices(rewriter, loc, op.getSource(), views.source,
                              type.getElementType(),
                              selectTransformSchedule(views.result, type));
    Value result = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                           type.getElementType());
    rewriter.replaceOpWithNewOp<ScatterOp>(op, result, copy,
                                           rewriter.getArrayAttr(views.result));
    return success();
  }
};

/// A block transform becomes an element-wise op on the matrices of the block's
/// places, with one result for each place in a block of the result.
struct BlockTransformToMatrices final : OpRewritePattern<BlockTransformOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockTransformOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getResultType();
    SmallVector<ViewAttr> targets = getPlaces(op.getTo());
    SmallVector<Value> inputs;
    for (ViewAttr place : getPlaces(op.getFrom()))
      inputs.push_back(GatherOp::create(b, op.getSource(), place));
    SmallVector<SmallVector<size_t>> operands =
        gatherEpilogueOperands(op, b, inputs);
    Value empty = tensor::EmptyOp::create(b, targets.front().getShape(),
                                          type.getElementType());
    SmallVector<Value> outputs(targets.size(), empty);
    SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                                b.getMultiDimIdentityMap(3));
    auto matrices = linalg::GenericOp::create(
        b, TypeRange(ValueRange(outputs)), inputs, outputs, maps,
        SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
        [&](OpBuilder &nested, Location loc, ValueRange elements) {
          BlockTransformBody body(op, nested);
          linalg::YieldOp::create(nested, loc, body.create(elements, operands));
        });
    matrices->setAttr(kScheduleName,
                      selectTransformSchedule(targets.front(), type));
    SmallVector<Attribute> views(targets.begin(), targets.end());
    Value result =
        tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<ScatterOp>(op, result, matrices.getResults(),
                                           b.getArrayAttr(views));
    return success();
  }

private:
  /// Adds the epilogue's operands to `inputs` and returns, for each place in a
  /// block of the result, their numbers among the inputs. Places that read the
  /// same operand view share one input.
  static SmallVector<SmallVector<size_t>>
  gatherEpilogueOperands(BlockTransformOp op, ImplicitLocOpBuilder &b,
                         SmallVectorImpl<Value> &inputs) {
    SmallVector<SmallVector<size_t>> operands(op.getTo().getShape()[0]);
    for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands())) {
      llvm::SmallDenseMap<ViewAttr, size_t> known;
      for (auto [place, view] :
           llvm::enumerate(getPlaces(op.getOperandView(i)))) {
        auto [entry, isNew] = known.try_emplace(view, inputs.size());
        if (isNew)
          inputs.push_back(GatherOp::create(b, operand, view));
        operands[place].push_back(entry->second);
      }
    }
    return operands;
  }
};

struct ConvertToProductsPass final
    : mlir::conv::impl::ConvertToProductsPassBase<ConvertToProductsPass> {
  void runOnOperation() override {
    forbidApproximations();
    RewritePatternSet patterns(&getContext());
    patterns.add<BlockTransformToMatrices, ConvolutionToItsForm,
                 ConvolutionToProducts, TransformToCopy>(&getContext());
    populateElementwiseToMatricesPatterns(patterns);
    populateDynamicToMatricesPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Fast-math flags of a program would let back ends approximate beyond the
  /// error bounds, which contain only what the plan itself allows.
  void forbidApproximations() {
    auto none = arith::FastMathFlagsAttr::get(&getContext(),
                                              arith::FastMathFlags::none);
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      auto flags =
          op->getAttrOfType<arith::FastMathFlagsAttr>(op.getFastMathAttrName());
      if (flags && flags != none)
        op->setAttr(op.getFastMathAttrName(), none);
    });
  }
};
} // namespace
