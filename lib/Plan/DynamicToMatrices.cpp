//===- DynamicToMatrices.cpp - dynamic convolutions -> matrices -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result is a sum of products that is written out. Results share what they
// read: an input's element is gathered once for all positions that see it. With
// packed sequences, what is farther away than the position has neighbours in
// its own sequence is replaced by zero.
//
//===----------------------------------------------------------------------===//

#include "DynamicToMatrices.h"

#include "conv/Dialect/Conv/IR/BlockViews.h"
#include "conv/Dialect/Conv/IR/DynamicViews.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Plan/EpilogueBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Builds an element-wise op of gathered matrices and scatters its results.
class MatrixBuilder {
public:
  MatrixBuilder(DynamicOpInterface op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder),
        accumulator(getAccumulatorType(op.getOperandType())) {}

  /// What `op` computes of its operands.
  Value createProducts();
  /// The result of `op` from partial sums: `sums` of neighbouring groups are
  /// added up.
  Value createSums(Value partial, int64_t sums);

private:
  /// Numbers of gathered matrices, and how far the first is from the result.
  struct Product {
    size_t lhs, rhs;
    std::optional<size_t> state;
    int64_t distance;
  };
  /// The number of a gathered matrix among the inputs.
  size_t gather(Value tensor, ViewAttr view);
  Product gatherFactors(const DynamicFactors &factors);
  void gatherEpilogueOperands(ViewAttr result, ViewAttr vector);
  /// The op whose results `body` makes of the elements of inputs.
  Value create(ArrayRef<ViewAttr> results, TransformScheduleAttr schedule,
               function_ref<SmallVector<Value>(ValueRange)> body);
  Value widen(Value element);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Value add(Value lhs, Value rhs);
  Value applyEpilogue(Value sum, size_t result, ValueRange elements);
  /// How many neighbours each token has on the side that its sums look at; null
  /// if sequences are not packed.
  Value countNeighbours(const DynamicViews &views);
  /// `element` if there are `distance` neighbours, else zero.
  Value mask(Value element, Value neighbours, int64_t distance);

  DynamicOpInterface op;
  ImplicitLocOpBuilder b;
  Type accumulator;
  llvm::MapVector<std::pair<Value, ViewAttr>, Value> inputs;
  SmallVector<SmallVector<size_t>> epilogueInputs; ///< By result.
};
} // namespace

size_t MatrixBuilder::gather(Value tensor, ViewAttr view) {
  auto [entry, isNew] = inputs.try_emplace({tensor, view});
  if (isNew)
    entry->second = GatherOp::create(b, tensor, view);
  return entry - inputs.begin();
}

void MatrixBuilder::gatherEpilogueOperands(ViewAttr result, ViewAttr vector) {
  SmallVector<size_t> &numbers = epilogueInputs.emplace_back();
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    numbers.push_back(gather(operand, isVector ? vector : result));
  }
}

Value MatrixBuilder::widen(Value element) {
  if (element.getType() == accumulator)
    return element;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(b, accumulator, element);
  return arith::ExtSIOp::create(b, accumulator, element);
}

Value MatrixBuilder::add(Value lhs, Value rhs) {
  if (isa<FloatType>(accumulator))
    return arith::AddFOp::create(b, lhs, rhs);
  return arith::AddIOp::create(b, lhs, rhs);
}

Value MatrixBuilder::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(accumulator))
    return math::FmaOp::create(b, lhs, rhs, sum);
  return add(sum, arith::MulIOp::create(b, lhs, rhs));
}

Value MatrixBuilder::applyEpilogue(Value sum, size_t result,
                                   ValueRange elements) {
  SmallVector<Value> read = llvm::map_to_vector(
      epilogueInputs[result], [&](size_t input) { return elements[input]; });
  return createEpilogueBody(b, op.getLoc(), op.getEpilogue(),
                            op.getResultType().getElementType(), sum, read);
}

Value MatrixBuilder::create(ArrayRef<ViewAttr> results,
                            TransformScheduleAttr schedule,
                            function_ref<SmallVector<Value>(ValueRange)> body) {
  RankedTensorType type = op.getResultType();
  SmallVector<Value> gathered = llvm::map_to_vector(
      inputs, [](const auto &input) { return input.second; });
  Value empty = tensor::EmptyOp::create(b, results.front().getShape(),
                                        type.getElementType());
  SmallVector<Value> outputs(results.size(), empty);
  SmallVector<AffineMap> maps(gathered.size() + outputs.size(),
                              b.getMultiDimIdentityMap(3));
  auto matrices = linalg::GenericOp::create(
      b, TypeRange(ValueRange(outputs)), gathered, outputs, maps,
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location, ValueRange elements) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(nested.getInsertionBlock());
        linalg::YieldOp::create(b, body(elements));
      });
  matrices->setAttr(kScheduleName, schedule);
  Value result =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<Attribute> views(results.begin(), results.end());
  return ScatterOp::create(b, result, matrices.getResults(),
                           b.getArrayAttr(views));
}

Value MatrixBuilder::countNeighbours(const DynamicViews &views) {
  TypedValue<RankedTensorType> cuSeqlens = op.getCuSeqlens();
  if (!cuSeqlens)
    return nullptr;
  Side side =
      op.getDirection() == Direction::BackwardData ? Side::After : Side::Before;
  int64_t limit = op.getShape().w - 1;
  auto type = RankedTensorType::get({views.countTokens()}, b.getI32Type());
  for (Operation *user : cuSeqlens.getUsers())
    if (auto same = dyn_cast<CountNeighboursOp>(user);
        same && same.getSide() == side && int64_t(same.getLimit()) == limit &&
        same.getResult().getType() == type)
      return same.getResult();
  // In front of all other ops that may want it.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(cuSeqlens);
  return CountNeighboursOp::create(b, type, side, cuSeqlens, limit);
}

