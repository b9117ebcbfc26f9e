//===- TokenKernel.cpp - dynamic convolutions of any length -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a dynamic convolution, in any direction, whose numbers of
// sequences and tokens callers choose, or whose packed sequences have initial
// states. A work-item has a block of adjacent tokens of a few channels, and
// reads the input that these tokens share once.
//
//===----------------------------------------------------------------------===//

#include "TokenKernel.h"

#include "conv/Dialect/Conv/IR/DynamicProblem.h"
#include "conv/Plan/DynamicBlocks.h"
#include "conv/Plan/NormalizeTaps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::conv;

TokenBuilder::TokenBuilder(DynamicOpInterface op, const StateAccess &access,
                           ArrayRef<StateTensor> tensors)
    : op(op), access(access), math(access.math), b(access.b), tensors(tensors),
      shape(op.getShape()), direction(op.getDirection()),
      accumulator(getAccumulatorType(op.getOperandType())),
      tapsLast(op.getOrder() == KernelOrder::BTGW) {
  auto blocks = DynamicBlocks::compute(DynamicFacts::get(op), access.chip);
  tokens = blocks.positions;
  // Channels of a work-item are whole groups, or of one group.
  int64_t all = shape.perGroup();
  bool areGroups = direction == Direction::BackwardWeight;
  groups =
      areGroups ? blocks.elements : std::max<int64_t>(blocks.elements / all, 1);
  perGroup = areGroups ? all : std::min(blocks.elements, all);
  channels = groups * perGroup;
  chunks = shape.d / channels;
  std::optional<VectorExchange> planned = planExchange();
  if (planned && planned->allocate(access.function))
    exchange.emplace(*planned);
}

const StateTensor &TokenBuilder::get(Value tensor) const {
  if (tensor == op.getResultTensor())
    return tensors.back();
  return tensors[llvm::find(op->getOperands(), tensor) - op->operand_begin()];
}

TokenBuilder::Elements TokenBuilder::widen(Elements elements) const {
  for (Value &element : elements)
    element = widen(element);
  return elements;
}

void TokenBuilder::locate(Value item, Value isItem) {
  guard = isItem;
  inside.clear();
  loaded.clear();
  // A GPU has fewer than 2^32 items (M9), so unsigned i32 division suffices.
  IndexMath narrow(b, access.isOnHost() ? math.getType() : b.getI32Type());
  auto wide = [&](Value value) -> Value {
    return value.getType() == math.getType()
               ? value
               : b.createOrFold<arith::ExtUIOp>(math.getType(), value);
  };
  Value number = narrow.cast(item);
  chunk = wide(narrow.rem(number, chunks));
  Value rest = narrow.div(number, chunks);
  ItemCount blocks = access.multiply({}, 'T', shape.t, tokens);
  Value count = narrow.cast(access.getCount(blocks));
  batch = wide(b.createOrFold<arith::DivUIOp>(rest, count));
  Value block = wide(b.createOrFold<arith::RemUIOp>(rest, count));
  first = math.mul(block, tokens);
}

TokenBuilder::Elements TokenBuilder::computeChannels(int64_t token) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  Elements sums(channels, zero);
  for (int64_t w = 0; w < shape.w; ++w) {
    int64_t distance = shape.w - 1 - w;
    Elements seen = getSeen(op->getOperand(0), token, distance);
    Elements kernel = getKernel(getKernelPlace(token, distance));
    for (int64_t c = 0; c < channels; ++c) {
      Value tap = kernel[c / perGroup * shape.w + w];
      // A gradient may also read the kernel of another sequence's token.
      if (isGradientOfInput())
        tap = mask(tap, token, distance);
      sums[c] = multiplyAdd(b, b.getLoc(), seen[c], tap, sums[c]);
    }
  }
  return sums;
}

void TokenBuilder::addKernel(int64_t token, Value distance, Elements &sums) {
  // What is loaded in the loop is not seen after it.
  llvm::SaveAndRestore place(first, math.add(first, distance));
  llvm::SaveAndRestore noneInside(inside, decltype(inside)());
  llvm::SaveAndRestore noneLoaded(loaded, decltype(loaded)());
  Elements grads = getTokens(op->getOperand(0), token);
  Elements kernel = getKernel(token);
  Elements taps(groups);
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t w = 0; w < shape.w; ++w) {
      Value tap = kernel[group * shape.w + w];
      Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, distance,
                                         math.constant(shape.w - 1 - w));
      taps[group] =
          w == 0
              ? tap
              : arith::SelectOp::create(b, isIt, tap, taps[group]).getResult();
    }
  for (int64_t c = 0; c < channels; ++c)
    sums[c] = multiplyAdd(b, b.getLoc(), mask(grads[c], token, distance),
                          mask(taps[c / perGroup], token, distance), sums[c]);
}

