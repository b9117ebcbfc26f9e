//===- PersistentScheduler.cpp - persistent workgroups --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup that goes on to its next tile loads that tile while it still
// stores the previous one. A chip that gets only as many workgroups as it runs
// at a time starts no workgroup later.
//
//===----------------------------------------------------------------------===//

#include "PersistentScheduler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

SubproblemTile PersistentScheduler::createTile(Value number) const {
  const IndexMath &math = ptx.math;
  if (rasters.size() == 1)
    return rasters.front().createOrigin(math, number);
  SmallVector<int64_t> firsts = {0};
  for (const TileRaster &raster : rasters)
    firsts.push_back(firsts.back() + raster.countTiles());
  Value subproblem = math.constant(rasters.size() - 1);
  for (size_t i = rasters.size() - 1; i > 0; --i)
    subproblem = ptx.select(math.below(number, firsts[i]), i - 1, subproblem);
  SmallVector<Value> origin =
      ptx.createSwitch(subproblem, rasters.size(), [&](int64_t i) {
        auto [batch, row, column] =
            rasters[i].createOrigin(math, math.sub(number, firsts[i]));
        return SmallVector<Value>{batch, row, column};
      });
  return {{origin[0], origin[1], origin[2]}, subproblem};
}

SmallVector<Value> PersistentScheduler::createLoop(
    ValueRange initial,
    function_ref<SmallVector<Value>(SubproblemTile, ValueRange)> body) const {
  const IndexMath &math = ptx.math;
  Value workgroup = math.div(
      math.cast(gpu::BlockIdOp::create(ptx.b, gpu::Dimension::x).getResult()),
      cluster);
  // The workgroup after the one with the previous last tile comes first.
  int64_t behind = (workgroups - first % workgroups) % workgroups;
  if (behind != 0)
    workgroup = math.rem(math.add(workgroup, behind), workgroups);
  int64_t tiles = 0;
  for (const TileRaster &raster : rasters)
    tiles += raster.countTiles();
  return ptx.createFor(workgroup, math.constant(tiles), workgroups, initial,
                       [&](Value number, ValueRange carried) {
                         return body(createTile(number), carried);
                       });
}
