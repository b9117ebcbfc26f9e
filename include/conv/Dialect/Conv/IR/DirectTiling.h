//===- DirectTiling.h - what tiles of a direct schedule read -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever chooses a direct schedule, and whoever builds its kernel, asks here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DIRECTTILING_H
#define CONV_DIALECT_CONV_IR_DIRECTTILING_H

#include "conv/Dialect/Conv/IR/DirectBand.h"
#include "conv/Dialect/Conv/IR/DirectBlocks.h"
#include "conv/Dialect/Conv/IR/TensorBox.h"

namespace mlir::conv {

/// How a direct schedule tiles one product.
struct DirectTiling {
  DigitBox batch, rows, columns, reduction;
  /// A work-item has neighbouring matrices, which have their elements side by
  /// side in shared memory; else it has neighbouring rows only.
  bool isAlongBatch;
  TensorBox lhs, rhs;
  /// If matrix instructions multiply: rows as runs of positions, or a reduction
  /// that is runs of positions.
  std::optional<DirectBand> band;
  std::optional<DirectBlocks> blocks;
  /// Values of the digit before the runs' that a subgroup multiplies together,
  /// so that windows share what they read; 1 without a band or blocks.
  int64_t lines = 1;

  /// Sums of a work-item that have room in shared memory, of a reduction that
  /// work-items share.
  static constexpr int64_t kPartials = 4;
  int64_t sharedBytes; ///< Of a workgroup: all stages of both boxes, and sums.

  /// Boxes of elements of a tile whose reduction work-items share: a run of
  /// matrices, all rows, and all of the innermost digit of the columns.
  int64_t countSharedBoxes() const;

  /// Where runs of positions are, and the digit that they move along.
  const DigitBox &getPositions() const { return band ? rows : reduction; }
  size_t getPosition() const {
    return band ? band->position : reduction.innermost;
  }
  /// Units of work of matrix instructions, each of one vector of the rows'
  /// channels, as many runs as an atom has, and `lines`.
  int64_t countVectors() const;
  int64_t countRuns() const;
  int64_t countUnits() const {
    return llvm::divideCeil(countRuns(),
                            band ? DirectBand::kRuns : DirectBlocks::kRuns);
  }
  /// Lines of a unit whose sums are exchanged together, and their positions: at
  /// most two for each lane.
  int64_t countExchangedLines() const {
    constexpr int64_t kPositions = 64;
    return std::min(lines, kPositions / (DirectBand::kRuns * band->getRun()));
  }
  int64_t countPositions() const {
    return countExchangedLines() * DirectBand::kRuns * band->getRun();
  }
  /// Pairs of channels at four positions each that the reduction has.
  int64_t countPairs() const;

  /// None if D1 to D5, D7 and D8 do not hold, and in `obstacle` why, as
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

#endif // CONV_DIALECT_CONV_IR_DIRECTTILING_H
