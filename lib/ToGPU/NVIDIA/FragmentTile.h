//===- FragmentTile.h - fragments on their way to shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warpgroup have 16 columns of 64 rows in the layout of wgmma's
// fragments and sums, and write these where copies and wgmma read them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H
#define CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H

#include "PtxBuilder.h"

namespace mlir::conv {

/// Where a lane writes in any tile of 64 rows of `rowBytes` swizzled bytes.
class FragmentTile {
public:
  /// `workItem` is a number in the warpgroup.
  FragmentTile(const PtxBuilder &ptx, Value workItem, int64_t rowBytes);

  /// Writes 16 columns from byte `bytes` of a row on: of the first eight, the
  /// pairs of rows l / 4 and l / 4 + 8, and of the next eight.
  void store(Value tile, int64_t bytes, ValueRange registers) const;

private:
  const PtxBuilder &ptx;
  Value row;   ///< Where the lane's row starts, for stmatrix.
  Value twist; ///< XOR of its pieces, in bytes.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_FRAGMENTTILE_H
