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

SmallVector<Value> PersistentScheduler::createLoop(
    ValueRange initial,
    function_ref<SmallVector<Value>(TileOrigin, ValueRange)> body) const {
  const IndexMath &math = ptx.math;
  Value workgroup = math.div(
      math.cast(gpu::BlockIdOp::create(ptx.b, gpu::Dimension::x).getResult()),
      cluster);
  // The workgroup after the one with the previous last tile comes first.
  int64_t behind = (workgroups - first % workgroups) % workgroups;
  if (behind != 0)
    workgroup = math.rem(math.add(workgroup, behind), workgroups);
  return ptx.createFor(workgroup, math.constant(raster.countTiles()),
                       workgroups, initial,
                       [&](Value tile, ValueRange carried) {
                         return body(raster.createOrigin(math, tile), carried);
                       });
}
