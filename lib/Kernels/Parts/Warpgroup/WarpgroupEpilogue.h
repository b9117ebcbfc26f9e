//===- WarpgroupEpilogue.h - epilogue and store through shared memory -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPEPILOGUE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPEPILOGUE_H

#include "EpilogueChunks.h"
#include "EpilogueColumns.h"
#include "EpilogueTensors.h"
#include "FragmentTile.h"
#include "WgmmaSums.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Applies the epilogue to a consumer's accumulators and stores the result. If
/// the result can be copied, the columns of an atom's rows go to shared memory,
/// from where chunks are copied; copies clip what is outside the result.
/// Otherwise, lanes store rows from there if elements have 16 bits, or
/// columns if rows are innermost; or else, each lane stores its own elements.
class WarpgroupEpilogue {
public:
  using Subproblem = EpilogueTensors::Subproblem;
  using Column = EpilogueTensors::Column;
  using ColumnOrder = EpilogueTensors::ColumnOrder;

  /// `staging` is this consumer's subtile of shared memory, `barrier` the named
  /// barrier of its warpgroup, and `workItem` the work-item's number in it. If
  /// `order` permutes the columns, the result is not copied.
  WarpgroupEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
                    const ::conv::WarpgroupTile &tile, const TmaResult &form,
                    Value consumer, Value workItem, Value staging,
                    ColumnOrder order = nullptr)
      : WarpgroupEpilogue({Subproblem{kernel, form}}, ptx, tile, consumer,
                          workItem, staging, std::move(order)) {}
  /// One epilogue for several subproblems, which `EpilogueTensors::areAlike`
  /// must hold for.
  WarpgroupEpilogue(ArrayRef<Subproblem> subproblems, const PtxBuilder &ptx,
                    const ::conv::WarpgroupTile &tile, Value consumer,
                    Value workItem, Value staging, ColumnOrder order = nullptr);

  /// Results overwrite the chunks of an operand of the epilogue, and the
  /// epilogue warp of `chunks` copies them.
  void replaceChunks(const EpilogueChunks &chunks, size_t operand) {
    replaced = {&chunks, operand};
  }

  /// A lane's elements of the epilogue's operands, for some columns and rows.
  using Loaded = SmallVector<Value>;
  /// Starts the epilogue's first loads; best called before the main loop.
  Loaded load(const SubproblemTile &origin) const {
    return load(getSubtile(origin, /*number=*/0));
  }
  /// Applies the epilogue to the sums, if there is a product, and stores the
  /// result. `phase` is the phase of the chunks.
  void create(const SubproblemTile &origin, ValueRange accumulators,
              Loaded loaded, Value phase = Value()) const;
  /// Waits until all stores have finished reading shared memory.
  static void finish(const PtxBuilder &ptx, Value workItem);

private:
  /// An epilogue subtile: some columns of an atom's rows. Of each eight
  /// columns, a lane has a pair in its row and another one 8 rows below.
  struct Subtile {
    int64_t atom, column, columns;
    Value row; ///< The atom's first row.
    /// The box of these rows, if its place is selected: the switch then comes
    /// before the branch in which one lane copies.
    std::optional<EpilogueTensors::Box> box;
    /// The lane's two rows, if lanes load or store anything.
    SmallVector<EpilogueTensors::Row, 2> rows;
    Value laneColumn; ///< The lane's first column of the tile.

    int64_t countPairs() const;
  };
  /// A lane's two neighbouring columns of a row.
  struct Place {
    const EpilogueTensors::Row &row;
    EpilogueTensors::Columns columns;
  };

  /// Columns of an epilogue subtile, limited by registers. The last subtile of
  /// a chunk may have fewer columns.
  int64_t getColumnsAtOnce() const;
  int64_t countSubtiles() const; ///< Per atom.
  /// Atoms whose rows are staged at a time, and how many of their columns.
  int64_t getStagedAtoms() const { return columns ? columns->getAtoms() : 1; }
  int64_t getStagedColumns() const;
  Subtile getSubtile(const SubproblemTile &origin, int64_t number) const;
  /// Whether lanes load operands or store the result.
  bool movesByLanes() const;
  /// Whether lanes store rows that are in shared memory, and whether the
  /// result goes there at all. Lanes would store their own elements to half of
  /// the sectors of eight rows at a time.
  bool storesRows() const;
  bool isStaged() const {
    return result.isCopied(tile) || columns || storesRows();
  }
  /// The place of pair `i` of an epilogue subtile.
  Place getPlace(const Subtile &subtile, int64_t i) const;
  /// Loads the operands. The entry of an operand whose chunks are replaced is
  /// null.
  Loaded load(const Subtile &subtile) const;
  /// Reads the replaced operand from shared memory.
  Value loadStaged(const Subtile &subtile) const;
  /// The results of all pairs. A single epilogue computes them, so that its
  /// functions overlap.
  SmallVector<Value> createPairs(const Subtile &subtile, Value sums,
                                 Loaded loaded) const;
  /// Writes pairs to shared memory, or to the result.
  void stage(const Subtile &subtile, ValueRange pairs) const;
  void store(const Subtile &subtile, ValueRange pairs) const;
  /// The consumer's chunk with this column, and where the chunk is staged.
  int64_t getChunk(const Subtile &subtile, int64_t column) const;
  Value getStaged(const Subtile &subtile, int64_t column) const;
  /// Before the first subtile of staged columns or of a chunk, `beginSubtile`
  /// waits until their place is free. After the last one, `endSubtile` sends
  /// them.
  void beginSubtile(const Subtile &subtile, Value phase) const;
  void endSubtile(const Subtile &subtile, const SubproblemTile &origin) const;
  /// `beginColumns` waits until shared memory is free. `copyColumns` copies the
  /// staged columns of an atom's rows, up to the `last` subtile.
  void beginColumns() const;
  void copyColumns(const SubproblemTile &origin, const Subtile &last) const;
  /// The box of an atom's rows from the tile's first column on.
  EpilogueTensors::Box getBox(const SubproblemTile &origin, Value row) const;
  /// Stores the columns that `copyColumns` would copy, warp by warp: each has
  /// staged rows of its own.
  void storeRows(const SubproblemTile &origin, const Subtile &last) const;
  /// Starts the copies of `copyColumns`.
  void copyRows(const SubproblemTile &origin, const Subtile &last) const;
  /// Stores what is staged if rows are innermost.
  void storeColumns(const SubproblemTile &origin, const Subtile &last) const;
  void synchronize() const;

  const TiledConvolution &form; ///< Of the first subproblem.
  const TmaResult &result;      ///< Likewise.
  EpilogueTensors tensors;
  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  Value consumer, workItem, staging;
  struct Replaced {
    const EpilogueChunks *chunks = nullptr; ///< Null if there are none.
    size_t operand = 0;                     ///< Number among the operands.
  } replaced;
  FragmentTile chunk; ///< A chunk in shared memory.
  /// How lanes store columns, if they do.
  std::optional<EpilogueColumns> columns;
  Value isFirst; ///< Whether this work-item copies.
  Value lane;    ///< Number in the warp.
  Value warpRow; ///< First row of the warp in an atom.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPEPILOGUE_H
