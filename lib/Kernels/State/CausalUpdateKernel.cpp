//===- CausalUpdateKernel.cpp - the kernel of a decoding step ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item has all tokens of its channels. It reads all that it needs of
// their states before it writes any. No other work-item has the same channels
// of the same state, so the new state may replace the old one in place.
//
//===----------------------------------------------------------------------===//

#include "StateAccess.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Plan/EpilogueBody.h"

using namespace mlir;
using namespace mlir::conv;

/// The most elements of tokens and states that a work-item reads.
static constexpr int64_t kMostElements = 128;

/// The number of the newest tokens of a state that are read.
static int64_t countPast(CausalUpdateOp op) {
  UpdateShape shape = op.getShape();
  return op.getPositions() ? shape.w - 1
                           : std::max(shape.w - 1, shape.length - shape.t);
}

/// The channels of a work-item.
static int64_t countUpdateChannels(CausalUpdateOp op,
                                   const ::conv::ChipInfo &chip) {
  UpdateShape shape = op.getShape();
  return countChannels(chip, shape.d, assumeSequences(shape.b) * shape.d,
                       getElementTypeOrSelf(op.getInput()),
                       kMostElements / (countPast(op) + shape.t));
}

UpdateItems mlir::conv::countUpdateItems(CausalUpdateOp op,
                                         const ::conv::ChipInfo &chip) {
  UpdateShape shape = op.getShape();
  int64_t channels = countUpdateChannels(op, chip);
  int64_t elements = countPast(op) + shape.t + shape.w;
  for (Value operand : op.getEpilogueOperands())
    elements +=
        cast<ShapedType>(operand.getType()).getRank() == 3 ? shape.t : 1;
  return {shape.d / channels * assumeSequences(shape.b),
          channels * elements * getElementBytes(op.getInput().getType())};
}

namespace {
class UpdateBuilder {
public:
  UpdateBuilder(CausalUpdateOp op, const StateAccess &access,
                ArrayRef<StateTensor> tensors);

  ItemCount countItems() const {
    return access.multiply({chunks, {}}, 'B', shape.b);
  }
  void create(Value item, Value guard) const;

private:
  /// The position of a work-item.
  struct Place {
    Value batch, chunk, slot;
    Value guard;  ///< Whether the item exists.
    Value isReal; ///< Whether it also has a state.
    Value first;  ///< Place of the first new token in the circular state.
  };
  const StateTensor &get(Value operand) const;
  Place locate(Value item, Value guard) const;
  /// Offsets of the work-item's channels at `count` places, `stride` apart,
  /// from place `first` on. All places of a channel are consecutive.
  SmallVector<int64_t> list(int64_t channelStride, int64_t first, int64_t count,
                            int64_t stride) const;
  /// The offset in a tensor of [*, D, ...] of the channels of `row`.
  Value getOffset(const StateTensor &tensor, Value row, Value chunk) const;
  int64_t getAlignment(const StateTensor &tensor) const;

  using Tokens = SmallVector<SmallVector<Value>>; ///< By channel.
  Tokens group(ArrayRef<Value> elements, int64_t count) const;
  /// The last tokens of states. The last one of them directly precedes the
  /// first new token.
  Tokens loadPast(const Place &place) const;
  Tokens loadRows(const StateTensor &tensor, Value row, const Place &place,
                  Value guard) const;
  Value createRingOffset(const Place &place, Value position) const;
  void storeShifted(const Place &place, const Tokens &tokens) const;
  void storeInRing(const Place &place, const Tokens &input) const;
  SmallVector<Value> computeOutput(const Tokens &tokens, ArrayRef<Value> taps,
                                   ArrayRef<Tokens> operands) const;
  void createOutput(const Place &place, const Tokens &tokens) const;
  Value applyEpilogue(Value sum, ArrayRef<Value> operands) const {
    return createEpilogueBody(b, b.getLoc(), op.getEpilogue(),
                              getElementTypeOrSelf(op.getOutput()), sum,
                              operands);
  }

  mutable CausalUpdateOp op; ///< Its accessors are not const.
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  ArrayRef<StateTensor> tensors;
  UpdateShape shape;
  Type accumulator;
  int64_t past;             ///< Number of state tokens that are read.
  int64_t channels, chunks; ///< Per work-item, and chunks in total.
};
} // namespace

