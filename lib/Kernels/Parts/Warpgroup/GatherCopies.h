//===- GatherCopies.h - tiles that lanes copy -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warpgroup copy an operand's tile of one step, each a few bytes
// at a time, to where the copy engine would put them: rows of 128 swizzled
// bytes. A line of shared memory has elements along the reduction, or, if the
// operand is transposed, elements along its rows.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_GATHERCOPIES_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_GATHERCOPIES_H

#include "OperandPositions.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

class GatherCopies {
public:
  /// Copies tiles of `rows` rows from `buffer`; `lane` is the number of the
  /// lane in its warpgroup, and `sectorBytes` the chip's.
  GatherCopies(const PtxBuilder &ptx, const MatrixOperand &operand,
               const ::conv::GatheredOperand &gathered, int64_t sectorBytes,
               Value buffer, int64_t rows, Value lane);

  /// What all steps of a tile share: where the rows are that this lane copies.
  using Rows = SmallVector<MatrixAccess::Position>;
  Rows createRows(Value batch, Value origin) const;

  /// Starts the copies of the step from element `k` of the reduction on.
  void createStep(const Rows &rows, Value k, Value destination) const;

private:
  using Position = MatrixAccess::Position;

  /// Lines of shared memory that a tile or each of its boxes has.
  int64_t getLines() const;
  /// The byte offset of this lane's copy in line `first` plus its own.
  Value createPlace(int64_t first) const;
  Position createReduced(Value k, Value within) const;
  void createCopy(const Position &row, const Position &reduced,
                  Value destination) const;

  const PtxBuilder &ptx;
  ::conv::GatheredOperand gathered;
  int64_t tileRows; ///< With those that fill the last box.
  OperandPositions positions;
  /// Whether rows start inside sectors. Past the first-level cache, a fifth of
  /// these would be fetched twice (bench/results/kernels.md, lanes that copy).
  /// Whole sectors need no cache.
  bool sharesSectors;
  Value source;
  Value line, inLine; ///< Of this lane, when lanes copy the first lines.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_GATHERCOPIES_H
