//===- KeptTile.h - an operand that stays in shared memory ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many tiles of the `tma` main loop use the same filter. If a workgroup has
// room for all steps of its part, copies load it once, and stages hold only the
// other operand:
//
//   stages of the other operand | steps of what is kept | staging | barriers
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H
#define CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace conv {

/// An operand that all matrices of a product share, or the filters of groups.
struct TmaReuse {
  enum class Side { None, Left, Right } side = Side::None;
  /// Reduction steps, matrices of the batch, and the size of each matrix.
  int64_t steps = 0, matrices = 1, rows = 0, columns = 0;
  /// Matrices with an operand of their own: all of them, or 1 if they share it.
  int64_t groups = 1;
};

/// The tile of a workgroup, and the operand that it keeps.
struct KeptTile {
  using Side = TmaReuse::Side;

  explicit KeptTile(const WarpgroupTile &tile) : tile(tile) {}
  /// Keeps an operand if it fits and `units` workgroups have several tiles.
  KeptTile(const WarpgroupTile &tile, const TmaReuse &reuse, int64_t units,
           int64_t availableBytes)
      : tile(tile) {
    constexpr int64_t kMostAcross = 8, kFewestRounds = 2, kIdleShare = 32;
    if (reuse.side == Side::None || tile.cluster > 1 || tile.hasSlots() ||
        tile.rightHaloTileBytes > 0 || tile.isConverted())
      return;
    KeptTile other(tile);
    int64_t rowTiles = ceilDiv(reuse.rows, tile.rows);
    int64_t columnTiles = ceilDiv(reuse.columns, tile.columns);
    other.side = reuse.side;
    other.steps = reuse.steps;
    int64_t parts = other.keepsLeft() ? rowTiles : columnTiles;
    other.groups = reuse.groups;
    other.across = parts * reuse.groups;
    bool areBusy =
        reuse.groups == 1 || units % other.across <= units / kIdleShare;
    if (parts <= kMostAcross && areBusy &&
        reuse.matrices * rowTiles * columnTiles >= kFewestRounds * units &&
        other.sharedBytes() <= availableBytes)
      *this = other;
  }

  bool keepsLeft() const { return side == Side::Left; }
  bool keepsRight() const { return side == Side::Right; }
  bool keeps() const { return side != Side::None; }

  int64_t stageBytes() const { return tile.stageBytes() - stepBytes(); }
  /// Bytes of one step of the kept operand.
  int64_t stepBytes() const {
    return keepsLeft()    ? tile.leftBytes()
           : keepsRight() ? tile.rightBytes()
                          : 0;
  }
  int64_t keptBytes() const { return steps * stepBytes(); }
  int64_t keptOffset() const { return tile.stages * stageBytes(); }
  /// Offsets of the tiles of both operands in the first stage.
  int64_t leftOffset() const {
    return keepsLeft() ? keptOffset() : tile.leftOffset();
  }
  int64_t rightOffset() const {
    return keepsRight() ? keptOffset() : keepsLeft() ? 0 : tile.rightOffset();
  }
  /// Bytes by which everything after the stages moves if an operand is kept;
  /// negative if keeping saves more than it takes.
  int64_t shift() const { return keptBytes() - tile.stages * stepBytes(); }
  /// Each kept step has a barrier "full", after all other barriers.
  int64_t barrierOffset() const { return tile.sharedBytes() + shift(); }
  int64_t sharedBytes() const {
    return barrierOffset() + steps * WarpgroupTile::kBarrierBytes;
  }
  /// Bytes available to a tile that keeps nothing.
  int64_t reduce(int64_t availableBytes) const {
    return availableBytes - shift() - steps * WarpgroupTile::kBarrierBytes;
  }

  /// The number of workgroups that go over `tiles` tiles: each workgroup always
  /// has the same part of the kept operand.
  int64_t countWorkgroups(int64_t tiles, int64_t units) const {
    int64_t most = std::min(tiles, units);
    return most - most % across;
  }

  WarpgroupTile tile;
  Side side = Side::None;
  int64_t steps = 0;  ///< Kept steps.
  int64_t across = 1; ///< Tiles side by side along the operand, of all groups.
  int64_t groups = 1; ///< As in `TmaReuse`.
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H
