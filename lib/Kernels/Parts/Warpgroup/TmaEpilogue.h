//===- TmaEpilogue.h - epilogue and store through shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAEPILOGUE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAEPILOGUE_H

#include "../MatrixAccess.h"
#include "EpilogueChunks.h"
#include "FragmentTile.h"
#include "WgmmaSums.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Applies the epilogue to a consumer's accumulators and stores the result. If
/// the result can be copied, the columns of an atom's rows go to shared memory,
/// from where chunks are copied; copies clip what is outside the result.
/// Otherwise each lane stores its own elements.
class TmaEpilogue {
public:
  /// A column of the result, and whether the result has it.
  struct Column {
    Value number, isUsed;
  };
  /// Maps a column of the accumulators to a column of the result.
  using ColumnOrder = std::function<Column(Value)>;

  /// `staging` is this consumer's part of shared memory, `barrier` the named
  /// barrier of its warpgroup, and `workItem` the work-item's number in it. If
  /// `order` permutes the columns, the result is not copied.
  TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
              const ::conv::TmaTile &tile, const TmaResult &form,
              Value consumer, Value workItem, Value staging,
              ColumnOrder order = nullptr);

  /// Results overwrite the chunks of an operand of the epilogue, and the
  /// epilogue warp of `chunks` copies them.
  void replaceChunks(const EpilogueChunks &chunks, size_t operand) {
    replaced = {&chunks, operand};
  }

  /// A lane's elements of the epilogue's operands, for some columns and rows.
  using Loaded = SmallVector<Value>;
  /// Starts the epilogue's first loads; best called before the main loop.
  Loaded load(TileOrigin origin) const {
    return load(getPart(origin, /*number=*/0));
  }
  /// Applies the epilogue to the sums, if there is a product, and stores the
  /// result. `phase` is the phase of the chunks.
  void create(TileOrigin origin, ValueRange accumulators, Loaded loaded,
              Value phase = Value()) const;
  /// Waits until all stores have finished reading shared memory.
  static void finish(const PtxBuilder &ptx, Value workItem);

private:
  /// A lane's two neighbouring columns of a row, in the result.
  struct Place {
    Value batch, row, column;
  };

  /// An epilogue subtile: some columns of an atom's rows. Of each eight
  /// columns, a lane has a pair in its row and another one 8 rows below.
  struct Part {
    int64_t atom, column, columns;
    Value row;   ///< The atom's first row.
    Place first; ///< The lane's first place.

    int64_t countPairs() const;
  };

  /// Columns of an epilogue subtile, limited by registers. The last subtile of
  /// a chunk may have fewer columns.
  int64_t getColumnsAtOnce() const;
  int64_t countParts() const; ///< Per atom.
  Part getPart(TileOrigin origin, int64_t number) const;
  /// The place of pair `i` of an epilogue subtile.
  Place getPlace(const Part &part, int64_t i) const;
  /// Loads the operands. The entry of an operand whose chunks are replaced is
  /// null.
  Loaded load(const Part &part) const;
  /// Reads the replaced operand from shared memory.
  Value loadStaged(const Part &part) const;
  /// The results of all pairs. A single epilogue computes them, so that its
  /// functions overlap.
  SmallVector<Value> createPairs(const Part &part, Value sums,
                                 Loaded loaded) const;
  /// Writes pairs to shared memory, or to the result.
  void stage(const Part &part, ValueRange pairs) const;
  void store(const Part &part, ValueRange pairs) const;
  /// The consumer's chunk with this column, and where the chunk is staged.
  int64_t getChunk(const Part &part, int64_t column) const;
  Value getStaged(const Part &part, int64_t column) const;
  /// Before the first subtile of staged columns or of a chunk, `beginPart`
  /// waits until their place is free. After the last one, `endPart` sends them.
  void beginPart(const Part &part, Value phase) const;
  void endPart(const Part &part, TileOrigin origin) const;
  /// `beginColumns` waits until shared memory is free. `copyColumns` copies the
  /// staged columns of an atom's rows, up to the `last` subtile.
  void beginColumns() const;
  void copyColumns(TileOrigin origin, const Part &last) const;
  /// Starts the copies of `copyColumns`.
  void copyRows(TileOrigin origin, const Part &last) const;
  Column getColumn(Place place, int64_t offset) const;
  /// How many of a lane's two columns one access takes.
  int64_t getWidth(const MatrixAccess &access) const;
  MatrixAccess::Position locate(const MatrixAccess &access, Place place,
                                Column column) const;
  /// Whether the result has the element.
  Value createGuard(Place place, Column column) const;
  Value load(const MatrixAccess &access, Value buffer, Place place) const;
  void store(Value pair, Place place) const;
  void synchronize() const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  const TmaResult &form;
  Value consumer, workItem, staging;
  struct Replaced {
    const EpilogueChunks *chunks = nullptr; ///< Null if there are none.
    size_t operand = 0;                     ///< Number among the operands.
  } replaced;
  SmallVector<MatrixAccess, 0> operands; ///< Epilogue operands.
  MatrixAccess result;
  FragmentTile chunk; ///< A chunk in shared memory.
  ColumnOrder order;  ///< Null for the result's order.
  Value isFirst;      ///< Whether this work-item copies.
  Value lane;         ///< Number in the warp.
  Value warpRow;      ///< First row of the warp in an atom.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAEPILOGUE_H
