//===- FinalStateKernel.cpp - the last tokens of sequences ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of `conv.final_state`: a work-item has a few channels of one token
// of a state.
//
//===----------------------------------------------------------------------===//

#include "StateAccess.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class FinalStateBuilder {
public:
  FinalStateBuilder(FinalStateOp op, const StateAccess &access,
                    ArrayRef<StateTensor> tensors)
      : op(op), access(access), math(access.math), b(access.b),
        wide(access.b, access.b.getI64Type()), tensors(tensors),
        input(tensors.front()), result(tensors.back()), tokens(result.shape[1]),
        channels(access.countChannels(input.shape[2],
                                      assumeSequences(op.countSequences()) *
                                          tokens * input.shape[2],
                                      input.element, /*most=*/16)),
        chunks(input.shape[2] / channels) {}

  ItemCount countItems() const {
    return access.multiply({tokens * chunks, {}}, 'B', op.countSequences());
  }
  void create(Value item, Value guard) const;

private:
  const StateTensor &get(Value operand) const {
    return tensors[llvm::find(op->getOperands(), operand) -
                   op->operand_begin()];
  }
  /// The offset in a tensor of a row's and a token's channels.
  Value getOffset(const StateTensor &tensor, Value row, Value token,
                  Value chunk) const {
    return math.add(
        math.add(access.scale(tensor, 0, row), access.scale(tensor, 1, token)),
        access.scale(tensor, 2, chunk, channels));
  }
  int64_t getAlignment(const StateTensor &tensor) const {
    return getCommonAlignment(
        {tensor.strides[0], tensor.strides[1], channels * tensor.strides[2]});
  }
  SmallVector<Value> load(const StateTensor &tensor, Value row, Value token,
                          Value chunk, Value guard) const {
    return access.load(tensor, getOffset(tensor, row, token, chunk),
                       getAlignment(tensor),
                       listChannels(channels, tensor.strides[2]), guard);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) const {
    return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
  }

  mutable FinalStateOp op; ///< Its accessors are not const.
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  IndexMath wide;
  ArrayRef<StateTensor> tensors;
  const StateTensor &input, &result;
  int64_t tokens, channels, chunks;
};
} // namespace

void FinalStateBuilder::create(Value item, Value guard) const {
  auto [sequence, place, chunk] = splitItem(math, item, tokens, chunks);
  // In i64, since starts may have any value.
  Value length = access.getSize('T', input.shape[1], wide);
  Value first = wide.constant(0), end = length;
  if (op.getCuSeqlens()) {
    const StateTensor &starts = get(op.getCuSeqlens());
    first = access.loadNumber(starts, sequence, guard);
    end = access.loadNumber(starts, math.add(sequence, 1), guard);
  }
  Value token =
      wide.add(wide.sub(end, wide.constant(tokens)), wide.cast(place));
  Value isAfter = compare(arith::CmpIPredicate::sge, token, first);
  Value isInput = math.both(isAfter, isBelow(b, token, length));
  SmallVector<Value> elements =
      load(input, op.getCuSeqlens() ? math.constant(0) : sequence,
           math.cast(token), chunk, math.both(guard, isInput));
  if (op.getInitialState()) {
    Value before = wide.add(wide.sub(token, first), tokens);
    Value isBefore = compare(arith::CmpIPredicate::slt, token, first);
    Value isState = math.both(isBefore, wide.below(before, tokens));
    SmallVector<Value> states =
        load(get(op.getInitialState()), sequence, math.cast(before), chunk,
             math.both(guard, isState));
    for (auto [element, state] : llvm::zip(elements, states))
      element = arith::SelectOp::create(b, isState, state, element);
  }
  Value row = sequence, isWritten = guard;
  if (op.getIndices()) {
    Value index = access.loadNumber(get(op.getIndices()), sequence, guard);
    isWritten = math.both(
        guard, isBelow(b, index, access.getSize('S', result.shape[0], wide)));
    row = math.cast(index);
  }
  access.store(elements, result, getOffset(result, row, place, chunk),
               getAlignment(result), listChannels(channels, result.strides[2]),
               isWritten);
}

StateBody mlir::conv::createFinalState(FinalStateOp op,
                                       const StateAccess &access,
                                       ArrayRef<StateTensor> tensors) {
  auto builder = std::make_shared<FinalStateBuilder>(op, access, tensors);
  return {builder->countItems(),
          [builder](Value item, Value guard) { builder->create(item, guard); }};
}