TokenBuilder::Elements TokenBuilder::computeChannelsByKernel(int64_t token) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  auto loop = scf::ForOp::create(b, math.constant(0), math.constant(shape.w),
                                 math.constant(1), Elements(channels, zero));
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(loop.getBody());
  Elements sums(loop.getRegionIterArgs());
  addKernel(token, loop.getInductionVar(), sums);
  scf::YieldOp::create(b, sums);
  return loop.getResults();
}

TokenBuilder::Elements TokenBuilder::computeKernel(int64_t token) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  Elements sums(groups * shape.w, zero);
  Elements grad = getTokens(op->getOperand(1), token);
  for (int64_t w = 0; w < shape.w; ++w) {
    Elements seen = getSeen(op->getOperand(0), token, shape.w - 1 - w);
    for (int64_t c = 0; c < channels; ++c) {
      Value &sum = sums[c / perGroup * shape.w + w];
      sum = multiplyAdd(b, b.getLoc(), seen[c], grad[c], sum);
    }
  }
  if (!op.isNormalized())
    return sums;
  Elements kernel = widen(loadKernelElements(op.getGivenKernel(), token));
  Elements result;
  for (int64_t group = 0; group < groups; ++group)
    llvm::append_range(result,
                       createNormalizationGradient(
                           b, b.getLoc(), op.getNormalize(),
                           ArrayRef(kernel).slice(group * shape.w, shape.w),
                           ArrayRef(sums).slice(group * shape.w, shape.w)));
  return result;
}

SmallVector<TokenBuilder::Elements> TokenBuilder::computeSums() {
  SmallVector<Elements> sums;
  for (int64_t token = 0; token < tokens; ++token)
    sums.push_back(direction == Direction::BackwardWeight ? computeKernel(token)
                   : normalizesManyKernels(op) ? computeChannelsByKernel(token)
                                               : computeChannels(token));
  return sums;
}

void TokenBuilder::loadAll() {
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t distance = 0; distance < shape.w; ++distance) {
      getTokens(op->getOperand(0), getSeenPlace(token, distance));
      if (direction == Direction::BackwardWeight)
        getTokens(op->getOperand(1), token);
      else
        getKernel(getKernelPlace(token, distance));
    }
}

SmallVector<TokenBuilder::Elements> TokenBuilder::computePackedSums() {
  if (!normalizesManyKernels(op))
    loadAll();
  const StateTensor &starts = get(op.getCuSeqlens());
  Side side = isGradientOfInput() ? Side::After : Side::Before;
  TokenBlock block{first, tokens, access.getSize('T', shape.t)};
  int64_t sums =
      direction == Direction::BackwardWeight ? groups * shape.w : channels;
  auto yield = [&] {
    SmallVector<Value> all;
    for (const Elements &each : computeSums())
      llvm::append_range(all, each);
    scf::YieldOp::create(b, all);
  };
  auto chosen = scf::IfOp::create(
      b, SmallVector<Type>(tokens * sums, accumulator),
      isInsideSequence(access, starts, side, block, shape.w - 1),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(chosen.thenBlock());
  yield();
  b.setInsertionPointToStart(chosen.elseBlock());
  neighbours = findNeighbours(access, starts, side, block);
  yield();
  neighbours = {};
  SmallVector<Elements> result;
  for (int64_t token = 0; token < tokens; ++token)
    result.emplace_back(chosen.getResults().slice(token * sums, sums));
  return result;
}

void TokenBuilder::create(Value item, Value isItem) {
  locate(item, isItem);
  SmallVector<Elements> results =
      op.getCuSeqlens() ? computePackedSums() : computeSums();
  applyEpilogue(results);
  if (exchange)
    return storeExchanged(results, item);
  for (auto [token, elements] : llvm::enumerate(results))
    store(elements, int64_t(token));
}

StateBody mlir::conv::createTokens(DynamicOpInterface op,
                                   const StateAccess &access,
                                   ArrayRef<StateTensor> tensors) {
  auto builder = std::make_shared<TokenBuilder>(op, access, tensors);
  return {builder->countItems(),
          [builder](Value item, Value guard) { builder->create(item, guard); }};
}
