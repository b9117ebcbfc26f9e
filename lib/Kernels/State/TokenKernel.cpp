//===- TokenKernel.cpp - dynamic convolutions of any length -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a dynamic convolution, in any direction, of which callers
// choose how many sequences and tokens there are. A work-item has a block of
// neighbouring tokens of a few channels: what its tokens see is read once.
//
//===----------------------------------------------------------------------===//

#include "TokenKernel.h"

#include "SequenceSearch.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of the registers of a work-item that hold kernels.
static constexpr int64_t kKernelBytes = 512;
/// Most tokens of a block.
static constexpr int64_t kMostTokens = 8;

TokenBuilder::TokenBuilder(DynamicOpInterface op, const StateAccess &access,
                           ArrayRef<StateTensor> tensors)
    : op(op), access(access), math(access.math), b(access.b), tensors(tensors),
      shape(op.getShape()), direction(op.getDirection()),
      accumulator(getAccumulatorType(op.getOperandType())),
      tapsLast(op.getOrder() == KernelOrder::BTGW) {
  selectChannels();
  int64_t room = kKernelBytes / (shape.w * kPieceBytes);
  if (direction == Direction::BackwardWeight)
    room /= shape.perGroup();
  tokens = std::min<int64_t>(
      kMostTokens, llvm::bit_floor<uint64_t>(std::max<int64_t>(room, 1)));
  if (!ShapedType::isDynamic(shape.t))
    tokens = std::min<int64_t>(tokens, llvm::PowerOf2Ceil(shape.t));
  std::optional<VectorExchange> planned = planExchange();
  if (planned && planned->allocate(access.function))
    exchange.emplace(*planned);
}

/// Neighbouring lanes access neighbouring vectors of kernels, if one holds all
/// taps of some channels: kernels are most of what is moved. Channels of a
/// work-item are whole groups, or of one group.
void TokenBuilder::selectChannels() {
  int64_t bytes = op.getOperandType().getIntOrFloatBitWidth() / 8;
  int64_t most = kPieceBytes / bytes;
  if (tapsLast && most % shape.w == 0)
    most /= shape.w;
  int64_t all = shape.perGroup();
  if (direction == Direction::BackwardWeight) {
    groups = std::gcd(std::max<int64_t>(most / all, 1), shape.g);
    perGroup = all;
  } else if (most % all == 0) {
    groups = std::gcd(most / all, shape.g);
    perGroup = all;
  } else {
    groups = 1;
    perGroup = std::gcd(most, all);
  }
  channels = groups * perGroup;
  chunks = shape.d / channels;
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
  // A GPU's items are fewer than 2^32 (M9): unsigned division of i32 will do.
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

Value TokenBuilder::isInside(int64_t distance) const {
  Value &known = inside[distance];
  if (!known)
    known = math.both(guard, isBelow(b, math.add(first, distance),
                                     access.getSize('T', shape.t)));
  return known;
}

Value TokenBuilder::getRow(const StateTensor &tensor, int64_t distance) const {
  return math.add(access.scale(tensor, 0, batch),
                  access.scale(tensor, 1, math.add(first, distance)));
}

Value TokenBuilder::getChannelOffset(const StateTensor &tensor,
                                     int64_t distance) const {
  return math.add(getRow(tensor, distance),
                  access.scale(tensor, 2, chunk, channels));
}

SmallVector<int64_t> TokenBuilder::listChannels(int64_t stride) const {
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < channels; ++i)
    places.push_back(i * stride);
  return places;
}

SmallVector<int64_t> TokenBuilder::listKernel(const StateTensor &tensor) const {
  SmallVector<int64_t> places;
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t w = 0; w < shape.w; ++w)
      places.push_back(group * tensor.strides[tapsLast ? 2 : 3] +
                       w * tensor.strides[tapsLast ? 3 : 2]);
  return places;
}

Value TokenBuilder::getKernelOffset(const StateTensor &tensor,
                                    int64_t distance) const {
  int64_t stride = tensor.strides[tapsLast ? 2 : 3];
  // Several items may have one group.
  int64_t shared = shape.perGroup() / perGroup;
  Value group = math.mul(math.div(chunk, shared), groups * stride);
  bool isOne =
      tensor.shape[0] == 1 && tensor.shape[1] == 1 && op.hasOneKernel();
  return isOne ? group : math.add(getRow(tensor, distance), group);
}

int64_t TokenBuilder::getKernelAlignment(const StateTensor &tensor) const {
  return getCommonAlignment({tensor.strides[0], tensor.strides[1],
                             groups * tensor.strides[tapsLast ? 2 : 3]});
}

TokenBuilder::Elements TokenBuilder::loadChannels(Value value,
                                                  int64_t distance) {
  const StateTensor &tensor = get(value);
  if (tensor.shape.size() == 1)
    return access.load(tensor, access.scale(tensor, 0, chunk, channels),
                       getCommonAlignment({channels * tensor.strides[0]}),
                       listChannels(tensor.strides[0]), guard);
  return access.load(tensor, getChannelOffset(tensor, distance),
                     getCommonAlignment({tensor.strides[0], tensor.strides[1],
                                         channels * tensor.strides[2]}),
                     listChannels(tensor.strides[2]), isInside(distance));
}

