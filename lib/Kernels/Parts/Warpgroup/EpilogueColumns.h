//===- EpilogueColumns.h - stores of results with rows innermost ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECOLUMNS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECOLUMNS_H

#include "EpilogueTensors.h"
#include "TransposedTile.h"

namespace mlir::conv {

/// Stores results that have rows innermost in memory, as those in NCHW do: the
/// rows of one or two atoms go to shared memory, some columns at a time, and
/// from there consecutive lanes store consecutive rows of a column.
class EpilogueColumns {
public:
  /// Whether `tensors` has such results.
  static bool apply(const EpilogueTensors &tensors,
                    const ::conv::WarpgroupTile &tile);
  /// `workItem` is the number of the work-item in its warpgroup.
  EpilogueColumns(const EpilogueTensors &tensors, const PtxBuilder &ptx,
                  const ::conv::WarpgroupTile &tile, Value workItem);

  /// Atoms of a consumer whose rows are staged together, and how many columns
  /// of them fit.
  int64_t getAtoms() const { return atoms; }
  int64_t getMostColumns() const {
    return tile.stagedColumns() / atoms / kColumnsOfMatrix * kColumnsOfMatrix;
  }
  /// Writes pairs of columns to shared memory, from the `column`th one staged
  /// there on.
  void stage(Value staging, int64_t atom, int64_t column,
             ValueRange pairs) const {
    staged.store(staging, atom, column, pairs);
  }
  /// Stores `count` staged columns, of which the first is the `column`th of
  /// the tile. `row` is the first row of the atoms.
  void store(const SubproblemTile &origin, Value row, int64_t column,
             int64_t count, Value staging) const;

private:
  static constexpr int64_t kColumnsOfMatrix = 8;

  /// Rows that one lane stores of a column.
  int64_t getRowsOfLane() const;
  /// Whether rows of 16 bits start at any element: lanes then store pairs that
  /// are aligned, wherever these start.
  bool hasOddRows() const { return rowsOfVector == 1 && elementBytes == 2; }
  /// The row of the atoms that is stored as number `i` of a column.
  Value getRow(Value i) const;

  /// Rows of 16 bits that start at any element, as far as columns do not
  /// matter. A lane has two rows. If the first one is at an even offset, they
  /// are stored together. Else the second one is, with the first row of the
  /// next lane. What has no such neighbour is stored alone.
  struct OddRows {
    Value distance; ///< From the first row to the second one, in elements.
    Value isPair;   ///< Whether both rows are in the result and adjacent.
    Value isLater;  ///< Whether the next lane's first row is, too.
    /// Whether the first and the second row are stored alone if the first one
    /// is at an even offset, and at an odd one.
    std::array<std::pair<Value, Value>, 2> isAlone;
  };
  /// The rows of a lane.
  struct Rows {
    /// The first row among those of the atoms, and in odd rows the third one.
    SmallVector<Value, 2> staged;
    EpilogueTensors::Row first; ///< What the first row adds to positions.
    OddRows odd;                ///< If there are odd rows.
  };
  Rows createRows(const SubproblemTile &origin, Value row) const;
  /// A column of the result, where it is among those staged, and whether it is
  /// one of them; null if all are.
  struct Column {
    Value number, inTile, isStaged;
  };
  void storeVector(const Rows &rows, const Column &column, Value staging) const;
  void storeOddRows(const Rows &rows, const Column &column,
                    Value staging) const;
  Value no(Value value) const;
  Value createDifference(Value lhs, Value rhs) const;
  Value isOne(Value value) const;

  const EpilogueTensors &tensors;
  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  Type elementType;
  int64_t elementBytes, rowsOfVector, atoms;
  Value workItem;
  TransposedTile staged;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECOLUMNS_H
