//===- TileScheduler.h - which workgroup computes which tile ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_TILESCHEDULER_H
#define CONV_LIB_KERNELS_PARTS_TILESCHEDULER_H

#include "Kernel.h"

namespace mlir::conv {

/// Numbers the tiles of the result. Within a matrix, the dimension of the
/// raster varies fastest; but before it, the tile repeats for `neighbours`
/// consecutive matrices.
class TileRaster {
public:
  explicit TileRaster(const TiledConvolution &form, int64_t neighbours = 1);
  /// As above, with the dimension of a matrix that varies fastest given.
  TileRaster(const TiledConvolution &form, Raster raster, int64_t neighbours);
  /// The rasters of all subproblems of a kernel's code. They have the same
  /// order and tile.
  explicit TileRaster(const Kernel &kernel);
  int64_t countTiles() const;
  TileOrigin createOrigin(const IndexMath &math, Value tile) const;

private:
  enum Dimension { Batch, Rows, Columns, Neighbours };
  std::array<int64_t, 3> tileSizes;
  std::array<SharedNumber, 4> counts;
  std::array<Dimension, 4> order; ///< Slowest first.
};

/// Assigns tiles of the result to workgroups.
class TileScheduler {
public:
  virtual ~TileScheduler() = default;
  /// Number of workgroups to launch, in one dimension.
  virtual int64_t getGridSize() const = 0;
  /// The tile of this workgroup.
  virtual TileOrigin createOrigin(const Kernel &kernel) const = 0;
};

/// Assigns one tile to each workgroup, in raster order.
std::unique_ptr<TileScheduler>
createGridScheduler(const TiledConvolution &form);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_TILESCHEDULER_H
