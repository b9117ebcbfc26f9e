//===- WgmmaSums.h - accumulators of a warpgroup ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMASUMS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMASUMS_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace mlir::conv {

/// The accumulators of one consumer, independent of where the operands are:
/// atoms of 64 rows and all columns, one below the other.
///
/// In an atom, lane l of warp w holds of row 16 w + l / 4 + 8 h, and of the
/// eight columns from 8 j on, columns 8 j + 2 (l % 4) and the next one, as
/// elements 4 j + 2 h and 4 j + 2 h + 1 of its accumulators.
class WgmmaSums {
public:
  /// `elementType` is f32 or i32.
  WgmmaSums(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
            Type elementType)
      : ptx(ptx), tile(tile), elementType(elementType) {}

  /// Accumulators with undefined values, which the first step overwrites.
  SmallVector<Value> createUndefined() const;

  /// Waits until at most `steps` steps are in flight.
  void wait(int64_t steps) const;

  SmallVector<Value> createZeros() const;

  /// The accumulators after all steps. Earlier values must not be read.
  SmallVector<Value> finish(ValueRange accumulators) const;

  /// An atom's accumulators after the wait. Earlier values must not be read.
  Value finishAtom(Value sums) const;

  /// The sums of two atoms, which lanes add in f32.
  Value addAtom(Value sums, Value others) const;

  /// Elements `first` and `first + 1` of an atom's accumulators.
  static Value getPair(const PtxBuilder &ptx, Value accumulators,
                       int64_t first);

protected:
  Type getSumsType() const;
  int64_t getNumAccumulators() const { return tile.columns / 2; }

  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  Type elementType;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMASUMS_H
