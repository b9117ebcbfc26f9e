//===- FragmentTile.h - fragments to and from shared memory -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warpgroup have 16 columns of 64 rows in the layout of wgmma's
// fragments and sums. They write these where copies and wgmma read them, and
// read what copies have written.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace mlir::conv {

/// What a lane has in any tile of 64 rows of `rowBytes` bytes, which may be
/// swizzled (`TmaTile::isSwizzled`): pairs of neighbouring elements, as
/// integers. Pairs of 16 columns are, of the first eight, those of rows l / 4
/// and l / 4 + 8, and of the next eight.
class FragmentTile {
public:
  /// `workItem` is a number in the warpgroup.
  FragmentTile(const PtxBuilder &ptx, Value workItem, int64_t rowBytes,
               int64_t elementBytes = ::conv::TmaTile::kElementBytes);

  Type getPairType() const;
  /// Columns that one access takes, or less.
  int64_t getColumns() const { return movesMatrices() ? 16 : 8; }
  /// Writes the pairs of columns from `column` of a row on: 16, or eight.
  void store(Value tile, int64_t column, ValueRange pairs) const;
  /// Reads so many pairs: four, or two.
  SmallVector<Value> load(Value tile, int64_t column, int64_t count) const;

private:
  /// Whether instructions move the rows of all lanes together. They do for 16
  /// bits; lanes move their own pairs of other elements.
  bool movesMatrices() const {
    return elementBytes == ::conv::TmaTile::kElementBytes;
  }
  /// The address that a lane gives, for columns from `column` on.
  Value getAddress(Value tile, int64_t column) const;
  /// That of pair `i`.
  Value getPairAddress(Value tile, int64_t column, int64_t i) const;

  const PtxBuilder &ptx;
  int64_t rowBytes, elementBytes;
  bool isSwizzled; ///< Bytes of a row are at their XOR with `first`.
  Value row;       ///< Where the row starts that the lane gives.
  Value first;     ///< What it gives is so far after that.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_FRAGMENTTILE_H