UpdateBuilder::UpdateBuilder(CausalUpdateOp op, const StateAccess &access,
                             ArrayRef<StateTensor> tensors)
    : op(op), access(access), math(access.math), b(access.b), tensors(tensors),
      shape(op.getShape()),
      accumulator(getAccumulatorType(getElementTypeOrSelf(op.getInput()))),
      past(countPast(op)), channels(countUpdateChannels(op, access.chip)),
      chunks(shape.d / channels) {}

const StateTensor &UpdateBuilder::get(Value operand) const {
  return tensors[llvm::find(op->getOperands(), operand) - op->operand_begin()];
}

UpdateBuilder::Place UpdateBuilder::locate(Value item, Value guard) const {
  Place place;
  place.batch = math.div(item, chunks);
  place.chunk = math.rem(item, chunks);
  place.guard = place.isReal = guard;
  place.slot = place.batch;
  IndexMath wide(b, b.getI64Type());
  if (op.getIndices()) {
    Value index = access.loadNumber(get(op.getIndices()), place.batch, guard);
    place.isReal = math.both(
        guard, isBelow(b, index, access.getSize('S', shape.states, wide)));
    place.slot = math.cast(index);
  }
  if (op.getPositions()) {
    Value position =
        access.loadNumber(get(op.getPositions()), place.batch, guard);
    Value length = wide.constant(shape.length);
    Value rest = b.createOrFold<arith::RemSIOp>(position, length);
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rest,
                                             wide.constant(0));
    place.first = math.cast(
        arith::SelectOp::create(b, isNegative, wide.add(rest, length), rest));
  }
  return place;
}

SmallVector<int64_t> UpdateBuilder::list(int64_t channelStride, int64_t first,
                                         int64_t count, int64_t stride) const {
  SmallVector<int64_t> places;
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t i = first; i < first + count; ++i)
      places.push_back(channel * channelStride + i * stride);
  return places;
}

Value UpdateBuilder::getOffset(const StateTensor &tensor, Value row,
                               Value chunk) const {
  return math.add(math.mul(row, tensor.strides[0]),
                  math.mul(chunk, channels * tensor.strides[1]));
}

int64_t UpdateBuilder::getAlignment(const StateTensor &tensor) const {
  return getCommonAlignment({tensor.strides[0], channels * tensor.strides[1]});
}

UpdateBuilder::Tokens UpdateBuilder::group(ArrayRef<Value> elements,
                                           int64_t count) const {
  Tokens grouped;
  for (int64_t channel = 0; channel < channels; ++channel)
    grouped.emplace_back(elements.slice(channel * count, count));
  return grouped;
}

Value UpdateBuilder::createRingOffset(const Place &place,
                                      Value position) const {
  const StateTensor &state = get(op.getState());
  return math.add(getOffset(state, place.slot, place.chunk),
                  math.mul(position, state.strides[2]));
}

UpdateBuilder::Tokens UpdateBuilder::loadPast(const Place &place) const {
  const StateTensor &state = get(op.getState());
  int64_t alignment = getAlignment(state);
  if (!op.getPositions())
    return group(access.load(state, getOffset(state, place.slot, place.chunk),
                             alignment,
                             list(state.strides[1], shape.length - past, past,
                                  state.strides[2]),
                             place.isReal),
                 past);
  Tokens tokens(channels);
  for (int64_t i = past; i > 0; --i) {
    Value position = math.sub(place.first, i);
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                             position, math.constant(0));
    position = arith::SelectOp::create(
        b, isNegative, math.add(position, shape.length), position);
    SmallVector<Value> elements =
        access.load(state, createRingOffset(place, position),
                    getCommonAlignment({alignment, state.strides[2]}),
                    list(state.strides[1], 0, 1, 1), place.isReal);
    for (auto [channel, element] : llvm::zip(tokens, elements))
      channel.push_back(element);
  }
  return tokens;
}

UpdateBuilder::Tokens UpdateBuilder::loadRows(const StateTensor &tensor,
                                              Value row, const Place &place,
                                              Value guard) const {
  return group(access.load(tensor, getOffset(tensor, row, place.chunk),
                           getAlignment(tensor),
                           list(tensor.strides[1], 0, tensor.shape[2],
                                tensor.strides[2]),
                           guard),
               tensor.shape[2]);
}

