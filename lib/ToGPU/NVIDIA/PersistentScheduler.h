//===- PersistentScheduler.h - workgroups that compute tile after tile --===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_PERSISTENTSCHEDULER_H
#define CONV_LIB_TOGPU_NVIDIA_PERSISTENTSCHEDULER_H

#include "../TileScheduler.h"
#include "PtxBuilder.h"

namespace mlir::conv {

/// As many workgroups as the chip runs at a time, each of which takes every
/// so-many-th tile in raster order.
class PersistentScheduler {
public:
  PersistentScheduler(const PtxBuilder &ptx, const TiledConvolution &form,
                      const ::conv::ChipInfo &chip);

  static int64_t getGridSize(const TiledConvolution &form,
                             const ::conv::ChipInfo &chip);

  /// `body` for each tile of this workgroup, with what it carries along.
  /// Warpgroups that call this see the same tiles in the same order.
  SmallVector<Value> createLoop(
      ValueRange initial,
      function_ref<SmallVector<Value>(TileOrigin, ValueRange)> body) const;

private:
  const PtxBuilder &ptx;
  TileRaster raster;
  int64_t gridSize;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_PERSISTENTSCHEDULER_H
