//===- TmaLoop.cpp - copies by the copy engine, products by warpgroups ----===//
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

SmallVector<Value> TmaLoop::createCorner(Value row) const {
  SmallVector<int64_t> sizes = {geometry.images};
  for (const TmaGeometry::Dimension &d : geometry.dimensions)
    sizes.push_back(d.positions);
  SmallVector<Value> digits = ptx.math.split(row, sizes);
  SmallVector<Value> corner;
  for (size_t i = geometry.rank(); i-- > 0;) {
    const TmaGeometry::Dimension &d = geometry.dimensions[i];
    corner.push_back(
        ptx.math.sub(ptx.math.mul(digits[1 + i], d.stride), d.low));
  }
  corner.push_back(digits[0]);
  return corner;
}

void TmaLoop::createRightCopies(Value destination, Value map, Value barrier,
                                ArrayRef<Value> digits, Value row,
                                Value channel) const {
  using Coordinate = TmaGeometry::Coordinate;
  auto copy = [&](Value firstRow, int64_t offset) {
    SmallVector<Value> coordinates;
    for (const Coordinate &c : llvm::reverse(geometry.rightOperand))
      coordinates.push_back(
          c.index == Coordinate::Row       ? firstRow
          : c.index == Coordinate::Channel ? channel
                                           : ptx.math.add(
                ptx.math.mul(digits[c.dimension], c.step), c.start));
    ptx.loadBox(ptx.offset(destination, offset), map, barrier, coordinates);
  };
  if (!geometry.isRightTransposed())
    return copy(row, 0);
  // Rows in shared memory are then channels of the reduction.
  constexpr int64_t kBoxBytes =
      ::conv::TmaTile::kRowElements * ::conv::TmaTile::kRowBytes;
  int64_t boxes = tile.channels / ::conv::TmaTile::kRowElements;
  for (int64_t i = 0; i < boxes; ++i)
    copy(ptx.math.add(row, i * ::conv::TmaTile::kRowElements), i * kBoxBytes);
}

RingPosition TmaLoop::createProducer(TileOrigin origin, Value leftMap,
                                     Value rightMap,
                                     RingPosition position) const {
  SmallVector<Value> corner = createCorner(origin.pixel);
  SmallVector<int64_t> taps;
  for (const TmaGeometry::Dimension &d : geometry.dimensions)
    taps.push_back(d.taps);
  Value zero = ptx.math.constant(0);

  auto createStep = [&](Value tap, Value channel, RingPosition at) {
    Value full = ring.acquire(at, tile.stageBytes());
    Value stage =
        ptx.offset(memory, ptx.math.mul(at.stage, tile.stageBytes()));
    SmallVector<Value> digits = ptx.math.split(tap, taps);
    SmallVector<Value> offsets;
    for (size_t i = geometry.rank(); i-- > 0;) {
      const TmaGeometry::Dimension &d = geometry.dimensions[i];
      Value walked = d.isReversed
                         ? ptx.math.add(ptx.math.mul(digits[i], -1), d.taps - 1)
                         : digits[i];
      offsets.push_back(ptx.truncate16(ptx.math.mul(walked, d.dilation)));
    }
    SmallVector<Value> coordinates = {channel};
    llvm::append_range(coordinates, corner);
    ptx.loadBox(stage, leftMap, full, coordinates, offsets);
    createRightCopies(ptx.offset(stage, tile.pixelBytes()), rightMap, full,
                      digits, origin.channel, channel);
    return ring.getNext(at).carried();
  };
  SmallVector<Value> end = ptx.createFor(
      zero, ptx.math.constant(geometry.countTaps()), 1, position.carried(),
      [&](Value tap, ValueRange outer) {
        return ptx.createFor(zero, ptx.math.constant(geometry.channels),
                             ::conv::TmaTile::kRowElements, outer,
                             [&](Value channel, ValueRange inner) {
                               return createStep(tap, channel,
                                                 RingPosition::get(inner));
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
      ptx.math.constant(1), ptx.math.constant(geometry.countSteps()), 1, carried,
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
