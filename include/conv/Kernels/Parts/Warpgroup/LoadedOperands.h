//===- LoadedOperands.h - operands that lanes load --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where neither boxes nor asynchronous copies can bring the tiles of a product,
// all lanes of the producer's warpgroup load a few bytes at a time to registers
// and store 16 bytes at a time to where the copy engine would put them. Rows in
// shared memory are always along the reduction.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_LOADEDOPERANDS_H
#define CONV_KERNELS_PARTS_WARPGROUP_LOADEDOPERANDS_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace conv {

/// How lanes load an operand.
struct LoadedOperand {
  /// Bytes of a load: one element, or several that are adjacent along the
  /// reduction.
  int64_t loadBytes = 1;
  /// Whether neighbouring lanes load neighbouring rows, rather than
  /// neighbouring vectors of a row.
  bool areLanesRows = false;
  /// Registers of a position: an offset, and coordinates that may be outside.
  int64_t registers = 1;

  static constexpr int64_t kWarpLanes =
      WarpgroupTile::kWarpgroupSize / WarpgroupTile::kWarps;
  static constexpr int64_t kVectorsOfRow =
      WarpgroupTile::kRowBytes / WarpgroupTile::kAccessBytes;

  /// Rows that all lanes load at a time: those of a warp's lanes, or those for
  /// whose vectors there are lanes.
  int64_t rowsAtOnce() const {
    return areLanesRows ? kWarpLanes
                        : WarpgroupTile::kWarpgroupSize / kVectorsOfRow;
  }
  /// Vectors that a lane loads of each of its rows: if lanes are rows, each
  /// warp has some.
  int64_t vectorsOfLane() const {
    return areLanesRows ? kVectorsOfRow / WarpgroupTile::kWarps : 1;
  }
  int64_t loadsOfVector() const {
    return WarpgroupTile::kAccessBytes / loadBytes;
  }
  int64_t registersOfLoad() const { return ceilDiv(loadBytes, 4); }
  /// Positions of the rows of a tile that a lane loads.
  int64_t countPositions(int64_t rows) const {
    return ceilDiv(rows, rowsAtOnce());
  }
  /// Loads of a lane for a step of a tile with so many rows.
  int64_t countLoads(int64_t rows) const {
    return countPositions(rows) * vectorsOfLane() * loadsOfVector();
  }
};

/// How lanes load both operands.
struct LoadedOperands {
  LoadedOperand left, right;

  /// Narrower products, such as those of narrow groups, are no tiles: direct
  /// kernels are faster.
  static constexpr int64_t kFewestColumns = 8;
  /// Loads that are in flight before a lane stores what arrived: two rounds.
  static constexpr int64_t kLoadsOfRound = 16;
  /// Registers of a lane beside positions and what was loaded: the addresses of
  /// a round, and 16 others.
  static constexpr int64_t kOtherRegisters = 2 * kLoadsOfRound + 16;

  /// Registers of a lane that are left for positions.
  int64_t positionRegisters(const WarpgroupTile &tile) const {
    int64_t loads = left.countLoads(tile.rows) + right.countLoads(tile.columns);
    int64_t loaded = std::min(loads, 2 * kLoadsOfRound) *
                     std::max(left.registersOfLoad(), right.registersOfLoad());
    return tile.producerRegisters() - loaded - kOtherRegisters;
  }
  /// Whether these are enough for the positions of the tile's rows, and of the
  /// reduced elements of a vector.
  bool fits(const WarpgroupTile &tile) const {
    int64_t rows = left.registers * left.countPositions(tile.rows) +
                   right.registers * right.countPositions(tile.columns);
    int64_t reduced = std::max(left.registers * left.loadsOfVector(),
                               right.registers * right.loadsOfVector());
    return rows + reduced <= positionRegisters(tile);
  }
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_LOADEDOPERANDS_H
