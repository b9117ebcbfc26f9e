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
#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

void TmaCopies::createHaloTiles(TileOrigin, const HaloTiles &, Value) const {
  llvm_unreachable("only copies of halo tiles share them");
}

SmallVector<Value> mlir::conv::createCorner(const PtxBuilder &ptx,
                                            const TmaWindow &window,
                                            Value position) {
  SmallVector<Value> digits = createPosition(ptx.math, window.getPositions(),
                                             window.haloTile, position);
  SmallVector<Value> corner;
  for (size_t i = window.rank(); i-- > 0;) {
    const TmaWindow::Dimension &d = window.dimensions[i];
    corner.push_back(
        ptx.math.sub(ptx.math.mul(digits[1 + i], d.stride), d.low));
  }
  corner.push_back(digits[0]);
  return corner;
}

SmallVector<Value> mlir::conv::createResultCorner(const PtxBuilder &ptx,
                                                  const TmaResult &form,
                                                  TileOrigin origin) {
  SmallVector<Value> corner = {origin.column};
  if (form.form == TmaResult::Form::Matrix)
    corner.push_back(origin.row);
  else
    llvm::append_range(corner, createCorner(ptx, form.window, origin.row));
  if (form.groups == 1)
    return corner;
  if (form.clipsGroups())
    corner.push_back(origin.batch);
  else
    corner.front() =
        ptx.math.add(origin.column, ptx.math.mul(origin.batch, form.columns));
  return corner;
}

Value TmaCopies::createPart(TileOrigin origin) const {
  return ptx.math.div(origin.batch, geometry.window.groups);
}

Value TmaCopies::createGroup(TileOrigin origin) const {
  return ptx.math.rem(origin.batch, geometry.window.groups);
}

Value TmaCopies::createInTensor(TileOrigin origin, Value inGroup,
                                int64_t ofGroup) const {
  if (!geometry.window.hasGroups())
    return inGroup;
  return ptx.math.add(inGroup, ptx.math.mul(createGroup(origin), ofGroup));
}

void TmaCopies::addGroup(SmallVectorImpl<Value> &coordinates,
                         TileOrigin origin) const {
  if (geometry.window.groups > 1)
    coordinates.push_back(createGroup(origin));
}

void TmaCopies::createKept(const Kept &kept,
                           function_ref<void(Value, Value)> copy) const {
  ptx.createIf(kept.isNeeded, [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        ptx.b, /*res=*/Type(), kept.barrier,
        ptx.math.constant(kept.tile.stepBytes()), NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, /*predicate=*/Value());
    copy(kept.memory, kept.barrier);
  });
}

void TmaCopies::createLeft(const Step &step,
                           function_ref<void(Value, Value)> copy) const {
  if (step.kept && step.kept->tile.keepsLeft())
    return createKept(*step.kept, copy);
  copy(step.stage, step.barrier);
}

void TmaCopies::createRight(const Step &step,
                            function_ref<void(Value, Value)> copy) const {
  if (step.kept && step.kept->tile.keepsRight())
    return createKept(*step.kept, copy);
  int64_t offset =
      step.kept ? step.kept->tile.rightOffset() : tile.rightOffset();
  copy(ptx.offset(step.stage, offset), step.barrier);
}

SmallVector<Value> TmaCopies::createOffsets(Value tap) const {
  SmallVector<Value> offsets;
  for (Value offset :
       llvm::reverse(createTapOffsets(ptx.math, geometry.window, tap)))
    offsets.push_back(ptx.truncate16(offset));
  return offsets;
}

namespace {

/// Left rows are positions, and right ones are those of a filter.
class FilterCopies : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createFilterMap(context, geometry, tile.columns, rows);
  }

protected:
  /// The channel of its group that is channel `inPart` of a part.
  Value createChannel(TileOrigin origin, Value inPart) const;
  /// The tile of one tap and a group's channels from `channel`.
  void createFilter(TileOrigin origin, Value tap, Value channel,
                    const Step &step, Value map) const;

private:
  /// Where a box starts.
  struct Place {
    SmallVector<Value> taps, phases;
    Value row, channel, group;
  };
  /// Sets the row of a box whose first column this is.
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

/// A step is one tap of the filter; halo tiles have a row of channels for all.
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
  /// What a step of the outer loop is about: the first of the taps that see the
  /// same halo tiles, and the first channel.
  struct OuterStep {
    Value tap, channel;
  };
  OuterStep createOuterStep(TileOrigin origin, Value outer) const;
};

/// Right rows are taps and channels: a step is 64 positions of a segment.
class GradientCopies : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createPositionsMap(context, geometry, rows);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }

protected:
  /// The left tile from `position` on, in coordinates of its map.
  void createLeftBoxes(TileOrigin origin, const Step &step, Value map,
                       ArrayRef<Value> position) const;
};

/// Those follow each other; there is a right box for each tap.
class PositionGradientCopies final : public GradientCopies {
public:
  using GradientCopies::GradientCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createWindowMap(context, geometry.window, rows.elements(), rows);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;

private:
  /// The number of a step's segment among all.
  Value createSegment(TileOrigin origin, const Step &step) const;
};

