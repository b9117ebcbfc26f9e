//===- GridScheduler.cpp - one tile per workgroup ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The raster decides which operand neighbouring workgroups share, and thereby
// what stays in the cache: with `columns` fastest they share rows of the left
// operand, with `rows` fastest they share rows of the right operand. Of some
// families, matrices that are near each other in memory, such as groups, come
// first.
//
// Hardware with several dies deals workgroups to the dies in turn. Each die
// gets consecutive tiles, so that its cache holds the operands that they share.
//
//===----------------------------------------------------------------------===//

#include "TileScheduler.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/KernelFamily.h"

using namespace mlir;
using namespace mlir::conv;

/// The tiles of a form along each dimension.
static std::array<int64_t, 3> countAlong(const TiledConvolution &form) {
  std::array<int64_t, 3> counts = {form.getBatch(), form.getRows(),
                                   form.getColumns()};
  for (auto [count, tile] : llvm::zip_equal(counts, form.getTile()))
    count = llvm::divideCeil(count, tile);
  return counts;
}

/// Whether neighbouring matrices of a product, such as the groups of a pixel,
/// are nearer in memory than neighbouring rows, and the family asks for that.
static bool areMatricesNear(const TiledConvolution &form) {
  if (!form.hasProduct() ||
      !getKernelFamily(form.schedule).prefersNearMatrices())
    return false;
  ViewedTensor result = form.result.getViewed();
  int64_t ofBatch = getInnermostDistance(result, result.view.getBatchRoles());
  return 0 < ofBatch &&
         ofBatch < getInnermostDistance(result, result.view.getRowRoles());
}

TileRaster::TileRaster(const TiledConvolution &form, int64_t neighbours)
    : tileSizes(form.getTile()), counts{0, 0, 0, neighbours} {
  auto [batch, rows, columns] = countAlong(form);
  counts[Batch] = batch / neighbours;
  counts[Rows] = rows;
  counts[Columns] = columns;
  if (form.getRaster() == Raster::Rows)
    order = {Batch, Columns, Rows, Neighbours};
  // A direct tile has all columns; consecutive tiles are consecutive matrices.
  else if (form.hasProduct() && form.schedule.isDirect())
    order = {Rows, Columns, Batch, Neighbours};
  else if (areMatricesNear(form))
    order = {Rows, Batch, Columns, Neighbours};
  else
    order = {Batch, Rows, Columns, Neighbours};
}

TileRaster::TileRaster(const TiledConvolution &form, Raster raster,
                       int64_t neighbours)
    : TileRaster(form, neighbours) {
  order = raster == Raster::Rows ? std::array{Batch, Columns, Rows, Neighbours}
                                 : std::array{Batch, Rows, Columns, Neighbours};
}

TileRaster::TileRaster(const Kernel &kernel) : TileRaster(kernel.form) {
  for (Dimension dimension : {Batch, Rows, Columns})
    counts[dimension] = kernel.getNumber([&](const TiledConvolution &form) {
      return countAlong(form)[dimension];
    });
}

int64_t TileRaster::countTiles() const {
  int64_t tiles = 1;
  for (const SharedNumber &count : counts)
    tiles *= count.getUniform();
  return tiles;
}

TileOrigin TileRaster::createOrigin(const IndexMath &math, Value tile) const {
  SmallVector<SharedNumber> sizes = llvm::map_to_vector(
      order, [&](Dimension dimension) { return counts[dimension]; });
  std::array<Value, 4> origin;
  for (auto [digit, dimension] :
       llvm::zip(math.splitShared(tile, sizes), order))
    origin[dimension] =
        dimension == Neighbours ? digit : math.mul(digit, tileSizes[dimension]);
  Value batch =
      math.add(math.mul(origin[Batch], counts[Neighbours]), origin[Neighbours]);
  return {batch, origin[Rows], origin[Columns]};
}

/// The tile, among `count` tiles, of a workgroup that runs on die `workgroup %
/// dies`: each die gets as many consecutive tiles as it gets workgroups.
static Value gatherOnDie(const IndexMath &math, Value workgroup,
                         const SharedNumber &count, int64_t dies) {
  if (dies == 1)
    return workgroup;
  SharedNumber share = count.map([&](int64_t n) { return n / dies; });
  SharedNumber rest = count.map([&](int64_t n) { return n % dies; });
  Value die = math.rem(workgroup, dies);
  Value before =
      math.add(math.mul(die, share), math.minimum(die, math.constant(rest)));
  return math.add(before, math.div(workgroup, dies));
}

namespace {
class GridScheduler final : public TileScheduler {
public:
  explicit GridScheduler(const TiledConvolution &form)
      : gridSize(TileRaster(form).countTiles()) {}

  int64_t getGridSize() const override { return gridSize; }

  TileOrigin createOrigin(const Kernel &kernel) const override {
    SharedNumber count = kernel.getNumber([](const TiledConvolution &form) {
      return TileRaster(form).countTiles();
    });
    Value tile =
        gatherOnDie(kernel.math, kernel.workgroup, count, kernel.chip.dies);
    return TileRaster(kernel).createOrigin(kernel.math, tile);
  }

private:
  int64_t gridSize;
};
} // namespace

std::unique_ptr<TileScheduler>
mlir::conv::createGridScheduler(const TiledConvolution &form) {
  return std::make_unique<GridScheduler>(form);
}
