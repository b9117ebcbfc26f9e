//===- PersistentScheduler.h - persistent workgroups ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_PERSISTENTSCHEDULER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_PERSISTENTSCHEDULER_H

#include "../TileScheduler.h"
#include "PtxBuilder.h"

namespace mlir::conv {

/// Each of `workgroups` workgroups, or clusters of workgroups, takes every
/// `workgroups`-th tile in the order of a `TileRaster` with `neighbours`.
/// `first` is the number of tiles of the subproblems before this one; tiles are
/// counted across all of them.
class PersistentScheduler {
public:
  PersistentScheduler(const PtxBuilder &ptx, const TiledConvolution &form,
                      int64_t first, int64_t workgroups, int64_t cluster = 1,
                      int64_t neighbours = 1)
      : PersistentScheduler(ptx, TileRaster(form, neighbours), first,
                            workgroups, cluster) {}
  PersistentScheduler(const PtxBuilder &ptx, const TileRaster &raster,
                      int64_t first, int64_t workgroups, int64_t cluster = 1)
      : ptx(ptx), raster(raster), first(first), workgroups(workgroups),
        cluster(cluster) {}

  /// Builds `body` for each tile of this workgroup, with loop-carried values.
  /// All warpgroups that call this see the same tiles in the same order.
  SmallVector<Value> createLoop(
      ValueRange initial,
      function_ref<SmallVector<Value>(TileOrigin, ValueRange)> body) const;

private:
  const PtxBuilder &ptx;
  TileRaster raster;
  int64_t first, workgroups, cluster;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_PERSISTENTSCHEDULER_H
