//===- TmaLoop.cpp - copies by the copy engine, products by warpgroups ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Producer and consumers agree on nothing but the ring and the number of steps.
//
//===----------------------------------------------------------------------===//

#include "TmaLoop.h"

using namespace mlir;
using namespace mlir::conv;

RingPosition TmaLoop::createProducer(TileOrigin origin, Value leftMap,
                                     Value rightMap,
                                     RingPosition position) const {
  SmallVector<Value> common = copies.createTile(origin);
  Value zero = ptx.math.constant(0);
  auto createStep = [&](Value outer, Value inner, RingPosition at) {
    Value full = ring.acquire(at, ptx.math.constant(tile.stageBytes()));
    Value stage = ptx.offset(memory, ptx.math.mul(at.stage, tile.stageBytes()));
    copies.createStep(origin, common, {outer, inner, stage, full}, leftMap,
                      rightMap);
    return ring.getNext(at).carried();
  };
  SmallVector<Value> end = ptx.createFor(
      zero, ptx.math.constant(geometry.countOuterSteps()), 1,
      position.carried(), [&](Value outer, ValueRange carried) {
        return ptx.createFor(zero, ptx.math.constant(geometry.getInnerExtent()),
                             ::conv::TmaTile::kRowElements, carried,
                             [&](Value inner, ValueRange values) {
                               return createStep(outer, inner,
                                                 RingPosition::get(values));
                             });
      });
  return RingPosition::get(end);
}

TmaLoop::Sums TmaLoop::createConsumer(const WgmmaUnit &matrix,
                                      Value isReleasing,
                                      RingPosition position) const {
  auto release = [&](Value stage) {
    ptx.createIf(isReleasing, [&] { ring.release(stage); });
  };
  // The first step writes accumulators that nothing has to clear.
  ring.wait(position);
  SmallVector<Value> carried = matrix.createStep(
      matrix.createUndefined(), position.stage, /*isFirst=*/true);
  size_t count = carried.size();
  llvm::append_range(carried, ring.getNext(position).carried());
  carried.push_back(position.stage);
  // A stage is released when the step after it is on its way, so that the
  // matrix units never wait for the next step to be issued.
  carried = ptx.createFor(
      ptx.math.constant(1), ptx.math.constant(geometry.countSteps()), 1,
      carried, [&](Value, ValueRange values) {
        RingPosition at = RingPosition::get(values.drop_front(count));
        ring.wait(at);
        SmallVector<Value> next = matrix.createStep(
            values.take_front(count), at.stage, /*isFirst=*/false);
        matrix.wait(1);
        release(values.back());
        llvm::append_range(next, ring.getNext(at).carried());
        next.push_back(at.stage);
        return next;
      });
  ValueRange values = carried;
  SmallVector<Value> sums = matrix.finish(values.take_front(count));
  release(values.back());
  return {sums, RingPosition::get(values.drop_front(count))};
}