void UpdateBuilder::storeShifted(const Place &place,
                                 const Tokens &tokens) const {
  const StateTensor &state = get(op.getState());
  SmallVector<Value> elements;
  for (ArrayRef<Value> channel : tokens)
    llvm::append_range(elements, channel.take_back(shape.length));
  access.store(elements, state, getOffset(state, place.slot, place.chunk),
               getAlignment(state),
               list(state.strides[1], 0, shape.length, state.strides[2]),
               place.isReal);
}

void UpdateBuilder::storeInRing(const Place &place, const Tokens &input) const {
  const StateTensor &state = get(op.getState());
  for (int64_t t = std::max<int64_t>(0, shape.t - shape.length); t < shape.t;
       ++t) {
    Value position = math.rem(math.add(place.first, t), shape.length);
    SmallVector<Value> elements = llvm::map_to_vector(
        input, [&](const SmallVector<Value> &channel) { return channel[t]; });
    access.store(elements, state, createRingOffset(place, position),
                 getCommonAlignment({getAlignment(state), state.strides[2]}),
                 list(state.strides[1], 0, 1, 1), place.isReal);
  }
}

SmallVector<Value>
UpdateBuilder::computeOutput(const Tokens &tokens, ArrayRef<Value> taps,
                             ArrayRef<Tokens> operands) const {
  Location loc = b.getLoc();
  SmallVector<Value> results;
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t t = 0; t < shape.t; ++t) {
      Value sum = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
      for (int64_t w = 0; w < shape.w; ++w)
        sum = multiplyAdd(
            b, loc,
            widenElement(b, loc, tokens[channel][past + t + w - (shape.w - 1)],
                         accumulator),
            widenElement(b, loc, taps[channel * shape.w + w], accumulator),
            sum);
      SmallVector<Value> read;
      for (const Tokens &operand : operands)
        read.push_back(operand[channel][operand[channel].size() == 1 ? 0 : t]);
      results.push_back(applyEpilogue(sum, read));
    }
  return results;
}

void UpdateBuilder::createOutput(const Place &place,
                                 const Tokens &tokens) const {
  const StateTensor &weight = get(op.getWeight());
  const StateTensor &output = tensors[op->getNumOperands()];
  Value none = math.constant(0);
  SmallVector<Value> taps = access.load(
      weight, math.mul(place.chunk, channels * weight.strides[0]),
      getCommonAlignment({channels * weight.strides[0]}),
      list(weight.strides[0], 0, shape.w, weight.strides[1]), place.guard);
  // For each operand, one element per channel, or one per channel and token.
  SmallVector<Tokens> operands;
  for (Value operand : op.getEpilogueOperands()) {
    const StateTensor &tensor = get(operand);
    if (tensor.shape.size() == 3) {
      operands.push_back(loadRows(tensor, place.batch, place, place.guard));
      continue;
    }
    StateTensor vector = tensor;
    vector.shape = {1, tensor.shape[0], 1};
    vector.strides = {0, tensor.strides[0], 1};
    operands.push_back(loadRows(vector, none, place, place.guard));
  }
  access.finishLoads();
  SmallVector<Value> results = computeOutput(tokens, taps, operands);
  if (op.getIndices())
    for (Value &result : results) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(output.element));
      result = arith::SelectOp::create(b, place.isReal, result, zero);
    }
  access.store(results, output, getOffset(output, place.batch, place.chunk),
               getAlignment(output),
               list(output.strides[1], 0, shape.t, output.strides[2]),
               place.guard);
}

void UpdateBuilder::create(Value item, Value guard) const {
  Place place = locate(item, guard);
  Tokens tokens = loadPast(place);
  Tokens input = loadRows(get(op.getInput()), place.batch, place, place.isReal);
  for (auto [all, some] : llvm::zip(tokens, input))
    llvm::append_range(all, some);
  if (access.isPrefetching())
    return;
  createOutput(place, tokens);
  if (op.getPositions())
    storeInRing(place, input);
  else
    storeShifted(place, tokens);
}

StateBody mlir::conv::createCausalUpdate(CausalUpdateOp op,
                                         const StateAccess &access,
                                         ArrayRef<StateTensor> tensors) {
  auto builder = std::make_shared<UpdateBuilder>(op, access, tensors);
  return {builder->countItems(),
          [builder](Value item, Value guard) { builder->create(item, guard); }};
}
