//===- FilterCopies.cpp - copies of windows and of a filter ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of the reduction is one tap and a row of channels. The left operand
// supplies the positions of a window, tap by tap or in halo tiles that several
// taps share; the right operand supplies rows of a filter.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TensorMaps.h"
#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Rows of the left operand are positions, of the right one rows of a filter.
class FilterCopies : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createFilterMap(context, geometry, tile.columns, rows);
  }

protected:
  /// The channel in its group for channel `inSlice` of a split-K slice.
  Value createChannel(TileOrigin origin, Value inSlice) const;
  /// Copies the tile of one tap and of a group's channels from `channel` on.
  void createFilter(TileOrigin origin, Value tap, Value channel,
                    const Step &step, Value map) const;

private:
  /// The coordinates where a box starts.
  struct Place {
    SmallVector<Value> taps, phases;
    Value row, channel, group;
  };
  /// Sets the row of a box whose first column is `column`.
  void setColumn(Place &place, Value column) const;
  void createBox(Value destination, Value barrier, Value map,
                 const Place &place) const;
};

/// A step is one tap and a row of channels of both operands.
class WindowCopies final : public FilterCopies {
public:
  using FilterCopies::FilterCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createWindowMap(context, geometry.window, tile.rows, rows);
  }
  SmallVector<Value> createTile(TileOrigin origin) const override {
    return createCorner(ptx, geometry.window, origin.row);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
};

/// A step is one tap of the filter; halo tiles have a channel row for all taps.
class HaloTileCopies final : public FilterCopies {
public:
  using FilterCopies::FilterCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createHaloTileMap(context, geometry, rows);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
  void createHaloTiles(TileOrigin origin, const HaloTiles &haloTiles,
                       Value leftMap) const override;

private:
  /// An iteration of the outer loop: the first of the taps that read the same
  /// halo tiles, and the first channel.
  struct OuterStep {
    Value tap, channel;
  };
  OuterStep createOuterStep(TileOrigin origin, Value outer) const;
};

} // namespace

Value FilterCopies::createChannel(TileOrigin origin, Value inSlice) const {
  if (geometry.slices == 1)
    return inSlice;
  return ptx.math.add(
      inSlice, ptx.math.mul(createSlice(origin), geometry.channelsOfSlice));
}

void FilterCopies::createBox(Value destination, Value barrier, Value map,
                             const Place &place) const {
  using Coordinate = TmaGeometry::Coordinate;
  SmallVector<Value> coordinates;
  for (const Coordinate &c : llvm::reverse(geometry.filter)) {
    Value index = c.index == Coordinate::Row       ? place.row
                  : c.index == Coordinate::Channel ? place.channel
                  : c.index == Coordinate::Group   ? place.group
                                                   : place.taps[c.dimension];
    Value coordinate =
        ptx.math.add(ptx.math.add(ptx.math.mul(index, c.step), c.start),
                     ptx.math.mul(place.group, c.groupStep));
    coordinates.push_back(c.phase
                              ? ptx.math.add(coordinate, place.phases[*c.phase])
                              : coordinate);
  }
  ptx.loadBox(destination, map, barrier, coordinates);
}

void FilterCopies::setColumn(Place &place, Value column) const {
  SmallVector<int64_t> sizes = geometry.phases;
  sizes.push_back(geometry.columnsOfPhase);
  place.phases = ptx.math.split(column, sizes);
  place.row = place.phases.pop_back_val();
}

void FilterCopies::createFilter(TileOrigin origin, Value tap, Value channel,
                                const Step &step, Value map) const {
  Place place{ptx.math.split(tap, geometry.window.getTaps()),
              {},
              origin.column,
              channel,
              createGroup(origin)};
  createRight(step, [&](Value right, Value barrier) {
    if (!geometry.isRightTransposed())
      return createBox(right, barrier, map, place);
    // Rows in shared memory are then channels of the reduction.
    for (int64_t i = 0; i < tile.rightColumns() / rows.elements(); ++i) {
      setColumn(place, ptx.math.add(origin.column, i * rows.elements()));
      createBox(ptx.offset(right, i * getBoxBytes()), barrier, map, place);
    }
  });
}

void WindowCopies::createStep(TileOrigin origin, ArrayRef<Value> common,
                              const Step &step, Value leftMap,
                              Value rightMap) const {
  bool hasInnerTaps = geometry.hasInnerTaps();
  Value tap = hasInnerTaps ? step.inner : step.outer;
  Value channel = createChannel(origin, hasInnerTaps ? step.outer : step.inner);
  SmallVector<Value> coordinates = {
      createInTensor(origin, channel, geometry.window.channelsOfGroup())};
  llvm::append_range(coordinates, common);
  createLeft(step, [&](Value left, Value barrier) {
    ptx.loadBox(left, leftMap, barrier, coordinates, createOffsets(tap));
  });
  createFilter(origin, tap, channel, step, rightMap);
}

HaloTileCopies::OuterStep HaloTileCopies::createOuterStep(TileOrigin origin,
                                                          Value outer) const {
  if (geometry.window.countHaloTilesOfWindow() == 1)
    return {ptx.math.constant(0), createChannel(origin, outer)};
  SmallVector<Value> digits =
      ptx.math.split(outer, {0, geometry.getChannelsOfHaloTiles()});
  return {ptx.math.mul(digits[0], geometry.window.countTapsOfHaloTile()),
          createChannel(origin, digits[1])};
}

void HaloTileCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                                const Step &step, Value, Value rightMap) const {
  OuterStep first = createOuterStep(origin, step.outer);
  createFilter(origin, ptx.math.add(first.tap, step.inner), first.channel, step,
               rightMap);
}

void HaloTileCopies::createHaloTiles(TileOrigin origin,
                                     const HaloTiles &haloTiles,
                                     Value leftMap) const {
  const TmaWindow &window = geometry.window;
  int64_t rows = geometry.getHaloTilePositions();
  OuterStep first = createOuterStep(origin, haloTiles.outer);
  SmallVector<Value> offsets = createTapOffsets(ptx.math, window, first.tap);
  for (int64_t i = 0; i < tile.rows / rows; ++i) {
    SmallVector<Value> coordinates = {first.channel};
    llvm::append_range(
        coordinates,
        createCorner(ptx, window, ptx.math.add(origin.row, i * rows)));
    for (size_t d = 0; d < window.rank(); ++d)
      if (!window.isInHaloTile(d)) {
        Value &coordinate = coordinates[window.rank() - d];
        coordinate = ptx.math.add(coordinate, offsets[d]);
      }
    addGroup(coordinates, origin);
    ptx.loadBox(ptx.offset(haloTiles.slot, i * geometry.getHaloTileBytes()),
                leftMap, haloTiles.barrier, coordinates);
  }
}

std::unique_ptr<TmaCopies>
mlir::conv::createFilterCopies(const PtxBuilder &ptx,
                               const TmaGeometry &geometry,
                               const ::conv::WarpgroupTile &tile) {
  if (geometry.hasHaloTiles())
    return std::make_unique<HaloTileCopies>(ptx, geometry, tile);
  return std::make_unique<WindowCopies>(ptx, geometry, tile);
}
