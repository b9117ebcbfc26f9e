//===- TmaCopies.cpp - what a step of the reduction copies ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padding, the tail of the rows and that of the channels are zeros that the
// copy engine writes; no lane computes an address of an element.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TensorMaps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Bytes of 64 rows, which transposed tiles have for each 64 channels.
static constexpr int64_t kBoxBytes = Tile::kRowElements * Tile::kRowBytes;

SmallVector<Value> mlir::conv::createCorner(const PtxBuilder &ptx,
                                            const TmaWindow &window,
                                            Value position) {
  SmallVector<Value> digits = ptx.math.split(position, window.getPositions());
  SmallVector<Value> corner;
  for (size_t i = window.rank(); i-- > 0;) {
    const TmaWindow::Dimension &d = window.dimensions[i];
    corner.push_back(
        ptx.math.sub(ptx.math.mul(digits[1 + i], d.stride), d.low));
  }
  corner.push_back(digits[0]);
  return corner;
}

SmallVector<Value> TmaCopies::createOffsets(ArrayRef<Value> digits) const {
  SmallVector<Value> offsets;
  for (size_t i = geometry.window.rank(); i-- > 0;) {
    const TmaWindow::Dimension &d = geometry.window.dimensions[i];
    Value tap = digits[i];
    if (d.isReversed)
      tap = ptx.math.add(ptx.math.mul(tap, -1), d.taps - 1);
    offsets.push_back(ptx.truncate16(ptx.math.mul(tap, d.dilation)));
  }
  return offsets;
}

namespace {

/// Left rows are positions: a step is one tap and 64 channels.
class WindowCopies final : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createWindowMap(context, geometry.window, tile.rows);
  }
  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createFilterMap(context, geometry, tile.columns);
  }
  SmallVector<Value> createTile(TileOrigin origin) const override {
    return createCorner(ptx, geometry.window, origin.row);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;

private:
  void createFilterCopy(Value destination, const Step &step, Value map,
                        ArrayRef<Value> taps, Value row, Value channel) const;
};

/// Right rows are taps and channels: a step is 64 positions of a segment.
class GradientCopies final : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createPositionsMap(context, geometry);
  }
  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createWindowMap(context, geometry.window, Tile::kRowElements);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
};

} // namespace

void WindowCopies::createFilterCopy(Value destination, const Step &step,
                                    Value map, ArrayRef<Value> taps, Value row,
                                    Value channel) const {
  using Coordinate = TmaGeometry::Coordinate;
  SmallVector<Value> coordinates;
  for (const Coordinate &c : llvm::reverse(geometry.filter)) {
    Value index = c.index == Coordinate::Row       ? row
                  : c.index == Coordinate::Channel ? channel
                                                   : taps[c.dimension];
    coordinates.push_back(ptx.math.add(ptx.math.mul(index, c.step), c.start));
  }
  ptx.loadBox(destination, map, step.barrier, coordinates);
}

void WindowCopies::createStep(TileOrigin origin, ArrayRef<Value> common,
                              const Step &step, Value leftMap,
                              Value rightMap) const {
  SmallVector<Value> taps =
      ptx.math.split(step.outer, geometry.window.getTaps());
  Value channel = step.inner;
  if (geometry.parts > 1)
    channel = ptx.math.add(channel,
                           ptx.math.mul(origin.batch, geometry.channelsOfPart));
  SmallVector<Value> coordinates = {channel};
  llvm::append_range(coordinates, common);
  ptx.loadBox(step.stage, leftMap, step.barrier, coordinates,
              createOffsets(taps));

  Value right = ptx.offset(step.stage, tile.leftBytes());
  if (!geometry.isRightTransposed())
    return createFilterCopy(right, step, rightMap, taps, origin.column,
                            channel);
  // Rows in shared memory are then channels of the reduction.
  for (int64_t i = 0; i < tile.columns / Tile::kRowElements; ++i)
    createFilterCopy(ptx.offset(right, i * kBoxBytes), step, rightMap, taps,
                     ptx.math.add(origin.column, i * Tile::kRowElements),
                     channel);
}

void GradientCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                                const Step &step, Value leftMap,
                                Value rightMap) const {
  const IndexMath &math = ptx.math;
  Value segment = step.outer;
  if (geometry.parts > 1)
    segment = math.add(math.mul(segment, geometry.parts), origin.batch);
  for (int64_t i = 0; i < tile.rows / Tile::kRowElements; ++i)
    ptx.loadBox(
        ptx.offset(step.stage, i * kBoxBytes), leftMap, step.barrier,
        {math.add(origin.row, i * Tile::kRowElements), step.inner, segment});

  // Positions behind the segment are multiplied with zeros of the left operand.
  Value position =
      math.add(math.mul(segment, geometry.segmentPositions), step.inner);
  SmallVector<Value> corner = createCorner(ptx, geometry.window, position);
  Value right = ptx.offset(step.stage, tile.leftBytes());
  for (int64_t i = 0; i < tile.columns / Tile::kRowElements; ++i) {
    Value column = math.add(origin.column, i * Tile::kRowElements);
    SmallVector<Value> coordinates = {column};
    SmallVector<int64_t> sizes = geometry.window.getTaps();
    SmallVector<Value> taps(sizes.size(), math.constant(0));
    if (geometry.window.countTaps() > 1) {
      coordinates = {math.rem(column, geometry.window.channels)};
      taps = math.split(math.div(column, geometry.window.channels), sizes);
    }
    llvm::append_range(coordinates, corner);
    ptx.loadBox(ptx.offset(right, i * kBoxBytes), rightMap, step.barrier,
                coordinates, createOffsets(taps));
  }
}

std::unique_ptr<TmaCopies>
mlir::conv::createTmaCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                            const ::conv::TmaTile &tile) {
  if (geometry.reducesPositions)
    return std::make_unique<GradientCopies>(ptx, geometry, tile);
  return std::make_unique<WindowCopies>(ptx, geometry, tile);
}
