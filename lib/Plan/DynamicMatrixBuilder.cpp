//===- DynamicMatrixBuilder.cpp - sums of a dynamic convolution -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result is an unrolled sum of products. Results share their inputs: an
// input element is gathered once for all positions that read it, and a kernel
// is normalized once. With packed sequences, an element is replaced by zero if
// its distance exceeds the number of neighbours in the sequence.
//
//===----------------------------------------------------------------------===//

#include "DynamicMatrixBuilder.h"

#include "conv/Plan/EpilogueBody.h"
#include "conv/Plan/NormalizeTaps.h"
#include "conv/Plan/TransformSchedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

size_t DynamicMatrixBuilder::gather(Value tensor, ViewAttr view) {
  auto [entry, isNew] = inputs.try_emplace({tensor, view});
  if (isNew)
    entry->second = GatherOp::create(b, tensor, view);
  return entry - inputs.begin();
}

void DynamicMatrixBuilder::gatherEpilogueOperands(ViewAttr result,
                                                  ViewAttr vector) {
  SmallVector<size_t> &numbers = epilogueInputs.emplace_back();
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    numbers.push_back(gather(operand, isVector ? vector : result));
  }
}

Value DynamicMatrixBuilder::widen(Value element) {
  if (element.getType() == accumulator)
    return element;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(b, accumulator, element);
  return arith::ExtSIOp::create(b, accumulator, element);
}

Value DynamicMatrixBuilder::add(Value lhs, Value rhs) {
  if (isa<FloatType>(accumulator))
    return arith::AddFOp::create(b, lhs, rhs);
  return arith::AddIOp::create(b, lhs, rhs);
}

Value DynamicMatrixBuilder::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(accumulator))
    return math::FmaOp::create(b, lhs, rhs, sum);
  return add(sum, arith::MulIOp::create(b, lhs, rhs));
}

Value DynamicMatrixBuilder::applyEpilogue(Value sum, size_t result,
                                          ValueRange elements) {
  SmallVector<Value> read = llvm::map_to_vector(
      epilogueInputs[result], [&](size_t input) { return elements[input]; });
  return createEpilogueBody(b, op.getLoc(), op.getEpilogue(),
                            op.getResultType().getElementType(), sum, read);
}

Value DynamicMatrixBuilder::create(
    ArrayRef<ViewAttr> results, TransformScheduleAttr schedule,
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

Value DynamicMatrixBuilder::countNeighbours() {
  TypedValue<RankedTensorType> cuSeqlens = op.getCuSeqlens();
  if (!cuSeqlens || (views.isStream() && op.getShape().w == 1))
    return nullptr;
  Side side = views.countedSide();
  int64_t limit = views.countedLimit();
  auto type = RankedTensorType::get({views.countTokens()},
                                    b.getIntegerType(views.countedBits()));
  for (Operation *user : cuSeqlens.getUsers())
    if (auto same = dyn_cast<CountNeighboursOp>(user);
        same && same.getSide() == side && int64_t(same.getLimit()) == limit &&
        same.getResult().getType() == type)
      return same.getResult();
  // Insert the op before all others that may use it.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(cuSeqlens);
  return CountNeighboursOp::create(b, type, side, cuSeqlens, limit);
}

Value DynamicMatrixBuilder::mask(Value element, Value neighbours,
                                 int64_t distance) {
  if (distance == 0)
    return element;
  Value least = arith::ConstantOp::create(
      b, b.getIntegerAttr(neighbours.getType(), distance));
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, neighbours, least);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
  return arith::SelectOp::create(b, isInside, element, zero);
}

/// The position of the kernel that is the second factor of a product.
static int64_t getKernelPosition(DynamicOpInterface op, const DynamicSum &sum,
                                 int64_t distance) {
  bool isAtInput = op.getDirection() == Direction::BackwardData;
  return isAtInput ? sum.position + distance : sum.position;
}

DynamicMatrixBuilder::Product
DynamicMatrixBuilder::gatherFactors(const DynamicFactors &factors) {
  Product product{gather(op->getOperand(0), factors.lhs), 0, std::nullopt,
                  factors.distance};
  bool isNormalized =
      op.isNormalized() && op.getDirection() != Direction::BackwardWeight;
  if (!isNormalized)
    product.rhs = gather(op->getOperand(1), factors.rhs);
  if (factors.state)
    product.state = gather(op.getInitialState(), factors.state);
  return product;
}

