//===- MatrixUnit.h - matrix instructions of a subgroup ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_MATRIXUNIT_H
#define CONV_LIB_KERNELS_GEMM_MATRIXUNIT_H

#include "SharedTile.h"

#include <numeric>

namespace mlir::conv {

/// Computes the tile of a subgroup with the schedule's atom. The right operand
/// is the atom's A (its rows are the columns of the result), and the left
/// operand is its B. The accumulators of a lane are then columns of one row,
/// which are neighbours in memory.
///
/// Which column each row of the right tile holds is free. It is chosen so that
/// the accumulators of a lane, in order, form runs of `runLength()` consecutive
/// columns, and the runs of lanes with the same row are adjacent.
class MatrixUnit {
public:
  MatrixUnit(const Kernel &kernel, const SharedTile &lhs,
             const SharedTile &rhs);

  /// Accumulators before the first step: one vector of zeros per atom.
  SmallVector<Value> createZeros() const;

  /// Adds the product of the tiles in one stage of shared memory.
  SmallVector<Value> createStep(ValueRange accumulators, Value stage) const;

  /// The rounds of such a step, in order: each lane reads 16 bytes of every
  /// row, or what an atom takes if that is more, and multiplies them.
  int64_t numRounds() const { return kernel.gemmK() / reductionOfRound(); }
  SmallVector<Value> readRound(Value stage, int64_t round) const;
  /// Fragments that `readRound` returns for a tile of zeros.
  SmallVector<Value> createZeroFragments() const;
  /// The matrix instructions of a round.
  int64_t numProducts() const {
    return rowAtoms() * columnAtoms() * reductionOfRound() / kernel.atom.k;
  }
  /// Issues the matrix instructions of a round, from number `from` up to `to`.
  SmallVector<Value> multiplyRound(ValueRange accumulators,
                                   ValueRange fragments, int64_t from,
                                   int64_t to) const;

  /// Consecutive columns that a lane holds: the widest possible store.
  int64_t runLength() const;
  /// Number of runs of a lane in one row.
  int64_t numRuns() const;
  /// Number of rows in which a lane holds its runs.
  int64_t numRows() const { return rowAtoms() * kernel.atom.accColumns(); }

  /// The first column of a run, within the workgroup's tile.
  Value columnOfRun(int64_t run) const;
  /// One of the lane's rows, within the workgroup's tile.
  Value getRow(int64_t index) const;
  /// One accumulator of a run.
  Value element(ValueRange accumulators, int64_t row, int64_t run,
                int64_t position) const;
  /// The column of the workgroup's tile that a row of the right tile holds.
  Value columnOfRow(Value row) const;
  /// The inverse, for atoms whose lanes hold a single column.
  Value rowOfColumn(Value column) const;
  /// Number of aligned rows of the right tile that hold consecutive columns.
  int64_t columnRun() const {
    return std::gcd(kernel.atom.accRun, runLength());
  }

private:
  int64_t rowAtoms() const;
  int64_t columnAtoms() const;
  int64_t registersPerAtom() const;
  int64_t columnsPerAtom() const;
  int64_t vectorsPerRound() const;
  int64_t reductionOfRound() const;
  SmallVector<Value> rowsOfLane(Value origin, int64_t atoms, int64_t atomRows,
                                int64_t rowsPerAtom) const;
  SmallVector<Value> readRows(const SharedTile &tile, ArrayRef<Value> rows,
                              Value stage, int64_t round) const;
  SmallVector<Value> readTransposed(const SharedTile &tile, Value origin,
                                    int64_t atoms, int64_t atomRows,
                                    Value stage, int64_t round) const;
  Value slice(ArrayRef<Value> row, int64_t index) const;
  Value join(ArrayRef<Value> parts) const;

  const Kernel &kernel;
  const SharedTile &lhs;
  const SharedTile &rhs;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_MATRIXUNIT_H
