//===- BackwardStateKernel.cpp - gradients of initial states ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of `conv.dynamic_backward_state`: a work-item has a few channels
// of one token of a state, and adds up the taps of the first tokens that saw
// this token.
//
//===----------------------------------------------------------------------===//

#include "StateAccess.h"

#include "conv/Plan/NormalizeTaps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class BackwardStateBuilder {
public:
  BackwardStateBuilder(DynamicBackwardStateOp op, const StateAccess &access,
                       ArrayRef<StateTensor> tensors)
      : op(op), access(access), math(access.math), b(access.b),
        grad(tensors[0]), kernel(tensors[1]), result(tensors.back()),
        starts(op.getCuSeqlens() ? &tensors[2] : nullptr), shape(op.getShape()),
        channels(countChannels()), chunks(shape.d / channels) {}

  ItemCount countItems() const {
    return access.multiply({(shape.w - 1) * chunks, {}}, 'B',
                           op.countSequences());
  }
  void create(Value item, Value guard) const;

private:
  /// Channels of a work-item: all of one group, or a group for each channel.
  int64_t countChannels() const {
    int64_t count = access.countChannels(
        shape.d, assumeSequences(op.countSequences()) * (shape.w - 1) * shape.d,
        grad.element, /*most=*/16);
    return shape.perGroup() == 1 ? count : std::gcd(count, shape.perGroup());
  }
  /// The token of a state that a work-item computes.
  struct Place {
    Value sequence; ///< Row of the gradient of the outputs.
    Value token;    ///< In the state.
    Value chunk;
    Value first, end; ///< The sequence's, as i64; null if it is a whole row.
    Value guard;
  };
  Place locate(Value item, Value guard) const;
  SmallVector<Value> loadTaps(const Place &place, Value token, Value w,
                              Value guard) const;
  /// The sums after tap `w` of tokens.
  SmallVector<Value> addTap(const Place &place, Value w, ValueRange sums) const;

  mutable DynamicBackwardStateOp op;
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  StateTensor grad, kernel, result;
  const StateTensor *starts; ///< For packed sequences, or null.
  DynamicShape shape;
  int64_t channels, chunks;
};
} // namespace

BackwardStateBuilder::Place BackwardStateBuilder::locate(Value item,
                                                         Value guard) const {
  auto [sequence, token, chunk] = splitItem(math, item, shape.w - 1, chunks);
  Place place{sequence, token, chunk, nullptr, nullptr, guard};
  if (!starts)
    return place;
  place.first = access.loadNumber(*starts, sequence, guard);
  place.end = access.loadNumber(*starts, math.add(sequence, 1), guard);
  place.sequence = math.constant(0);
  return place;
}

/// For each channel, tap `w` of its kernel, widened.
SmallVector<Value> BackwardStateBuilder::loadTaps(const Place &place,
                                                  Value token, Value w,
                                                  Value guard) const {
  bool tapsLast = op.getOrder() == KernelOrder::BTGW;
  int64_t tapStride = kernel.strides[tapsLast ? 3 : 2];
  int64_t groupStride = kernel.strides[tapsLast ? 2 : 3];
  bool areAlone = shape.perGroup() == 1;
  Value first = math.mul(place.chunk, channels);
  Value group = areAlone ? first : math.div(first, shape.perGroup());
  bool isOne = kernel.shape[0] != shape.b || kernel.shape[1] != shape.t;
  Value row = math.add(access.scale(kernel, 0, place.sequence, isOne ? 0 : 1),
                       access.scale(kernel, 1, token, isOne ? 0 : 1));
  row = math.add(row, math.mul(group, groupStride));
  auto load = [&](Value tap) {
    SmallVector<Value> taps =
        access.load(kernel, math.add(row, math.mul(tap, tapStride)),
                    getCommonAlignment({kernel.strides[0], kernel.strides[1],
                                        (areAlone ? channels : 1) * groupStride,
                                        tapStride}),
                    listChannels(channels, areAlone ? groupStride : 0), guard);
    for (Value &element : taps)
      element = widenElement(b, b.getLoc(), element, b.getF32Type());
    return taps;
  };
  if (op.getNormalize() == Normalization::None)
    return load(w);
  SmallVector<SmallVector<Value>> all; // By tap.
  for (int64_t tap = 0; tap < shape.w; ++tap)
    all.push_back(load(math.constant(tap)));
  SmallVector<Value> result;
  for (int64_t c = 0; c < channels; ++c) {
    SmallVector<Value> elements = llvm::map_to_vector(
        all, [&](const SmallVector<Value> &each) { return each[c]; });
    SmallVector<Value> taps =
        createNormalizedTaps(b, b.getLoc(), op.getNormalize(), elements);
    Value chosen = taps.front();
    for (int64_t tap = 1; tap < shape.w; ++tap) {
      Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, w,
                                         math.constant(tap));
      chosen = arith::SelectOp::create(b, isIt, taps[tap], chosen);
    }
    result.push_back(chosen);
  }
  return result;
}

SmallVector<Value> BackwardStateBuilder::addTap(const Place &place, Value w,
                                                ValueRange sums) const {
  Location loc = b.getLoc();
  Value token = math.sub(place.token, w);
  Value isThere = isBelow(b, token, access.getSize('T', shape.t));
  if (place.first) { // In i64, since starts may have any value.
    IndexMath wide(b, b.getI64Type());
    Value inAll = wide.add(wide.cast(token), place.first);
    Value isBefore =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, inAll, place.end);
    Value isReal = isBelow(b, inAll, access.getSize('T', shape.t, wide));
    isThere = math.both(isThere, math.both(isBefore, isReal));
    token = math.cast(inAll);
  }
  isThere = math.both(place.guard, isThere);
  SmallVector<Value> grads =
      access.load(grad,
                  math.add(math.add(access.scale(grad, 0, place.sequence),
                                    access.scale(grad, 1, token)),
                           access.scale(grad, 2, place.chunk, channels)),
                  getCommonAlignment({grad.strides[0], grad.strides[1],
                                      channels * grad.strides[2]}),
                  listChannels(channels, grad.strides[2]), isThere);
  SmallVector<Value> taps = loadTaps(place, token, w, isThere);
  SmallVector<Value> result;
  for (auto [sum, one, tap] : llvm::zip(sums, grads, taps))
    result.push_back(multiplyAdd(
        b, loc, widenElement(b, loc, one, sum.getType()), tap, sum));
  return result;
}

void BackwardStateBuilder::create(Value item, Value guard) const {
  Value sequence = splitItem(math, item, shape.w - 1, chunks)[0];
  Place place = locate(item, guard);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  SmallVector<Value> sums(channels, zero);
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.add(place.token, 1), math.constant(1), sums,
      [&](OpBuilder &, Location, Value w, ValueRange before) {
        scf::YieldOp::create(b, addTap(place, w, before));
      });
  Type element = result.element;
  SmallVector<Value> elements;
  for (Value sum : loop.getResults())
    elements.push_back(
        element.isF32() ? sum : arith::TruncFOp::create(b, element, sum));
  Value offset = math.add(math.add(access.scale(result, 0, sequence),
                                   access.scale(result, 1, place.token)),
                          access.scale(result, 2, place.chunk, channels));
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
