//===- OperandCopy.h - tiles from global to shared memory -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copy atoms of the staged main loops: each work-item brings its 16-byte pieces
// of an operand's tile to shared memory, through registers or, where the main
// loop asks for it and the operand allows it, without.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H
#define CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H

#include "../Parts/MatrixAccess.h"
#include "SharedTile.h"

namespace mlir::conv {

/// Copies the tile of one operand. A row of the tile is a row of the operand's
/// matrix, a piece is part of a row.
class OperandCopy {
public:
  /// What is copied where.
  struct Source {
    const MatrixOperand &operand;
    Value buffer; ///< The operand in memory.
    Value batch;  ///< The matrix.
    Value origin; ///< First row of the tile.
    /// The row of the operand, from `origin`, that a row of the tile holds.
    /// Each `rowRun` of them, aligned, follow each other.
    function_ref<Value(Value row)> rowOf;
    int64_t rowRun;
  };
  OperandCopy(const Kernel &kernel, const SharedTile &tile,
              const Source &source);

  /// Whether no registers take part.
  bool isAsync() const { return async; }
  /// Whether copies in lane order, if they are asked for, bring the operand.
  bool isComplete() const;

  /// Copies without registers of a tile that each work-item starts.
  int64_t numCopies() const { return async ? std::ssize(pieces) : 0; }
  /// Starts some of these, by their number, as `start` does with all.
  void startCopies(int64_t from, int64_t to, Value k, Value stage) const;

  /// The order in which a tile of the operand arrives in shared memory.
  static TileOrder getTileOrder(const Kernel &kernel,
                                const MatrixOperand &operand);

  /// Starts to bring this work-item's pieces of the tile whose reduction starts
  /// at `k` to a stage of shared memory, and returns the loads that are on
  /// their way to registers. What is outside of the operand, or not under
  /// `guard`, is zero.
  SmallVector<Value> start(Value k, Value stage, Value guard) const;

  /// Makes pieces of the loads that `start` returned, which are waited for, and
  /// writes them to the same stage.
  void finish(ValueRange loads, Value stage) const;

  /// The same, through registers, for one block: the pieces of a work-item that
  /// some of its loads are for. `loads` are what `startBlock` returned;
  /// `places` are those of all loads.
  int64_t numBlocks() const { return pieces.size() / rowWidth; }
  int64_t loadsPerBlock() const { return kernel.pieceElements() / width; }
  SmallVector<Value> startBlock(int64_t block, Value k,
                                ValueRange places) const;
  void finishBlock(int64_t block, ValueRange loads, Value stage) const;

  /// So many elements of the reduction move all loads by the same distance,
  /// guards included, from a multiple of it; 0 if there is no such run. Within
  /// a run, loads keep their places (`conv.placed_load`).
  int64_t getPlaceRun() const { return placeRun; }
  int64_t numPlaces() const {
    return placeRun ? numBlocks() * loadsPerBlock() : 0;
  }
  /// The places of all loads, block by block, in the run that starts at `k`.
  SmallVector<Value> createPlaces(Value k) const;

private:
  /// Whether loads may be `conv.placed_load`.
  bool hasPlaces() const;
  int64_t computePlaceRun() const;
  /// One piece: a row of the tile, and its position in that row.
  struct Piece {
    Value row, position;
    MatrixAccess::Position start; ///< Of the row.
    Value isRow;                  ///< The operand has the row.
  };
  /// Neighbouring work-items take neighbouring pieces of a row if the elements
  /// of a row follow each other in memory, else those of a column.
  void assignAlongRow();
  void assignAlongColumn();
  /// Pieces of a subgroup lie side by side in shared memory, and each lane
  /// fetches what belongs where its own is.
  void assignInLaneOrder();
  void locate(const Source &source);
  /// Where an element of a piece's row is in memory, and whether it exists.
  struct Element {
    Value offset, guard;
  };
  Element findElement(const Piece &piece, Value k, Value within, Value guard,
                      std::optional<MatrixAccess::Congruence> known = {}) const;
  Element findInPiece(const Piece &piece, Value k, int64_t step,
                      Value guard) const;
  Value createPlace(const Element &element) const;
  Value loadFrom(Value place, Value distance) const;
  SmallVector<Value> startLoads(const Piece &piece, Value k, Value guard) const;
  SmallVector<Value> joinLoads(ValueRange loads) const;
  void copyPiece(int64_t number, Value k, Value stage, Value guard) const;

  const Kernel &kernel;
  const SharedTile &tile;
  MatrixAccess access;
  Value buffer;
  int64_t rowCount; ///< Rows of the whole matrix.
  /// Elements of a load: along a row, or else of one column.
  int64_t width = 1, rowWidth = 1;
  bool async = false;
  int64_t placeRun = 0;
  SmallVector<Piece> pieces;
  Value ofSubgroup; ///< Its first piece, if lanes copy in order.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H
