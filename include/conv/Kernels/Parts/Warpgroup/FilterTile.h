//===- FilterTile.h - a workgroup whose filter stays in place ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If either tensor has few channels, the filter is small: a workgroup loads all
// of it to shared memory, once for all of its tiles. Plain numbers, nothing of
// the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_FILTERTILE_H
#define CONV_KERNELS_PARTS_WARPGROUP_FILTERTILE_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace conv {

/// A filter that stays in shared memory, and a pipeline of buffers that one
/// warpgroup fills. The other warpgroups multiply a buffer by the filter: rows
/// of 128 swizzled bytes, all columns of the first 64 elements of the
/// reduction, then of the next 64 elements.
struct FilterTile {
  /// A row is written in vectors of 16 bytes.
  static constexpr int64_t kVectorsPerRow =
      WarpgroupTile::kRowElements / WarpgroupTile::kAccess;

  WarpgroupTile
      tile; ///< Rows, columns, stages, warpgroups and their registers.
  int64_t filterRows; ///< 128-byte rows of each column.
  int64_t stageBytes;

  int64_t filterBytes() const { return filterRows * tile.rightBytes(); }
  int64_t pipelineOffset() const { return filterBytes(); }
  int64_t stagingOffset() const {
    return roundUp(pipelineOffset() + tile.stages * stageBytes,
                   WarpgroupTile::kAlignment);
  }
  int64_t barrierOffset() const {
    return stagingOffset() + tile.consumers * tile.stagingBytes();
  }
  int64_t sharedBytes() const {
    return barrierOffset() + 2 * tile.stages * WarpgroupTile::kBarrierBytes;
  }
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_FILTERTILE_H
