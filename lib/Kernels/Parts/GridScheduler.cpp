//===- GridScheduler.cpp - one tile per workgroup ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The raster decides which operand neighbouring workgroups share, and thereby
// what stays in the cache: with `columns` fastest they share rows of the left
// operand, with `rows` fastest they share rows of the right operand.
//
// Hardware with several dies deals workgroups to the dies in turn. Each die
// gets consecutive tiles, so that its cache holds the operands that they share.
//
//===----------------------------------------------------------------------===//

#include "TileScheduler.h"

using namespace mlir;
using namespace mlir::conv;

TileRaster::TileRaster(const TiledConvolution &form, int64_t neighbours)
    : tileSizes(form.getTile()) {
  std::array<int64_t, 3> sizes = {form.getBatch(), form.getRows(),
                                  form.getColumns()};
  for (auto [count, size, tile] : llvm::zip(counts, sizes, tileSizes))
    count = llvm::divideCeil(size, tile);
  counts[Batch] /= neighbours;
  counts[Neighbours] = neighbours;
  if (form.getRaster() == Raster::Rows)
    order = {Batch, Columns, Rows, Neighbours};
  // A direct tile has all columns; consecutive tiles are consecutive matrices.
  else if (form.hasProduct() && form.schedule.isDirect())
    order = {Rows, Columns, Batch, Neighbours};
  else
    order = {Batch, Rows, Columns, Neighbours};
}

TileRaster::TileRaster(const TiledConvolution &form, Raster raster,
                       int64_t neighbours)
    : TileRaster(form, neighbours) {
  order = raster == Raster::Rows ? std::array{Batch, Columns, Rows, Neighbours}
                                 : std::array{Batch, Rows, Columns, Neighbours};
}

TileOrigin TileRaster::createOrigin(const IndexMath &math, Value tile) const {
  SmallVector<int64_t> sizes = llvm::map_to_vector(
      order, [&](Dimension dimension) { return counts[dimension]; });
  std::array<Value, 4> origin;
  for (auto [digit, dimension] : llvm::zip(math.split(tile, sizes), order))
    origin[dimension] =
        dimension == Neighbours ? digit : math.mul(digit, tileSizes[dimension]);
  Value batch =
      math.add(math.mul(origin[Batch], counts[Neighbours]), origin[Neighbours]);
  return {batch, origin[Rows], origin[Columns]};
}

/// The tile, among `count` tiles, of a workgroup that runs on die `workgroup %
/// dies`: each die gets as many consecutive tiles as it gets workgroups.
static Value gatherOnDie(const IndexMath &math, Value workgroup, int64_t count,
                         int64_t dies) {
  if (dies == 1)
    return workgroup;
  Value die = math.rem(workgroup, dies);
  Value before = math.add(math.mul(die, count / dies),
                          math.minimum(die, math.constant(count % dies)));
  return math.add(before, math.div(workgroup, dies));
}

namespace {
class GridScheduler final : public TileScheduler {
public:
  explicit GridScheduler(const TiledConvolution &form) : raster(form) {}

  int64_t getGridSize() const override { return raster.countTiles(); }

  TileOrigin createOrigin(const Kernel &kernel) const override {
    Value tile = gatherOnDie(kernel.math, kernel.workgroup, raster.countTiles(),
                             kernel.chip.dies);
    return raster.createOrigin(kernel.math, tile);
  }

private:
  TileRaster raster;
};
} // namespace

std::unique_ptr<TileScheduler>
mlir::conv::createGridScheduler(const TiledConvolution &form) {
  return std::make_unique<GridScheduler>(form);
}
