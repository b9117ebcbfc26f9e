//===- GridScheduler.cpp - one tile a workgroup -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The raster decides which operand neighbouring workgroups share, and so what
// stays in the cache: `columns` fastest shares rows of the left operand, `rows`
// fastest those of the right one.
//
//===----------------------------------------------------------------------===//

#include "TileScheduler.h"

using namespace mlir;
using namespace mlir::conv;

TileRaster::TileRaster(const TiledConvolution &form)
    : tileSizes(form.schedule.getWorkgroup()), order(form.schedule.getRaster()),
      matrices(form.getBatch()),
      rowTiles(llvm::divideCeil(form.getRows(), tileSizes[0])),
      columnTiles(llvm::divideCeil(form.getColumns(), tileSizes[1])) {}

TileOrigin TileRaster::createOrigin(const IndexMath &math, Value tile) const {
  bool columnsFastest = order == Raster::Columns;
  int64_t fast = columnsFastest ? columnTiles : rowTiles;
  int64_t slow = columnsFastest ? rowTiles : columnTiles;
  SmallVector<Value> digits = math.split(tile, {matrices, slow, fast});
  Value column = columnsFastest ? digits[2] : digits[1];
  Value row = columnsFastest ? digits[1] : digits[2];
  return {digits[0], math.mul(row, tileSizes[0]),
          math.mul(column, tileSizes[1])};
}

namespace {
class GridScheduler final : public TileScheduler {
public:
  explicit GridScheduler(const TiledConvolution &form) : raster(form) {}

  int64_t getGridSize() const override { return raster.countTiles(); }

  TileOrigin createOrigin(const Kernel &kernel) const override {
    return raster.createOrigin(kernel.math, kernel.workgroup);
  }

private:
  TileRaster raster;
};
} // namespace

std::unique_ptr<TileScheduler>
mlir::conv::createGridScheduler(const TiledConvolution &form) {
  return std::make_unique<GridScheduler>(form);
}
