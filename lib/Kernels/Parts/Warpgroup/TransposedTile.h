//===- TransposedTile.h - results with rows innermost -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TRANSPOSEDTILE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TRANSPOSEDTILE_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace mlir::conv {

/// A warpgroup's tile of results in shared memory, column after column, from
/// the accumulators of one or more atoms whose rows follow each other. The tile
/// starts at a multiple of 128 bytes.
class TransposedTile {
public:
  /// `workItem` is the number of the work-item in its warpgroup, and `rows`
  /// those of all atoms. `elementBytes` is 2 or 4
  /// (`WarpgroupTile::canTranspose`).
  TransposedTile(const PtxBuilder &ptx, Value workItem, int64_t rows,
                 int64_t elementBytes);

  /// Writes the pairs of the 16 or eight columns that start at `column`, a
  /// multiple of eight: of each eight columns, a lane has a pair in its row of
  /// the atom, and one eight rows below.
  void store(Value tile, int64_t atom, int64_t column, ValueRange pairs) const;
  /// The address of a column's element. Up to 16 aligned bytes that follow it
  /// hold the next rows.
  Value locate(Value tile, Value column, Value row) const;

private:
  const PtxBuilder &ptx;
  int64_t rows, elementBytes;
  /// Offsets of a lane's first elements: for 16 bits the row of a matrix that
  /// `stmatrix` writes, otherwise one for each element of a pair.
  SmallVector<Value, 2> first;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TRANSPOSEDTILE_H
