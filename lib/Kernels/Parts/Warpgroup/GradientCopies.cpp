//===- GradientCopies.cpp - copies for the gradient of a filter -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of the reduction is 64 positions. One operand supplies their channels,
// the other the taps and channels that windows see there.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TensorMaps.h"
#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

namespace {

/// A step is 64 positions of a segment.
class GradientCopies : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createPositionsMap(context, geometry, rows);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }

protected:
  /// A tile of positions with `count` channels from `channel` of a group on.
  struct Channels {
    Value channel;
    int64_t count;
    Value destination;
  };
  /// Copies such a tile from `position` on, in coordinates of its map.
  void createPositionBoxes(TileOrigin origin, const Step &step, Value map,
                           ArrayRef<Value> position,
                           const Channels &channels) const;
  void createLeftBoxes(TileOrigin origin, const Step &step, Value map,
                       ArrayRef<Value> position) const {
    createPositionBoxes(origin, step, map, position,
                        {origin.row, tile.rows, step.stage});
  }
  /// Coordinates of a block of positions: the image, then each dimension.
  SmallVector<Value> createBlock(TileOrigin origin, const Step &step) const;
};

/// Positions are consecutive; each tap has a right box.
class PositionGradientCopies final : public GradientCopies {
public:
  using GradientCopies::GradientCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createWindowMap(context, geometry.window, rows.elements(), rows);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
};

/// Positions form a block; each line of taps has one right box.
class HaloTileGradientCopies final : public GradientCopies {
public:
  using GradientCopies::GradientCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createHaloTileMap(context, geometry, rows);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
};

/// Positions form a block; rows are taps, and one left box has a tile's taps.
class TapRowsCopies final : public GradientCopies {
public:
  using GradientCopies::GradientCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createTapRowsMap(context, geometry, tile.rows, rows);
  }
  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createPositionsMap(context, geometry, rows);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;

private:
  /// The first channel of the tile's rows, and in each dimension the least
  /// distance of its taps from the corner of the window.
  struct FirstRow {
    Value channel;
    SmallVector<Value> offsets;
  };
  FirstRow createFirstRow(TileOrigin origin) const;
};

} // namespace

void GradientCopies::createPositionBoxes(TileOrigin origin, const Step &step,
                                         Value map, ArrayRef<Value> position,
                                         const Channels &channels) const {
  Value first =
      createInTensor(origin, channels.channel,
                     geometry.leftShape.back() / geometry.window.groups);
  for (int64_t i = 0; i < channels.count / rows.elements(); ++i) {
    SmallVector<Value> coordinates = {ptx.math.add(first, i * rows.elements())};
    llvm::append_range(coordinates, position);
    ptx.loadBox(ptx.offset(channels.destination, i * getBoxBytes()), map,
                step.barrier, coordinates);
  }
}

SmallVector<Value> GradientCopies::createBlock(TileOrigin origin,
                                               const Step &step) const {
  const IndexMath &math = ptx.math;
  SmallVector<Value> position = createPosition(
      math, geometry.slicePositions, geometry.window.haloTile, step.inner);
  for (auto [coordinate, slice, size] : llvm::zip(
           position, math.split(createSlice(origin), geometry.sliceCounts),
           geometry.slicePositions))
    coordinate = math.add(coordinate, math.mul(slice, size));
  return position;
}

void PositionGradientCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                                        const Step &step, Value leftMap,
                                        Value rightMap) const {
  const IndexMath &math = ptx.math;
  Value segment =
      createSegment(math, geometry, step.outer, createSlice(origin));
  createLeftBoxes(origin, step, leftMap, {step.inner, segment});
  // Positions after the segment are multiplied by zeros of the left operand.
  Value position =
      math.add(math.mul(segment, geometry.segmentPositions), step.inner);
  SmallVector<Value> corner = createCorner(ptx, geometry.window, position);
  Value right = ptx.offset(step.stage, tile.rightOffset());
  for (int64_t i = 0; i < tile.columns / rows.elements(); ++i) {
    Value channel = math.add(origin.column, i * rows.elements());
    Value tap = math.constant(0);
    if (geometry.window.countTaps() > 1) {
      tap = math.div(channel, geometry.columnsOfTap);
      channel = math.rem(channel, geometry.columnsOfTap);
    }
    SmallVector<Value> coordinates = {
        createInTensor(origin, channel, geometry.window.channelsOfGroup())};
    llvm::append_range(coordinates, corner);
    ptx.loadBox(ptx.offset(right, i * getBoxBytes()), rightMap, step.barrier,
                coordinates, createOffsets(tap));
  }
}

void HaloTileGradientCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                                        const Step &step, Value leftMap,
                                        Value rightMap) const {
  const IndexMath &math = ptx.math;
  const TmaWindow &window = geometry.window;
  SmallVector<Value> position = createBlock(origin, step);
  // Positions after the last ones are out of bounds in the left operand.
  createLeftBoxes(origin, step, leftMap,
                  llvm::to_vector(llvm::reverse(position)));

  // Columns are rows of channels for each line of taps.
  int64_t rows = llvm::divideCeil(window.channelsOfGroup(), Tile::kRowElements);
  SmallVector<Value> digits =
      math.split(math.div(origin.column, tile.columns), {0, rows});
  Value tap = math.mul(digits[0], window.dimensions.back().taps);
  SmallVector<Value> offsets = createTapOffsets(math, window, tap);
  SmallVector<Value> coordinates = {math.mul(digits[1], Tile::kRowElements)};
  for (size_t d = window.rank(); d-- > 0;)
    coordinates.push_back(math.add(
        math.sub(position[1 + d], window.dimensions[d].low), offsets[d]));
  coordinates.push_back(position.front());
  addGroup(coordinates, origin);
  ptx.loadBox(ptx.offset(step.stage, tile.rightOffset()), rightMap,
              step.barrier, coordinates);
}

TapRowsCopies::FirstRow TapRowsCopies::createFirstRow(TileOrigin origin) const {
  const IndexMath &math = ptx.math;
  const TmaWindow &window = geometry.window;
  size_t line = window.rank() - 2;
  int64_t lines = geometry.getTapRows().countLines(tile.rows);
  SmallVector<int64_t> sizes = {0};
  for (const TmaWindow::Dimension &d :
       ArrayRef(window.dimensions).take_front(line))
    sizes.push_back(d.taps);
  sizes.push_back(window.dimensions[line].taps / lines);
  SmallVector<Value> digits =
      math.split(math.div(origin.row, tile.rows), sizes);
  SmallVector<Value> offsets;
  for (size_t d = 0; d <= line; ++d) {
    const TmaWindow::Dimension &dimension = window.dimensions[d];
    int64_t own = d == line ? lines : 1;
    Value tap = math.mul(digits[1 + d], own);
    if (dimension.isReversed)
      tap = math.add(math.mul(tap, -1), dimension.taps - own);
    offsets.push_back(math.mul(tap, dimension.dilation));
  }
  offsets.push_back(math.constant(0));
  return {math.mul(digits.front(), Tile::kRowElements), offsets};
}

void TapRowsCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                               const Step &step, Value leftMap,
                               Value rightMap) const {
  const IndexMath &math = ptx.math;
  const TmaWindow &window = geometry.window;
  SmallVector<Value> position = createBlock(origin, step);
  FirstRow first = createFirstRow(origin);
  SmallVector<Value> coordinates = {first.channel};
  for (size_t d = window.rank(); d-- > 0;)
    coordinates.push_back(math.add(
        math.sub(position[1 + d], window.dimensions[d].low), first.offsets[d]));
  coordinates.push_back(position.front());
  ptx.loadBox(step.stage, leftMap, step.barrier, coordinates);
  // Positions after the last ones are out of bounds in the right operand.
  createPositionBoxes(origin, step, rightMap,
                      llvm::to_vector(llvm::reverse(position)),
                      {origin.column, tile.rightColumns(),
                       ptx.offset(step.stage, tile.rightOffset())});
}

std::unique_ptr<TmaCopies>
mlir::conv::createGradientCopies(const PtxBuilder &ptx,
                                 const TmaGeometry &geometry,
                                 const ::conv::WarpgroupTile &tile) {
  if (geometry.areTapsRows)
    return std::make_unique<TapRowsCopies>(ptx, geometry, tile);
  if (geometry.hasHaloTiles())
    return std::make_unique<HaloTileGradientCopies>(ptx, geometry, tile);
  return std::make_unique<PositionGradientCopies>(ptx, geometry, tile);
}