void DynamicMatrixBuilder::gatherProducts(ArrayRef<DynamicSum> sums) {
  for (const DynamicSum &sum : sums) {
    products.emplace_back();
    for (const DynamicFactors &factors : sum.factors)
      products.back().push_back(gatherFactors(factors));
  }
}

void DynamicMatrixBuilder::gatherKernels(ArrayRef<DynamicSum> sums) {
  if (!op.isNormalized())
    return;
  bool isGradient = op.getDirection() == Direction::BackwardWeight;
  Value kernel =
      isGradient ? Value(op.getGivenKernel()) : Value(op->getOperand(1));
  for (const DynamicSum &sum : sums)
    for (const DynamicFactors &factors : sum.factors) {
      int64_t position = getKernelPosition(op, sum, factors.distance);
      auto [entry, isNew] = kernels.try_emplace(position);
      if (isNew)
        for (ViewAttr tap : views.getTaps(position))
          entry->second.push_back(gather(kernel, tap));
    }
}

Value DynamicMatrixBuilder::widen(size_t input, ValueRange elements) {
  wide.resize(elements.size());
  if (!wide[input])
    wide[input] = widen(elements[input]);
  return wide[input];
}

SmallVector<Value> DynamicMatrixBuilder::getTaps(int64_t position,
                                                 ValueRange elements,
                                                 bool areNormalized) {
  auto widenAll = [&] {
    return llvm::map_to_vector(kernels[position], [&](size_t input) {
      return widen(input, elements);
    });
  };
  if (!areNormalized)
    return widenAll();
  auto [entry, isNew] = taps.try_emplace(position);
  if (isNew)
    entry->second =
        createNormalizedTaps(b, op.getLoc(), op.getNormalize(), widenAll());
  return entry->second;
}

void DynamicMatrixBuilder::gatherNeighbours(ArrayRef<DynamicSum> sums) {
  Value tokens = countNeighbours();
  if (!tokens)
    return;
  auto add = [&](int64_t position) {
    neighbours[position] = gather(tokens, views.getPosition(position));
  };
  for (const DynamicSum &sum : sums) {
    if (!views.isStream())
      add(sum.position);
    else if (op.getDirection() == Direction::BackwardData)
      for (int64_t i = 0; i < op.getShape().w; ++i)
        add(sum.position + i);
    else
      for (int64_t i = op.getShape().w - 2; i >= 0; --i)
        add(sum.position - i);
  }
}

Value DynamicMatrixBuilder::see(const Product &factor, int64_t position,
                                ValueRange elements) {
  Value element = widen(factor.lhs, elements);
  if (neighbours.empty() || factor.distance == 0)
    return element;
  if (!views.isStream())
    return mask(element, elements[neighbours.lookup(position)],
                factor.distance);
  std::pair<size_t, int64_t> key(factor.lhs, position);
  if (Value known = seen.lookup(key))
    return known;
  Product nearer = factor;
  --nearer.distance;
  return seen[key] =
             forget(see(nearer, position - 1, elements), position, elements);
}

Value DynamicMatrixBuilder::forget(Value value, int64_t position,
                                   ValueRange elements) {
  return mask(value, elements[neighbours.lookup(position)], /*distance=*/1);
}

Value DynamicMatrixBuilder::createSum(const DynamicSum &sum,
                                      ArrayRef<Product> factors,
                                      ValueRange elements) {
  // Forward and in kernel gradients, the right factor is at the result.
  bool areBothFar = op.getDirection() == Direction::BackwardData;
  bool hasTaps =
      op.isNormalized() && op.getDirection() != Direction::BackwardWeight;
  bool forgets = areBothFar && views.isStream() && !neighbours.empty();
  // The sum starts from 0, so that a product of -0 becomes 0 as in every sum.
  Value total = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  for (auto [tap, factor] : llvm::enumerate(factors)) {
    Value left = forgets ? widen(factor.lhs, elements)
                         : see(factor, sum.position, elements);
    // One of the two is zero: a position is either in a sequence or before it.
    if (factor.state)
      left = add(left, widen(*factor.state, elements));
    int64_t position = getKernelPosition(op, sum, factor.distance);
    Value right = hasTaps ? getTaps(position, elements,
                                    /*areNormalized=*/true)[tap]
                          : widen(factor.rhs, elements);
    if (areBothFar && !forgets && !neighbours.empty())
      right = mask(right, elements[neighbours.lookup(sum.position)],
                   factor.distance);
    total = multiplyAdd(left, right, total);
    // What comes before the start of a sequence does not see it.
    if (forgets && factor.distance > 0)
      total = forget(total, position, elements);
  }
  return total;
}

