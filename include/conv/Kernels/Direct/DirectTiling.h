//===- DirectTiling.h - what tiles of a direct schedule read ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever chooses a direct schedule, and whoever builds its kernel, asks here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_DIRECTTILING_H
#define CONV_KERNELS_DIRECT_DIRECTTILING_H

#include "conv/Kernels/Direct/DirectBlocks.h"
#include "conv/Kernels/Direct/DirectDiagonals.h"
#include "conv/Kernels/Direct/FilterBlocks.h"
#include "conv/Kernels/Direct/TensorBox.h"

namespace mlir::conv {

/// How a direct schedule tiles one product.
struct DirectTiling {
  DigitBox batch, rows, columns, reduction;
  /// A work-item has neighbouring matrices, which have their elements side by
  /// side in shared memory; else it has neighbouring rows only.
  bool isAlongBatch;
  TensorBox lhs, rhs;
  /// If matrix instructions multiply: positions that are rows, or a reduction
  /// that is runs of positions, of several channels or of one.
  std::optional<FilterBlocks> filter;
  std::optional<DirectBlocks> blocks;
  std::optional<DirectDiagonals> diagonals;
  /// Channels of a vector that a subgroup has sums of, if these are diagonals.
  int64_t channels = 0;
  /// Values of the digit before the innermost one of the positions that a
  /// subgroup multiplies together, so that windows share what they read; 1
  /// without matrix instructions.
  int64_t lines = 1;

  /// Sums of a work-item that have room in shared memory, of a reduction that
  /// work-items share.
  static constexpr int64_t kPartials = 4;
  int64_t sharedBytes; ///< Of a workgroup: all stages of both boxes, and sums.

  /// Boxes of elements of a tile whose reduction work-items share: a run of
  /// matrices, all rows, and all of the innermost digit of the columns.
  int64_t countSharedBoxes() const;

  /// The positions that matrix instructions multiply, and their innermost
  /// digit.
  const DigitBox &getPositions() const { return filter ? rows : reduction; }
  size_t getPosition() const { return getPositions().innermost; }
  /// Units of work of matrix instructions, each of one vector of the rows'
  /// channels, as many runs of positions as an atom has, and `lines`.
  int64_t countVectors() const;
  int64_t countRuns() const; ///< Of one of those lines.
  /// In shared memory, from one of these lines to the next, of an operand whose
  /// view ends with the digits of a reduction that is positions.
  int64_t getLineDistance(const TensorBox &box) const;
  /// In the right operand's box, from the first column to that of this number,
  /// among those of all digits but one.
  int64_t getColumnDistance(int64_t number,
                            std::optional<size_t> without) const;
  int64_t countUnits() const {
    return llvm::divideCeil(countRuns(), filter   ? FilterBlocks::kPositions
                                         : blocks ? DirectBlocks::kRuns
                                                  : DirectDiagonals::kRuns);
  }
  /// Runs of a line, of diagonals: loads of eight that are those of one line
  /// read all banks, so that more than four are rounded up to eight.
  int64_t countLineRuns() const;
  /// Subgroups that share all channels of a tile, of diagonals.
  int64_t countShares() const {
    return countVectors() * DirectDiagonals::kVector / channels;
  }
  /// Lines of a unit whose sums are exchanged together, at most, and their
  /// positions: two for each lane.
  int64_t countExchangedLines() const { return std::min<int64_t>(lines, 4); }
  int64_t countExchangedPositions() const {
    return countExchangedLines() * FilterBlocks::kPositions;
  }
  /// Atoms that multiply a vector of channels at the positions of one line.
  int64_t countAtoms() const;
  /// Registers of a lane that multiplies diagonals: sums, fragments of the left
  /// operand, and a few more.
  int64_t countDiagonalRegisters() const;
  /// Workgroups that a compute unit has room for at a time.
  int64_t countResident(const ::conv::ChipInfo &chip, int64_t subgroups,
                        int64_t registers) const;

  /// None if D1 to D5 and D7 to D9 do not hold, and in `obstacle` why, as
  /// "expects ..., but got ...".
  static std::optional<DirectTiling> compute(ScheduleAttr schedule,
                                             const ::conv::ChipInfo &chip,
                                             const ViewedProduct &product,
                                             std::string &obstacle);
  /// Whether operands may have this element type.
  static bool takes(Type element);
  /// Whether matrices of the batch follow each other in memory.
  static bool isAlongBatchOf(const ViewedTensor &tensor);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_DIRECTTILING_H
