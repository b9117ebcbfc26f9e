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

#include <optional>
#include <string>

namespace conv {

/// The limits of a tile. Each tile has a `findExceeded`, which the verifier
/// asks for schedules that somebody gives, and the cost model for its
/// candidates.
enum class TileLimit {
  Workgroup,   ///< Warpgroups, rows, columns or accumulators of a lane.
  Columns,     ///< Columns are not those that groups need.
  Stages,      ///< Stages are not a multiple that lines need.
  Groups,      ///< Groups of neighbouring elements in a window of lines.
  Reach,       ///< Bytes that a window reaches beyond a line.
  SharedMemory ///< Bytes of shared memory.
};

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

  /// Whether all columns of a result are in one tile (S13, S17).
  bool hasColumns(int64_t columns) const { return columns <= tile.columns; }
  /// Whether the tile fits the shared memory of a workgroup (S6). The bytes of
  /// any number of stages could overflow.
  bool fits(int64_t sharedMemoryBytes) const {
    return tile.stages <= sharedMemoryBytes &&
           sharedBytes() <= sharedMemoryBytes;
  }
  /// The first limit that keeps the tile from computing a result of `columns`
  /// columns; none if there is a kernel.
  std::optional<TileLimit> findExceeded(int64_t columns,
                                        int64_t sharedMemoryBytes) const {
    if (!hasColumns(columns))
      return TileLimit::Columns;
    return fits(sharedMemoryBytes) ? std::nullopt
                                   : std::optional(TileLimit::SharedMemory);
  }
};

/// Why a limit of `FilterTile` keeps the tile from computing a result, as
/// "expects ..., but got ...".
std::string explainExceeded(const FilterTile &tile, TileLimit limit,
                            int64_t columns, int64_t sharedMemoryBytes);

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_FILTERTILE_H
