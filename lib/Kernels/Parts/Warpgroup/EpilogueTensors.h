//===- EpilogueTensors.h - what an epilogue reads and writes ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subproblems of a kernel, such as the dgrad phases of a gradient, may differ
// only in where their rows are in memory. They then share one epilogue: the
// number of a tile's subproblem selects where its rows are.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUETENSORS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUETENSORS_H

#include "../MatrixAccess.h"
#include "PersistentScheduler.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include <vector>

namespace mlir::conv {

/// The operands of an epilogue and its result, as lanes load and store them,
/// two neighbouring columns at a time, and as copies of boxes see the result.
class EpilogueTensors {
public:
  /// A column of the result, and whether the result has it.
  struct Column {
    Value number, isUsed;
  };
  /// Maps a column of the accumulators to a column of the result.
  using ColumnOrder = std::function<Column(Value)>;

  /// What is known of a subproblem.
  struct Subproblem {
    const Kernel &kernel;
    const TmaResult &result;
  };

  EpilogueTensors(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                  ArrayRef<Subproblem> subproblems, ColumnOrder order);

  /// Whether the epilogues of two subproblems differ only in where rows are.
  /// Lanes do not load the operand `copied`, if there is one.
  static bool areAlike(const ::conv::WarpgroupTile &tile, const Subproblem &lhs,
                       const Subproblem &rhs, std::optional<size_t> copied);

  /// A row of a tile: what it adds to the positions in all operands and, last,
  /// in the result.
  struct Row {
    SmallVector<MatrixAccess::Position> positions;
    Value isUsed; ///< Whether the result has it; null if all rows are used.
  };
  Row createRow(const SubproblemTile &tile, Value row) const;

  /// Two neighbouring columns of a tile: the first one is `inTile` columns
  /// after `lane`, which is less than eight columns after the tile's first
  /// column, or any number where lanes store whole rows.
  struct Columns {
    Value lane;
    int64_t inTile; ///< A multiple of eight.
  };
  /// A lane's elements of two columns.
  Value load(size_t operand, const Row &row, const Columns &columns) const;
  void store(Value pair, const Row &row, const Columns &columns) const;
  /// Stores the vector of one or two elements from the first column on, which
  /// `getColumnsOfStore` allows.
  void storeRow(Value elements, const Row &row, const Columns &columns) const {
    store(elements, getElement(row, columns));
  }

  /// How many columns of the result one store of a lane takes, a pair or one,
  /// where lanes can store rows: columns are adjacent in memory, and all
  /// columns of a row have the same outer digits. Otherwise 0.
  int64_t getColumnsOfStore() const;
  Type getElementType() const {
    return getKernel().form.result.getElementType();
  }
  /// Elements of the result that neighbouring rows have in one aligned vector
  /// of 16 bytes, if rows are innermost; otherwise 0.
  int64_t getRowsOfVector() const;
  /// Rows of the result that follow each other in memory.
  int64_t getRowsOfLine() const;
  /// Whether the distance of two rows is the same in all columns, and the
  /// result has all columns of a row or none.
  bool hasIndependentRows() const;

  /// The place of an element of the result, and whether the result has it.
  struct Element {
    Value offset, guard;
  };
  Element getElement(const Row &row, const Columns &columns) const {
    return getElement(row, columns, getColumn(columns, 0), 0);
  }
  /// Whether the result has the first column.
  Value isUsed(const Columns &columns) const {
    return getColumn(columns, 0).isUsed;
  }
  /// Stores elements that follow each other in memory from `first` on, if the
  /// guard of `first` holds.
  void store(Value elements, const Element &first) const;

  /// A box of the result: its tensor map, and where it starts.
  struct Box {
    Value map;
    SmallVector<Value> corner; ///< Innermost first.
  };
  /// The box that starts at `tile`.
  Box createBox(const SubproblemTile &tile) const;

private:
  /// The tensors of one subproblem.
  struct Tensors {
    Subproblem of;
    std::vector<MatrixAccess> accesses; ///< As `Row::positions`.
  };
  /// The first (0) or second (1) of two columns.
  Column getColumn(const Columns &columns, int64_t i) const;
  /// How many of a lane's two columns one access takes.
  int64_t getWidth(size_t access) const;
  /// The position of column `i` of two, whose number is `number`.
  MatrixAccess::Position locate(size_t access, const Row &row,
                                const Columns &columns, int64_t i,
                                Value number) const;
  Value createGuard(const Row &row, Column column) const;
  /// Column `i` of two, which is `own`.
  Element getElement(const Row &row, const Columns &columns, Column own,
                     int64_t i) const;
  const Kernel &getKernel() const { return all.front().of.kernel; }
  const MatrixAccess &getAccess(size_t number) const {
    return all.front().accesses[number];
  }
  size_t getResult() const { return all.front().accesses.size() - 1; }

  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  SmallVector<Tensors, 1> all;
  ColumnOrder order; ///< Null for the result's order.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUETENSORS_H
