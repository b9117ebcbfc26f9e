//===- OperandCopy.h - tiles from global to shared memory -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies of the staged main loops: each work-item brings its 16-byte
// vectors of an operand's tile to shared memory, through registers or, where
// main loop and operand allow it, asynchronously without registers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H
#define CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H

#include "CopyShape.h"

namespace mlir::conv {

/// Copies the tile of one operand. A row of the tile is a row of the operand's
/// matrix, and a vector is part of a row.
class OperandCopy {
public:
  /// What is copied, and from where.
  struct Source {
    MatrixAccess access;
    SharedNumber rows; ///< Of the whole matrix.
    Value buffer;      ///< The operand in memory.
    Value batch;       ///< The matrix.
    Value origin;      ///< First row of the tile.
    /// The row of the operand, relative to `origin`, that a row of the tile
    /// holds. Aligned groups of `rowRun` rows are consecutive.
    function_ref<Value(Value row)> rowOf;
    int64_t rowRun;
    /// The row of the tile that holds one of the operand.
    function_ref<Value(Value row)> placeOf;
  };
  OperandCopy(const Kernel &kernel, const SharedTile &tile,
              const Source &source);

  /// Whether copies bypass registers.
  bool isAsync() const { return shape.async; }
  /// Whether the operand allows lane-order copies, if they are asked for.
  bool isComplete() const;

  /// Number of copies without registers that a work-item starts for a tile.
  int64_t numCopies() const { return shape.async ? std::ssize(vectors) : 0; }
  /// Starts the copies `from` to `to`; `start` starts all of them.
  void startCopies(int64_t from, int64_t to, Value k, Value stage,
                   Value guard) const;

  /// The order in which a tile of the operand arrives in shared memory.
  static TileOrder getTileOrder(const Kernel &kernel,
                                const MatrixAccess &access);

  /// Starts to bring this work-item's vectors of the tile whose reduction
  /// starts at `k` to a stage of shared memory, and returns the loads in flight
  /// to registers. Elements are zero outside the operand, and all are zero if
  /// `guard` is false.
  SmallVector<Value> start(Value k, Value stage, Value guard) const;

  /// Waits for the loads that `start` returned, assembles vectors from them,
  /// and writes the vectors to the same stage.
  void finish(ValueRange loads, Value stage) const;

  /// Copies one block through registers, that is, the vectors of a work-item
  /// that some of its loads serve. `loads` is what `startBlock` returned;
  /// `places` has the places of all loads, and `shared` is `findShared(k)`.
  int64_t numBlocks() const { return vectors.size() / shape.rowWidth; }
  int64_t loadsPerBlock() const { return shape.loadsPerBlock(kernel); }
  SmallVector<Value> startBlock(int64_t block, Value k, ValueRange places,
                                ValueRange shared, Value guard) const;
  void finishBlock(int64_t block, ValueRange loads, Value stage) const;

  /// What lanes share of the places of the tile at `k`, if these are fixed:
  /// bytes, and the tap if that is masked. A loop may find it ahead.
  SmallVector<Value> findShared(Value k) const;
  /// The same, from what lanes share of the tile before that.
  SmallVector<Value> moveShared(ValueRange shared, Value k) const;
  int64_t numShared() const {
    return shape.fixesPlaces ? (shape.sharesElements ? period.elements : 1) +
                                   (shape.maskedTaps ? 1 : 0)
                             : 0;
  }

  /// `CopyShape::placeRun`, and how many places there are.
  int64_t getPlaceRun() const { return shape.placeRun; }
  int64_t numPlaces() const {
    return shape.placeRun ? numBlocks() * std::ssize(shape.loadsOfPlaces) : 0;
  }
  /// The places of all loads, block by block, for the run that starts at `k`.
  /// All are masked if `guard` is false.
  SmallVector<Value> createPlaces(Value k, Value guard) const;

private:
  /// One vector: a row of the tile, which row of the operand that is, and a
  /// position in the row.
  struct Vector {
    Value row, operandRow, position;
    /// If lanes share elements: from the subgroup's first one to this vector's.
    int64_t element = 0;
    MatrixAccess::Position start; ///< Start of the row.
    Value isRow;                  ///< Whether the operand has it.
    /// The part of its place that does not change (`CopyShape::fixesPlaces`),
    /// and the taps in which it is outside: bit `31 - t` of tap `t`.
    Value fixedPlace, outside;
  };
  /// Neighbouring work-items take neighbouring vectors: of a row if the
  /// elements of a row are adjacent in memory, else of a column.
  void assignAlongRow();
  void assignAlongColumn(const Source &source);
  /// Vectors of a subgroup are adjacent in shared memory, and each lane fetches
  /// the data that belongs in its own vector.
  void assignInLaneOrder();
  /// Vectors of a subgroup have the same position in their rows.
  void assignSharedElements();
  void locate(const Source &source);
  void fixPlace(Vector &own) const;
  /// The offset of an element of a vector's row, and whether it exists.
  struct Element {
    Value offset, guard;
  };
  MatrixAccess::Position findInRow(Value k, Value within) const;
  Element findElement(const Vector &own, const MatrixAccess::Position &inRow,
                      Value column, Value guard,
                      std::optional<MatrixAccess::Congruence> known = {}) const;
  Element findInVector(const Vector &own, Value k, int64_t step,
                       Value guard) const;
  Value createPlace(const Element &element) const;
  SmallVector<Value> locateVector(const Vector &own, Value k, ValueRange shared,
                                  Value guard) const;
  Value createTapPlace(const Vector &own, ValueRange shared) const;
  Value createMovedBytes(Value k, ValueRange shared) const;
  SmallVector<Value> loadFrom(ValueRange places, Value distance) const;
  SmallVector<Value> startLoads(const Vector &own, Value k, ValueRange shared,
                                Value guard) const;
  SmallVector<Value> findSharedElements(Value k) const;
  Value getSharedBytes(ValueRange shared, int64_t element) const;
  SmallVector<Value> startSharedElements(const Vector &own, Value k,
                                         ValueRange shared, Value guard) const;
  SmallVector<Value> joinLoads(ValueRange loads) const;
  void copyVector(int64_t number, Value k, Value stage, Value guard) const;

  const Kernel &kernel;
  const SharedTile &tile;
  MatrixAccess access;
  Value buffer;
  SharedNumber rowCount; ///< Rows of the whole matrix.
  CopyShape shape;
  SmallVector<Vector> vectors;
  Value ofSubgroup; ///< First vector of the subgroup, for lane order.
  /// If lanes share elements: the first one of the subgroup in a step, and
  /// after how many elements guards repeat.
  Value firstElement;
  MatrixAccess::Period period = {1, 0};
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_OPERANDCOPY_H