void DynamicMatrixBuilder::createGradients(ArrayRef<DynamicSum> sums,
                                           MutableArrayRef<Value> computed,
                                           ValueRange elements) {
  if (!op.isNormalized() || op.getDirection() != Direction::BackwardWeight)
    return;
  // The sums of all taps of one position are contiguous.
  int64_t count = op.getShape().w;
  for (size_t first = 0; first < sums.size(); first += count) {
    MutableArrayRef<Value> ofKernel = computed.slice(first, count);
    llvm::copy(
        createNormalizationGradient(b, op.getLoc(), op.getNormalize(),
                                    getTaps(sums[first].position, elements,
                                            /*areNormalized=*/false),
                                    ofKernel),
        ofKernel.begin());
  }
}

Value DynamicMatrixBuilder::createProducts() {
  SmallVector<DynamicSum> sums = views.getSums();
  gatherProducts(sums);
  gatherKernels(sums);
  SmallVector<ViewAttr> results =
      llvm::map_to_vector(sums, [&](const DynamicSum &sum) {
        return views.getWritten(sum.result);
      });
  gatherNeighbours(sums);
  for (const DynamicSum &sum : sums)
    gatherEpilogueOperands(sum.result, views.getVector());
  auto body = [&](ValueRange elements) {
    SmallVector<Value> computed;
    for (auto [i, sum] : llvm::enumerate(sums))
      computed.push_back(createSum(sum, products[i], elements));
    createGradients(sums, computed, elements);
    for (auto [i, sum] : llvm::enumerate(computed))
      sum = applyEpilogue(sum, i, elements);
    return computed;
  };
  return create(
      results,
      TransformScheduleAttr::get(b.getContext(), blocks.tile, blocks.elements),
      body);
}

Value DynamicMatrixBuilder::createSums(Value partial, int64_t sums) {
  DynamicShape shape = op.getShape();
  bool tapsLast = op.getOrder() == KernelOrder::BTGW;
  // If the taps of a kernel depend on each other, each op has all of them as
  // results; otherwise they are columns.
  int64_t results = op.isNormalized() ? shape.w : 1;
  int64_t taps = shape.w / results;
  SmallVector<int64_t> columns = tapsLast ? SmallVector<int64_t>{shape.g, taps}
                                          : SmallVector<int64_t>{taps, shape.g};
  auto createView = [&](int64_t factor, int64_t constant, int64_t firstTap) {
    AffineExpr matrix, sequence, token, outer, inner;
    bindDims(b.getContext(), matrix, sequence, token, outer, inner);
    AffineExpr &group = tapsLast ? outer : inner;
    AffineExpr &tap = tapsLast ? inner : outer;
    group = group * factor + constant;
    tap = tap + firstTap;
    auto map =
        AffineMap::get(5, 0, {sequence, token, outer, inner}, b.getContext());
    return ViewAttr::get(b.getContext(), {1}, {shape.b, shape.t}, columns, map,
                         {}, PaddingMode::Zeros);
  };
  SmallVector<SmallVector<size_t>> terms; // By result.
  SmallVector<ViewAttr> views;
  for (int64_t tap = 0; tap < results; ++tap) {
    terms.emplace_back();
    for (int64_t i = 0; i < sums; ++i)
      terms.back().push_back(gather(partial, createView(sums, i, tap)));
    views.push_back(createView(/*factor=*/1, /*constant=*/0, tap));
    if (op.isNormalized())
      kernels[0].push_back(gather(op.getGivenKernel(), views.back()));
    gatherEpilogueOperands(views.back(), /*vector=*/nullptr);
  }
  auto body = [&](ValueRange elements) {
    SmallVector<Value> computed;
    for (ArrayRef<size_t> ofResult : terms) {
      Value sum = elements[ofResult.front()];
      for (size_t term : ofResult.drop_front())
        sum = add(sum, elements[term]);
      computed.push_back(sum);
    }
    if (op.isNormalized())
      computed = createNormalizationGradient(
          b, op.getLoc(), op.getNormalize(),
          getTaps(0, elements, /*areNormalized=*/false), computed);
    for (auto [i, sum] : llvm::enumerate(computed))
      sum = applyEpilogue(sum, i, elements);
    return computed;
  };
  return create(
      views, selectTransformSchedule(views.front(), op.getResultType()), body);
}
