//===- KeptTile.h - an operand that stays in shared memory ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter is the same for many tiles of the `tma` main loop. If a workgroup
// has room for all steps of its part, copies bring that once, and stages have
// the other operand only:
//
//   stages of the other operand | steps of what is kept | staging | barriers
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H
#define CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H

#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace conv {

/// An operand that is the same for all matrices of a product, or that of each
/// group.
struct TmaReuse {
  enum class Side { None, Left, Right } side = Side::None;
  /// Of the reduction, of the batch, and of each of its matrices.
  int64_t steps = 0, matrices = 1, rows = 0, columns = 0;
  /// That have an operand of their own: all matrices, if it is not 1.
  int64_t groups = 1;
};

/// The tile of a workgroup, and what it keeps.
struct KeptTile {
  using Side = TmaReuse::Side;

  explicit KeptTile(const TmaTile &tile) : tile(tile) {}
  /// Keeps what there is room for, if `units` workgroups have several tiles.
  KeptTile(const TmaTile &tile, const TmaReuse &reuse, int64_t units,
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
  /// What a step has of the operand that is kept.
  int64_t stepBytes() const {
    return keepsLeft()    ? tile.leftBytes()
           : keepsRight() ? tile.rightBytes()
                          : 0;
  }
  int64_t keptBytes() const { return steps * stepBytes(); }
  int64_t keptOffset() const { return tile.stages * stageBytes(); }
  /// Where tiles of both operands of the first stage are.
  int64_t leftOffset() const {
    return keepsLeft() ? keptOffset() : tile.leftOffset();
  }
  int64_t rightOffset() const {
    return keepsRight() ? keptOffset() : keepsLeft() ? 0 : tile.rightOffset();
  }
  /// How much further all that follows the stages is than if nothing were
  /// kept; negative if that saves more than it takes.
  int64_t shift() const { return keptBytes() - tile.stages * stepBytes(); }
  /// One barrier for "full" of each step that is kept, after all others.
  int64_t barrierOffset() const { return tile.sharedBytes() + shift(); }
  int64_t sharedBytes() const {
    return barrierOffset() + steps * TmaTile::kBarrierBytes;
  }
  /// Bytes that are left for a tile that keeps nothing.
  int64_t reduce(int64_t availableBytes) const {
    return availableBytes - shift() - steps * TmaTile::kBarrierBytes;
  }

  /// How many workgroups go over so many tiles: each has always the same part
  /// of what is kept.
  int64_t countWorkgroups(int64_t tiles, int64_t units) const {
    int64_t most = std::min(tiles, units);
    return most - most % across;
  }

  TmaTile tile;
  Side side = Side::None;
  int64_t steps = 0;  ///< Of what is kept.
  int64_t across = 1; ///< Tiles side by side along it, of all groups.
  int64_t groups = 1; ///< As of `TmaReuse`.
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_KEPTTILE_H
