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

/// Applies the epilogue to a consumer's accumulators, and stores the result. If
/// it can be copied, columns of an atom's rows go to shared memory and from
/// there in chunks by copies, which leave out what is beyond the result.
/// Otherwise each lane stores what it has.
class TmaEpilogue {
public:
  /// A column of the result, and whether there is one.
  struct Column {
    Value number, isUsed;
  };
  /// The column that a column of the sums is of.
  using ColumnOrder = std::function<Column(Value)>;

  /// `staging` is this consumer's part of shared memory; `barrier` the named
  /// barrier of its warpgroup, of which `workItem` is a number. Results whose
  /// columns the sums have in another `order` are not copied.
  TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
              const ::conv::TmaTile &tile, const TmaResult &form,
              Value consumer, Value workItem, Value staging,
              ColumnOrder order = nullptr);

  /// Results replace the chunks of an operand of the epilogue, whose epilogue
  /// warp copies them.
  void replaceChunks(const EpilogueChunks &chunks, size_t operand) {
    replaced = {&chunks, operand};
  }

  /// A lane's part of the epilogue's operands, for some columns of some rows.
  using Loaded = SmallVector<Value>;
  /// Starts to load what the epilogue reads first: best ahead of the main loop.
  Loaded load(TileOrigin origin) const {
    return load(getPart(origin, /*number=*/0));
  }
  /// Takes the sums, or none if there is no product, to the result. Chunks have
  /// a `phase`.
  void create(TileOrigin origin, ValueRange accumulators, Loaded loaded,
              Value phase = Value()) const;
  /// Waits until the stores of all tiles have left shared memory.
  static void finish(const PtxBuilder &ptx, Value workItem);

private:
  /// A lane's two neighbouring columns of a row, in the result.
  struct Place {
    Value batch, row, column;
  };

  /// Some columns of the rows of an atom, which become results together: for
  /// each eight columns, a lane has a pair in its row, and one 8 rows below.
  struct Part {
    int64_t atom, column, columns;
    Value row;   ///< The first of the atom.
    Place first; ///< Of the lane.

    int64_t countPairs() const;
  };

  /// Those of a part: as many as there are registers for. The last one of a
  /// chunk may have fewer.
  int64_t getColumnsAtOnce() const;
  int64_t countParts() const; ///< Of an atom.
  Part getPart(TileOrigin origin, int64_t number) const;
  /// Where pair `i` of a part is.
  Place getPlace(const Part &part, int64_t i) const;
  /// Loads operands but that of which chunks are replaced, for which it has a
  /// null value.
  Loaded load(const Part &part) const;
  /// The latter, from shared memory.
  Value loadStaged(const Part &part) const;
  /// The results of all pairs. One epilogue computes them, so that its
  /// functions overlap.
  SmallVector<Value> createPairs(const Part &part, Value sums,
                                 Loaded loaded) const;
  /// Puts pairs into shared memory, or into the result.
  void stage(const Part &part, ValueRange pairs) const;
  void store(const Part &part, ValueRange pairs) const;
  /// The chunk of a consumer with this column, and where it is staged.
  int64_t getChunk(const Part &part, int64_t column) const;
  Value getStaged(const Part &part, int64_t column) const;
  /// Before the first part of staged columns or of a chunk, and after the last
  /// one: results of others are no longer where these go, and these leave.
  void beginPart(const Part &part, Value phase) const;
  void endPart(const Part &part, TileOrigin origin) const;
  /// Waits until shared memory is free, and copies columns of the rows of an
  /// atom from it: those that are staged with those of the `last` part.
  void beginColumns() const;
  void copyColumns(TileOrigin origin, const Part &last) const;
  /// Starts these copies.
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
    size_t operand = 0; ///< Number among those of the epilogue.
  } replaced;
  SmallVector<MatrixAccess, 0> operands; ///< Of the epilogue.
  MatrixAccess result;
  FragmentTile chunk; ///< Of columns, in shared memory.
  ColumnOrder order;  ///< Null if it is that of the result.
  Value isFirst;      ///< This work-item starts the copies.
  Value lane;         ///< Within the warp.
  Value warpRow;      ///< First row of the warp in an atom.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAEPILOGUE_H
