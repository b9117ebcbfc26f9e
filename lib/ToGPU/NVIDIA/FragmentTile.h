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

#ifndef CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H
#define CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H

#include "PtxBuilder.h"

namespace mlir::conv {

/// What a lane has in any tile of 64 rows of `rowBytes` bytes, which may be
/// swizzled (`TmaTile::isSwizzled`).
class FragmentTile {
public:
  /// `workItem` is a number in the warpgroup.
  FragmentTile(const PtxBuilder &ptx, Value workItem, int64_t rowBytes);

  /// Writes 16 columns from byte `bytes` of a row on: of the first eight, the
  /// pairs of rows l / 4 and l / 4 + 8, and of the next eight, if there are.
  void store(Value tile, int64_t bytes, ValueRange registers) const;
  /// Reads them: 16 columns, or 8.
  SmallVector<Value> load(Value tile, int64_t bytes, int64_t columns) const;

private:
  /// The address that a lane gives, for 16 columns from byte `bytes` on.
  Value getAddress(Value tile, int64_t bytes) const;

  const PtxBuilder &ptx;
  bool isSwizzled; ///< Pieces of a row are at their XOR with `first`.
  Value row;       ///< Where the row starts that the lane gives.
  Value first;     ///< Where its first piece is in the row, in bytes.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H