TokenBuilder::Elements TokenBuilder::loadKernelElements(Value value,
                                                        int64_t distance) {
  const StateTensor &tensor = get(value);
  return access.load(tensor, getKernelOffset(tensor, distance),
                     getKernelAlignment(tensor), listKernel(tensor),
                     isInside(distance));
}

TokenBuilder::Elements TokenBuilder::loadState(int64_t distance) {
  const StateTensor &state = get(op.getInitialState());
  Value token = math.add(first, distance);
  Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, token,
                                         math.constant(0));
  Value row = math.add(token, shape.w - 1);
  Value offset = math.add(
      math.add(access.scale(state, 0, batch), access.scale(state, 1, row)),
      access.scale(state, 2, chunk, channels));
  return access.load(state, offset,
                     getCommonAlignment({state.strides[0], state.strides[1],
                                         channels * state.strides[2]}),
                     listChannels(state.strides[2]),
                     math.both(guard, isBefore));
}

TokenBuilder::Elements TokenBuilder::getTokens(Value tensor, int64_t distance) {
  auto known = loaded.find({tensor, distance});
  if (known != loaded.end())
    return known->second;
  Elements elements = widen(loadChannels(tensor, distance));
  bool isInput = direction != Direction::BackwardData &&
                 tensor == op.getTensor(TensorRole::Input);
  // One of both is zero: a place is in a sequence or before it.
  if (op.getInitialState() && isInput && distance < 0)
    for (auto [element, state] :
         llvm::zip(elements, widen(loadState(distance))))
      element = isa<FloatType>(accumulator)
                    ? arith::AddFOp::create(b, element, state).getResult()
                    : arith::AddIOp::create(b, element, state).getResult();
  return loaded[{tensor, distance}] = elements;
}

TokenBuilder::Elements TokenBuilder::getKernel(int64_t distance) {
  Value kernel = op.getTensor(TensorRole::Filter);
  if (op.hasOneKernel()) // Loaded once.
    distance = 0;
  auto [entry, isNew] = loaded.try_emplace({kernel, distance});
  if (isNew)
    entry->second = widen(loadKernelElements(kernel, distance));
  return entry->second;
}

Value TokenBuilder::mask(Value element, int64_t token, int64_t distance) const {
  if (neighbours.empty() || distance == 0)
    return element;
  Value isSeen = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sge, neighbours[token], math.constant(distance));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  return arith::SelectOp::create(b, isSeen, element, zero);
}

TokenBuilder::Elements TokenBuilder::computeChannels(int64_t token) {
  bool isGradient = direction == Direction::BackwardData;
  Value factor = op->getOperand(0);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  Elements sums(channels, zero);
  for (int64_t w = 0; w < shape.w; ++w) {
    int64_t distance = shape.w - 1 - w;
    int64_t place = isGradient ? token + distance : token - distance;
    Elements seen = getTokens(factor, place);
    Elements kernel = getKernel(isGradient ? place : token);
    for (int64_t c = 0; c < channels; ++c) {
      Value tap = kernel[c / perGroup * shape.w + w];
      sums[c] =
          multiplyAdd(b, b.getLoc(), mask(seen[c], token, distance),
                      isGradient ? mask(tap, token, distance) : tap, sums[c]);
    }
  }
  return sums;
}

TokenBuilder::Elements TokenBuilder::computeKernel(int64_t token) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  Elements sums;
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t w = 0; w < shape.w; ++w) {
      int64_t distance = shape.w - 1 - w;
      Value sum = zero;
      for (int64_t member = 0; member < perGroup; ++member) {
        int64_t c = group * perGroup + member;
        Value seen = getTokens(op->getOperand(0), token - distance)[c];
        Value grad = getTokens(op->getOperand(1), token)[c];
        sum =
            multiplyAdd(b, b.getLoc(), mask(seen, token, distance), grad, sum);
      }
      sums.push_back(sum);
    }
  return sums;
}

void TokenBuilder::create(Value item, Value isItem) {
  locate(item, isItem);
  neighbours.clear();
  if (op.getCuSeqlens()) {
    Side side =
        direction == Direction::BackwardData ? Side::After : Side::Before;
    neighbours = countNeighbours(access, get(op.getCuSeqlens()), side, first,
                                 tokens, access.getSize('T', shape.t));
  }
  SmallVector<Elements> results;
  for (int64_t token = 0; token < tokens; ++token)
    results.push_back(direction == Direction::BackwardWeight
                          ? computeKernel(token)
                          : computeChannels(token));
  for (auto [token, sums] : llvm::enumerate(results))
    sums = applyEpilogue(sums, int64_t(token));
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