/// Those are a block; a line of taps has one right box.
class HaloTileGradientCopies final : public GradientCopies {
public:
  using GradientCopies::GradientCopies;

  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createHaloTileMap(context, geometry, rows);
  }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;
};

/// Operands are plain matrices: a step is a row of elements of a segment.
class MatrixCopies final : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createMatrixMap(context, geometry, *geometry.leftMatrix, tile.rows,
                           rows);
  }
  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createMatrixMap(context, geometry, *geometry.rightMatrix,
                           tile.columns, rows);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;

private:
  /// The tile of an operand: `count` rows from `row` on.
  void createOperand(TileOrigin origin, const Step &step, Value map,
                     const TmaMatrix &matrix, Value row, int64_t count,
                     Value destination, Value barrier) const;
};

} // namespace

Value FilterCopies::createChannel(TileOrigin origin, Value inPart) const {
  if (geometry.parts == 1)
    return inPart;
  return ptx.math.add(
      inPart, ptx.math.mul(createPart(origin), geometry.channelsOfPart));
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

void GradientCopies::createLeftBoxes(TileOrigin origin, const Step &step,
                                     Value map,
                                     ArrayRef<Value> position) const {
  Value row = createInTensor(
      origin, origin.row, geometry.leftShape.back() / geometry.window.groups);
  for (int64_t i = 0; i < tile.rows / rows.elements(); ++i) {
    SmallVector<Value> coordinates = {ptx.math.add(row, i * rows.elements())};
    llvm::append_range(coordinates, position);
    ptx.loadBox(ptx.offset(step.stage, i * getBoxBytes()), map, step.barrier,
                coordinates);
  }
}

Value PositionGradientCopies::createSegment(TileOrigin origin,
                                            const Step &step) const {
  if (geometry.parts == 1)
    return step.outer;
  return ptx.math.add(ptx.math.mul(step.outer, geometry.parts),
                      createPart(origin));
}

void PositionGradientCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                                        const Step &step, Value leftMap,
                                        Value rightMap) const {
  const IndexMath &math = ptx.math;
  Value segment = createSegment(origin, step);
  createLeftBoxes(origin, step, leftMap, {step.inner, segment});
  // Positions behind the segment are multiplied with zeros of the left operand.
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
  SmallVector<Value> position =
      createPosition(math, geometry.partPositions, window.haloTile, step.inner);
  for (auto [coordinate, part, size] :
       llvm::zip(position, math.split(createPart(origin), geometry.partCounts),
                 geometry.partPositions))
    coordinate = math.add(coordinate, math.mul(part, size));
  // Positions behind the last ones are outside of the left operand.
  createLeftBoxes(origin, step, leftMap,
                  llvm::to_vector(llvm::reverse(position)));

  // Columns are rows of channels of each line of taps.
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

void MatrixCopies::createOperand(TileOrigin origin, const Step &step, Value map,
                                 const TmaMatrix &matrix, Value row,
                                 int64_t count, Value destination,
                                 Value barrier) const {
  using Digit = TmaMatrix::Digit;
  const IndexMath &math = ptx.math;
  auto createBox = [&](Value destination, Value row) {
    SmallVector<Value> coordinates;
    for (const TmaMatrix::Dimension &d : llvm::reverse(matrix.dimensions)) {
      Value index = d.digit == Digit::Row     ? row
                    : d.digit == Digit::Inner ? step.inner
                    : d.digit == Digit::Outer ? step.outer
                                              : createGroup(origin);
      if (d.partStep != 0)
        index = math.add(index, math.mul(createPart(origin), d.partStep));
      coordinates.push_back(index);
    }
    ptx.loadBox(destination, map, barrier, coordinates);
  };
  if (!matrix.isTransposed())
    return createBox(destination, row);
  // Rows in shared memory are then elements of the reduction.
  for (int64_t i = 0; i < count / rows.elements(); ++i)
    createBox(ptx.offset(destination, i * getBoxBytes()),
              math.add(row, i * rows.elements()));
}

void MatrixCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                              const Step &step, Value leftMap,
                              Value rightMap) const {
  createLeft(step, [&](Value left, Value barrier) {
    createOperand(origin, step, leftMap, *geometry.leftMatrix, origin.row,
                  tile.rows, left, barrier);
  });
  createRight(step, [&](Value right, Value barrier) {
    createOperand(origin, step, rightMap, *geometry.rightMatrix, origin.column,
                  tile.rightColumns(), right, barrier);
  });
}

std::unique_ptr<TmaCopies>
mlir::conv::createTmaCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                            const ::conv::TmaTile &tile) {
  if (geometry.hasMatrices())
    return std::make_unique<MatrixCopies>(ptx, geometry, tile);
  if (geometry.reducesPositions && geometry.hasHaloTiles())
    return std::make_unique<HaloTileGradientCopies>(ptx, geometry, tile);
  if (geometry.reducesPositions)
    return std::make_unique<PositionGradientCopies>(ptx, geometry, tile);
  if (geometry.hasHaloTiles())
    return std::make_unique<HaloTileCopies>(ptx, geometry, tile);
  return std::make_unique<WindowCopies>(ptx, geometry, tile);
}
