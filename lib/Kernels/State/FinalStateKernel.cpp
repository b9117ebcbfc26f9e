//===- FinalStateKernel.cpp - the last tokens, and their gradient ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of `conv.final_state` and `conv.dynamic_backward_state`: a work-item
// has a few channels of one token of a state.
//
//===----------------------------------------------------------------------===//

#include "StateAccess.h"

using namespace mlir;
using namespace mlir::conv;

/// The digits of an item: a row, a token of a state, and channels.
static std::array<Value, 3> splitItem(const IndexMath &math, Value item,
                                      int64_t tokens, int64_t chunks) {
  SmallVector<Value> digits = math.split(item, {1, tokens, chunks});
  return {digits[0], digits[1], digits[2]};
}

static SmallVector<int64_t> listChannels(int64_t channels, int64_t stride) {
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < channels; ++i)
    places.push_back(i * stride);
  return places;
}

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
  /// The channels of a row and a token of a tensor.
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

  mutable FinalStateOp op; ///< Accessors of ops are not const.
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
  // In i64: starts may be anything.
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

namespace {
class BackwardStateBuilder {
public:
  BackwardStateBuilder(DynamicBackwardStateOp op, const StateAccess &access,
                       ArrayRef<StateTensor> tensors)
      : op(op), access(access), math(access.math), b(access.b),
        grad(tensors[0]), kernel(tensors[1]), result(tensors[2]),
        shape(op.getShape()), channels(countChannels()),
        chunks(shape.d / channels) {}

  ItemCount countItems() const {
    return access.multiply({(shape.w - 1) * chunks, {}}, 'B', shape.b);
  }
  void create(Value item, Value guard) const;

private:
  /// All of one group, or each of its own.
  int64_t countChannels() const {
    int64_t count = access.countChannels(
        shape.d, assumeSequences(shape.b) * (shape.w - 1) * shape.d,
        grad.element, /*most=*/16);
    return shape.perGroup() == 1 ? count : std::gcd(count, shape.perGroup());
  }
  /// The sums after tap `w` of tokens.
  SmallVector<Value> addTap(Value sequence, Value place, Value chunk, Value w,
                            ValueRange sums, Value guard) const;

  mutable DynamicBackwardStateOp op;
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  StateTensor grad, kernel, result;
  DynamicShape shape;
  int64_t channels, chunks;
};
} // namespace

SmallVector<Value> BackwardStateBuilder::addTap(Value sequence, Value place,
                                                Value chunk, Value w,
                                                ValueRange sums,
                                                Value guard) const {
  Location loc = b.getLoc();
  Value token = math.sub(place, w);
  Value isThere =
      math.both(guard, isBelow(b, token, access.getSize('T', shape.t)));
  SmallVector<Value> grads =
      access.load(grad,
                  math.add(math.add(access.scale(grad, 0, sequence),
                                    access.scale(grad, 1, token)),
                           access.scale(grad, 2, chunk, channels)),
                  getCommonAlignment({grad.strides[0], grad.strides[1],
                                      channels * grad.strides[2]}),
                  listChannels(channels, grad.strides[2]), isThere);
  bool tapsLast = op.getOrder() == KernelOrder::BTGW;
  int64_t tapStride = kernel.strides[tapsLast ? 3 : 2];
  int64_t groupStride = kernel.strides[tapsLast ? 2 : 3];
  bool areAlone = shape.perGroup() == 1;
  Value group = areAlone
                    ? math.mul(chunk, channels)
                    : math.div(math.mul(chunk, channels), shape.perGroup());
  bool isOne = kernel.shape[0] != shape.b || kernel.shape[1] != shape.t;
  SmallVector<Value> taps = access.load(
      kernel,
      math.add(math.add(access.scale(kernel, 0, sequence, isOne ? 0 : 1),
                        access.scale(kernel, 1, token, isOne ? 0 : 1)),
               math.add(math.mul(group, groupStride), math.mul(w, tapStride))),
      getCommonAlignment({kernel.strides[0], kernel.strides[1],
                          (areAlone ? channels : 1) * groupStride, tapStride}),
      listChannels(channels, areAlone ? groupStride : 0), isThere);
  SmallVector<Value> result;
  for (auto [sum, one, tap] : llvm::zip(sums, grads, taps))
    result.push_back(
        multiplyAdd(b, loc, widenElement(b, loc, one, sum.getType()),
                    widenElement(b, loc, tap, sum.getType()), sum));
  return result;
}

void BackwardStateBuilder::create(Value item, Value guard) const {
  auto [sequence, place, chunk] = splitItem(math, item, shape.w - 1, chunks);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  SmallVector<Value> sums(channels, zero);
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.add(place, 1), math.constant(1), sums,
      [&, row = sequence, at = place,
       part = chunk](OpBuilder &, Location, Value w, ValueRange before) {
        scf::YieldOp::create(b, addTap(row, at, part, w, before, guard));
      });
  Type element = result.element;
  SmallVector<Value> elements;
  for (Value sum : loop.getResults())
    elements.push_back(
        element.isF32() ? sum : arith::TruncFOp::create(b, element, sum));
  Value offset = math.add(math.add(access.scale(result, 0, sequence),
                                   access.scale(result, 1, place)),
                          access.scale(result, 2, chunk, channels));
  access.store(elements, result, offset,
               getCommonAlignment({result.strides[0], result.strides[1],
                                   channels * result.strides[2]}),
               listChannels(channels, result.strides[2]), guard);
}

StateBody mlir::conv::createBackwardState(DynamicBackwardStateOp op,
                                          const StateAccess &access,
                                          ArrayRef<StateTensor> tensors) {
  auto builder = std::make_shared<BackwardStateBuilder>(op, access, tensors);
  return {builder->countItems(),
          [builder](Value item, Value guard) { builder->create(item, guard); }};
}
