//===- LineGradientTile.h - line buffers of a filter's gradient -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The filter gradient for few channels multiplies windows too, but sums over
// their positions. Instructions read an operand with its reduction outermost
// from shared memory only, so warpgroups write windows there. Plain numbers,
// nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINEGRADIENTTILE_H
#define CONV_KERNELS_LINEBUFFER_LINEGRADIENTTILE_H

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace conv {

/// A pipeline of stages for 64 positions each: tiles of the left operand and of
/// the windows, followed by the lines from which the windows are written.
/// Columns are groups of the window, of eight elements each, and a tile has all
/// columns or whole rows of 64.
struct LineGradientTile {
  /// Warpgroups that write windows, in turns, for the multiplying one. Their
  /// number divides the stages, so one warpgroup always writes the same stage.
  static constexpr int64_t kIm2colWarpgroups = 2;

  WarpgroupTile tile;
  LineWindow window;
  /// Contiguous positions, in steps of 64.
  int64_t segmentPositions;

  LineGradientTile(WarpgroupTile tile, const LineWindow &window,
                   int64_t segmentPositions)
      : tile(tile), window(window), segmentPositions(segmentPositions) {
    this->tile.im2colWarps = kIm2colWarpgroups;
  }

  int64_t usedColumns() const {
    return window.countGroups() * LineWindow::kGroupElements;
  }
  /// Tiles that cover all columns, and the columns that one of them writes.
  int64_t countColumnTiles() const {
    return ceilDiv(usedColumns(), tile.columns);
  }
  int64_t usedColumnsOf(int64_t columnTile) const {
    return std::min(tile.columns, usedColumns() - columnTile * tile.columns);
  }
  /// Whether the result, which is not padded to groups, has `columns`
  /// columns.
  bool hasColumns(int64_t columns) const {
    return tile.hasWholeRowsOfColumns() &&
           ceilDiv(columns, tile.columns) == countColumnTiles();
  }
  int64_t countLines() const {
    constexpr int64_t kPositions = WarpgroupTile::kRowElements;
    return window.countLines(kPositions,
                             std::gcd(kPositions, segmentPositions));
  }
  int64_t linesBytes() const { return window.bufferBytes(countLines()); }
  int64_t linesOffset() const { return tile.stages * tile.stageBytes(); }
  int64_t barrierOffset() const {
    return linesOffset() + tile.stages * linesBytes() +
           roundUp(window.reachBytes(), WarpgroupTile::kBarrierBytes);
  }
  /// Each stage has barriers for "copied", "gathered" and "empty".
  int64_t sharedBytes() const {
    return barrierOffset() + 3 * tile.stages * WarpgroupTile::kBarrierBytes;
  }
  /// Whether its stages fit into so many bytes.
  bool fits(int64_t sharedMemoryBytes) const {
    return tile.stages <= sharedMemoryBytes &&
           sharedBytes() <= sharedMemoryBytes;
  }
  std::optional<TileLimit> findExceeded(int64_t columns,
                                        int64_t sharedMemoryBytes) const {
    if (tile.consumers != 1 || !tile.fitsWorkgroup())
      return TileLimit::Workgroup;
    if (!hasColumns(columns))
      return TileLimit::Columns;
    if (tile.stages % kIm2colWarpgroups != 0)
      return TileLimit::Stages;
    if (!window.hasFewGroups())
      return TileLimit::Groups;
    if (!fits(sharedMemoryBytes))
      return TileLimit::SharedMemory;
    return window.reachBytes() <= linesOffset()
               ? std::nullopt
               : std::optional(TileLimit::Reach);
  }
};

} // namespace conv

#endif // CONV_KERNELS_LINEBUFFER_LINEGRADIENTTILE_H
