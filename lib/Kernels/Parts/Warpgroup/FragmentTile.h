//===- FragmentTile.h - fragments in shared memory --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane of a warpgroup has elements of 16 columns and 64 rows, in the
// layout of wgmma's fragments and accumulators. Lanes write them where copies
// and wgmma read, and read what copies have written.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace mlir::conv {

/// For so many columns, a lane has a pair in its row and one 8 rows below.
inline constexpr int64_t kColumnsPerPair = 8;

/// A lane's elements of a tile with 64 rows of `rowBytes` bytes, which may be
/// swizzled (`WarpgroupTile::isSwizzled`): pairs of neighbouring elements, as
/// integers. Of 16 columns, the lane has pairs of the first eight in rows l / 4
/// and l / 4 + 8, then the same of the next eight.
class FragmentTile {
public:
  /// `workItem` is the number of the work-item in its warpgroup.
  FragmentTile(const PtxBuilder &ptx, Value workItem, int64_t rowBytes,
               int64_t elementBytes = ::conv::WarpgroupTile::kElementBytes);

  Type getPairType() const;
  /// The most columns that one access takes.
  int64_t getColumns() const { return movesMatrices() ? 16 : 8; }
  /// Writes the pairs of the 16 or eight columns that start at `column`.
  void store(Value tile, int64_t column, ValueRange pairs) const;
  /// The address of the element in any row and column of a tile.
  Value locate(Value tile, Value row, Value column) const;
  /// Reads `count` pairs, four or two, of the columns from `column` on.
  SmallVector<Value> load(Value tile, int64_t column, int64_t count) const;

private:
  /// Whether instructions move the rows of all lanes together. They do for
  /// 16-bit elements; for other elements, each lane moves its own pairs.
  bool movesMatrices() const {
    return elementBytes == ::conv::WarpgroupTile::kElementBytes;
  }
  /// The address that a lane passes for the columns that start at `column`.
  Value getAddress(Value tile, int64_t column) const;
  /// The address of pair `i`.
  Value getPairAddress(Value tile, int64_t column, int64_t i) const;

  const PtxBuilder &ptx;
  int64_t rowBytes, elementBytes;
  bool isSwizzled; ///< Offsets in a row are XORed with `first`.
  Value row;       ///< Start of the row that the lane addresses.
  Value first;     ///< Offset of its first access in that row.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H
