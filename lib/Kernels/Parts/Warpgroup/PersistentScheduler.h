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

/// A tile in code that several subproblems may share.
struct SubproblemTile : TileOrigin {
  SubproblemTile(const TileOrigin &origin, Value subproblem = Value())
      : TileOrigin(origin), subproblem(subproblem) {}

  /// The number of its subproblem. Null if the code is for only one.
  Value subproblem;
};

/// Each of `workgroups` workgroups, or clusters of workgroups, takes every
/// `workgroups`-th tile of one or more subproblems, in the order of a
/// `TileRaster` for each. `first` is the number of tiles of the subproblems
/// before them; tiles are counted across all of them.
class PersistentScheduler {
public:
  PersistentScheduler(const PtxBuilder &ptx, const TiledConvolution &form,
                      int64_t first, int64_t workgroups)
      : PersistentScheduler(ptx, TileRaster(form), first, workgroups) {}
  PersistentScheduler(const PtxBuilder &ptx, ArrayRef<TileRaster> rasters,
                      int64_t first, int64_t workgroups, int64_t cluster = 1)
      : ptx(ptx), rasters(rasters), first(first), workgroups(workgroups),
        cluster(cluster) {}

  /// Builds `body` for each tile of this workgroup, with loop-carried values.
  /// All warpgroups that call this see the same tiles in the same order,
  /// however many subproblems a loop is for.
  SmallVector<Value> createLoop(
      ValueRange initial,
      function_ref<SmallVector<Value>(SubproblemTile, ValueRange)> body) const;

private:
  /// The tile of a number in all subproblems of the loop.
  SubproblemTile createTile(Value number) const;

  const PtxBuilder &ptx;
  SmallVector<TileRaster, 1> rasters;
  int64_t first, workgroups, cluster;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_PERSISTENTSCHEDULER_H
