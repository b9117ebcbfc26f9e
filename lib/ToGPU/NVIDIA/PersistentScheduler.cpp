//===- PersistentScheduler.cpp - workgroups that compute tile after tile ===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup that goes on to another tile loads it while it still stores the
// one before, and a chip that is given as many workgroups as it runs at a time
// starts none later.
//
//===----------------------------------------------------------------------===//

#include "PersistentScheduler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

PersistentScheduler::PersistentScheduler(const PtxBuilder &ptx,
                                         const TiledConvolution &form,
                                         const ::conv::ChipInfo &chip)
    : ptx(ptx), raster(form), gridSize(getGridSize(form, chip)) {}

int64_t PersistentScheduler::getGridSize(const TiledConvolution &form,
                                         const ::conv::ChipInfo &chip) {
  return std::min<int64_t>(TileRaster(form).countTiles(), chip.computeUnits);
}

SmallVector<Value> PersistentScheduler::createLoop(
    ValueRange initial,
    function_ref<SmallVector<Value>(TileOrigin, ValueRange)> body) const {
  Value first = ptx.math.cast(
      gpu::BlockIdOp::create(ptx.b, gpu::Dimension::x).getResult());
  return ptx.createFor(first, ptx.math.constant(raster.countTiles()), gridSize,
                       initial, [&](Value tile, ValueRange carried) {
                         return body(raster.createOrigin(ptx.math, tile),
                                     carried);
                       });
}
