//===- TokenLoads.cpp - inputs of a block of tokens -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places and loads of dynamic convolution kernels of any length. Loaded values
// are widened and kept for all tokens of the block.
//
//===----------------------------------------------------------------------===//

#include "TokenKernel.h"

#include "conv/Plan/NormalizeTaps.h"

using namespace mlir;
using namespace mlir::conv;

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
  // Several items may share one group.
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

TokenBuilder::Elements TokenBuilder::loadState(Value sequence, Value row,
                                               Value isThere) {
  const StateTensor &state = get(op.getInitialState());
  Value offset = math.add(
      math.add(access.scale(state, 0, sequence), access.scale(state, 1, row)),
      access.scale(state, 2, chunk, channels));
  return widen(
      access.load(state, offset,
                  getCommonAlignment({state.strides[0], state.strides[1],
                                      channels * state.strides[2]}),
                  listChannels(state.strides[2]), math.both(guard, isThere)));
}

TokenBuilder::Elements TokenBuilder::loadStateBefore(int64_t distance) {
  Value token = math.add(first, distance);
  Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, token,
                                         math.constant(0));
  return loadState(batch, math.add(token, shape.w - 1), isBefore);
}

TokenBuilder::Elements TokenBuilder::loadPackedState(int64_t token,
                                                     int64_t distance) {
  Value sequence = neighbours.sequences[token];
  Value before = neighbours.counts[token];
  Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, before,
                                         math.constant(distance));
  int64_t states = get(op.getInitialState()).shape[0];
  return loadState(sequence, math.add(before, shape.w - 1 - distance),
                   math.both(isBefore, math.below(sequence, states)));
}

TokenBuilder::Elements TokenBuilder::getTokens(Value tensor, int64_t distance) {
  auto known = loaded.find({tensor, distance});
  if (known != loaded.end())
    return known->second;
  Elements elements = widen(loadChannels(tensor, distance));
  bool isInput =
      !isGradientOfInput() && tensor == op.getTensor(TensorRole::Input);
  // One of the two is zero: a place is either in a sequence or before it.
  if (op.getInitialState() && !op.getCuSeqlens() && isInput && distance < 0)
    elements = add(elements, loadStateBefore(distance));
  return loaded[{tensor, distance}] = elements;
}

TokenBuilder::Elements TokenBuilder::getKernel(int64_t distance) {
  Value kernel = op.getTensor(TensorRole::Filter);
  if (op.hasOneKernel()) // Loaded once.
    distance = 0;
  auto [entry, isNew] = loaded.try_emplace({kernel, distance});
  if (!isNew)
    return entry->second;
  Elements elements = widen(loadKernelElements(kernel, distance)), taps;
  for (int64_t group = 0; group < groups; ++group)
    llvm::append_range(taps,
                       createNormalizedTaps(
                           b, b.getLoc(), op.getNormalize(),
                           ArrayRef(elements).slice(group * shape.w, shape.w)));
  return entry->second = taps;
}

TokenBuilder::Elements TokenBuilder::getSeen(Value tensor, int64_t token,
                                             int64_t distance) {
  Elements elements = getTokens(tensor, getSeenPlace(token, distance));
  if (neighbours.counts.empty() || distance == 0)
    return elements;
  for (Value &element : elements)
    element = mask(element, token, distance);
  bool seesStates = op.getInitialState() && !isGradientOfInput();
  return seesStates ? add(elements, loadPackedState(token, distance))
                    : elements;
}

Value TokenBuilder::mask(Value element, int64_t token, int64_t distance) const {
  return distance == 0 ? element
                       : mask(element, token, math.constant(distance));
}

Value TokenBuilder::mask(Value element, int64_t token, Value distance) const {
  if (neighbours.counts.empty())
    return element;
  Value isSeen = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                       neighbours.counts[token], distance);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
  return arith::SelectOp::create(b, isSeen, element, zero);
}

TokenBuilder::Elements TokenBuilder::add(Elements elements,
                                         const Elements &others) const {
  for (auto [element, other] : llvm::zip(elements, others))
    element = addSums(b, b.getLoc(), element, other);
  return elements;
}
