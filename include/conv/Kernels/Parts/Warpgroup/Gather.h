//===- Gather.h - operands that lanes copy ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the copy engine cannot load the tiles of a product, or takes long for
// rows that start inside sectors, all lanes of the producer's warpgroup copy a
// few bytes at a time to the places where the copy engine would put them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_GATHER_H
#define CONV_KERNELS_PARTS_WARPGROUP_GATHER_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace conv {

/// How lanes copy an operand: so many bytes at a time, along the reduction or,
/// if it is transposed, along its rows (of the right operand, along the
/// result's columns).
struct GatheredOperand {
  int64_t copyBytes = 0;
  bool isTransposed = false;
  int64_t alignment = 1; ///< Bytes of which the starts of rows are multiples.
  /// Registers of a position: an offset, and coordinates that may be outside.
  int64_t registers = 1;

  /// Whether rows start inside sectors of so many bytes.
  bool isUnaligned(int64_t sectorBytes) const {
    return sectorBytes > 0 && alignment % sectorBytes != 0;
  }
  /// Lines of shared memory that all lanes copy at a time.
  int64_t linesAtOnce() const {
    return WarpgroupTile::kWarpgroupSize * copyBytes / WarpgroupTile::kRowBytes;
  }
  /// Positions of the rows of a tile that a lane copies.
  int64_t countPositions(int64_t rows) const {
    return ceilDiv(rows,
                   isTransposed ? WarpgroupTile::kRowElements : linesAtOnce());
  }
};

/// How lanes copy both operands.
struct Gather {
  GatheredOperand left, right;

  bool isUnaligned(int64_t sectorBytes) const {
    return left.isUnaligned(sectorBytes) || right.isUnaligned(sectorBytes);
  }
  /// Whether lanes have registers for the positions of the tile's rows.
  bool fits(const WarpgroupTile &tile) const {
    return left.registers * left.countPositions(tile.rows) +
               right.registers * right.countPositions(tile.columns) <=
           tile.positionRegisters();
  }
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_GATHER_H