Value MatrixBuilder::mask(Value element, Value neighbours, int64_t distance) {
  if (!neighbours || distance == 0)
    return element;
  Value least =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(distance)));
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, neighbours, least);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
  return arith::SelectOp::create(b, isInside, element, zero);
}

MatrixBuilder::Product
MatrixBuilder::gatherFactors(const DynamicFactors &factors) {
  Product product{gather(op->getOperand(0), factors.lhs),
                  gather(op->getOperand(1), factors.rhs), std::nullopt,
                  factors.distance};
  if (factors.state)
    product.state = gather(op.getInitialState(), factors.state);
  return product;
}

Value MatrixBuilder::createProducts() {
  DynamicViews views(op);
  SmallVector<DynamicSum> sums = views.getSums();
  SmallVector<SmallVector<Product>> products;
  SmallVector<ViewAttr> results;
  for (const DynamicSum &sum : sums) {
    products.emplace_back();
    for (const DynamicFactors &factors : sum.factors)
      products.back().push_back(gatherFactors(factors));
    results.push_back(views.getWritten(sum.result));
  }
  SmallVector<size_t> counts; // By sum.
  if (Value tokens = countNeighbours(views))
    for (const DynamicSum &sum : sums)
      counts.push_back(gather(tokens, views.getPosition(sum.position)));
  for (const DynamicSum &sum : sums)
    gatherEpilogueOperands(sum.result, views.getVector());
  auto body = [&](ValueRange elements) {
    SmallVector<Value> wide(elements.size());
    auto widened = [&](size_t input) {
      if (!wide[input])
        wide[input] = widen(elements[input]);
      return wide[input];
    };
    // Forward and for kernels, the second one is at the result's own position.
    bool areBothFar = op.getDirection() == Direction::BackwardData;
    SmallVector<Value> computed;
    for (auto [i, factors] : llvm::enumerate(products)) {
      Value neighbours = counts.empty() ? Value() : elements[counts[i]];
      // A product of -0 becomes 0, as in every sum.
      Value sum = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
      for (auto [lhs, rhs, state, distance] : factors) {
        Value left = mask(widened(lhs), neighbours, distance);
        // One of both is zero: a place is in a sequence or before it.
        if (state)
          left = add(left, widened(*state));
        Value right = areBothFar ? mask(widened(rhs), neighbours, distance)
                                 : widened(rhs);
        sum = multiplyAdd(left, right, sum);
      }
      computed.push_back(applyEpilogue(sum, i, elements));
    }
    return computed;
  };
  return create(results, views.selectSchedule(op.getResultType()), body);
}

Value MatrixBuilder::createSums(Value partial, int64_t sums) {
  DynamicShape shape = op.getShape();
  bool tapsLast = op.getOrder() == KernelOrder::BTGW;
  SmallVector<int64_t> columns = tapsLast
                                     ? SmallVector<int64_t>{shape.g, shape.w}
                                     : SmallVector<int64_t>{shape.w, shape.g};
  auto createView = [&](int64_t factor, int64_t constant) {
    AffineExpr matrix, sequence, token, outer, inner;
    bindDims(b.getContext(), matrix, sequence, token, outer, inner);
    AffineExpr &group = tapsLast ? outer : inner;
    group = group * factor + constant;
    auto map =
        AffineMap::get(5, 0, {sequence, token, outer, inner}, b.getContext());
    return ViewAttr::get(b.getContext(), {1}, {shape.b, shape.t}, columns, map,
                         {}, PaddingMode::Zeros);
  };
  SmallVector<size_t> terms;
  for (int64_t i = 0; i < sums; ++i)
    terms.push_back(gather(partial, createView(sums, i)));
  ViewAttr result = createView(/*factor=*/1, /*constant=*/0);
  gatherEpilogueOperands(result, /*vector=*/nullptr);
  auto body = [&](ValueRange elements) -> SmallVector<Value> {
    Value sum = elements[terms.front()];
    for (size_t term : ArrayRef(terms).drop_front())
      sum = add(sum, elements[term]);
    return {applyEpilogue(sum, /*result=*/0, elements)};
  };
  return create(result, selectBlockSchedule(result, op.getResultType()), body);
}

namespace {
struct DynamicToMatrices final : OpInterfaceRewritePattern<DynamicOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(DynamicOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (hasRunTimeSizes(op))
      return rewriter.notifyMatchFailure(op, "has a kernel of its own");
    if (op.getDirection() == Direction::BackwardWeight &&
        op.getShape().perGroup() > kMostMembers)
      return rewriter.notifyMatchFailure(op, "has partial sums");
    rewriter.replaceOp(op, MatrixBuilder(op, rewriter).createProducts());
    return success();
  }
};

/// The gradient for large groups is that for small ones, which are added up.
struct GroupsToPartialSums final : OpRewritePattern<DynamicBackwardKernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicBackwardKernelOp op,
                                PatternRewriter &rewriter) const override {
    if (hasRunTimeSizes(op))
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
        op.getInitialState(), /*epilogueOperands=*/ValueRange(), op.getOrder());
    MatrixBuilder builder(cast<DynamicOpInterface>(*op), rewriter);
    rewriter.replaceOp(op, builder.createSums(partial, sums));
    return success();
  }
};
} // namespace

void mlir::conv::populateDynamicToMatricesPatterns(
    RewritePatternSet &patterns) {
  patterns.add<DynamicToMatrices, GroupsToPartialSums>(patterns.getContext());
}
