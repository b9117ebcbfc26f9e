//===- TmaLoop.cpp - copies by the copy engine, products by warpgroups -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padding, the tail of the pixels and that of the channels are zeros that the
// copy engine writes; no lane computes an address of an element.
//
//===----------------------------------------------------------------------===//

#include "TmaLoop.h"

using namespace mlir;
using namespace mlir::conv;

int64_t TmaLoop::countChannelSteps() const {
  return llvm::divideCeil(geometry.channels, ::conv::TmaTile::kRowElements);
}

int64_t TmaLoop::countSteps() const {
  return geometry.countTaps() * countChannelSteps();
}

SmallVector<Value> TmaLoop::createCorner(Value row) const {
  SmallVector<int64_t> sizes = {geometry.images};
  llvm::append_range(sizes, geometry.positions);
  SmallVector<Value> digits = ptx.math.split(row, sizes);
  SmallVector<Value> corner;
  for (size_t d = geometry.rank(); d-- > 0;)
    corner.push_back(ptx.math.sub(
        ptx.math.mul(digits[1 + d], geometry.strides[d]), geometry.low[d]));
  corner.push_back(digits[0]);
  return corner;
}

RingPosition TmaLoop::createProducer(TileOrigin origin, Value imageMap,
                                     Value filterMap,
                                     RingPosition position) const {
  SmallVector<Value> corner = createCorner(origin.pixel);
  int64_t channels = countChannelSteps() * ::conv::TmaTile::kRowElements;
  Value zero = ptx.math.constant(0);

  auto createStep = [&](Value tap, Value channel, RingPosition at) {
    Value full = ring.acquire(at, tile.stageBytes());
    Value stage = ptx.offset(memory, ptx.math.mul(at.stage, tile.stageBytes()));
    SmallVector<Value> digits = ptx.math.split(tap, geometry.taps);
    SmallVector<Value> offsets;
    for (size_t d = geometry.rank(); d-- > 0;)
      offsets.push_back(
          ptx.truncate16(ptx.math.mul(digits[d], geometry.dilations[d])));
    SmallVector<Value> coordinates = {channel};
    llvm::append_range(coordinates, corner);
    ptx.loadBox(stage, imageMap, full, coordinates, offsets);
    ptx.loadBox(ptx.offset(stage, tile.pixelBytes()), filterMap, full,
                {channel, tap, origin.channel});
    return ring.getNext(at).carried();
  };
  SmallVector<Value> end = ptx.createFor(
      zero, ptx.math.constant(geometry.countTaps()), 1, position.carried(),
      [&](Value tap, ValueRange outer) {
        return ptx.createFor(
            zero, ptx.math.constant(channels), ::conv::TmaTile::kRowElements,
            outer, [&](Value channel, ValueRange inner) {
              return createStep(tap, channel, RingPosition::get(inner));
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
      ptx.math.constant(1), ptx.math.constant(countSteps()), 1, carried,
      [&](Value, ValueRange values) {
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
