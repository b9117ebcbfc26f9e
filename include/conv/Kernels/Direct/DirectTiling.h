//===- DirectTiling.h - what tiles of a direct schedule read ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a direct schedule tiles a product, for its selection and its kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_DIRECTTILING_H
#define CONV_KERNELS_DIRECT_DIRECTTILING_H

#include "conv/Kernels/Direct/BandedGradient.h"
#include "conv/Kernels/Direct/DirectBlocks.h"
#include "conv/Kernels/Direct/FilterBlocks.h"
#include "conv/Kernels/Direct/TensorBox.h"

namespace mlir::conv {

/// How a direct schedule tiles one product.
struct DirectTiling {
  DigitBox batch, rows, columns, reduction;
  /// A work-item computes neighbouring matrices, whose elements are contiguous
  /// in shared memory; otherwise it computes neighbouring rows only.
  bool isAlongBatch;
  TensorBox lhs, rhs;
  /// Set if matrix instructions multiply: rows that are positions, or a
  /// reduction of runs of positions, of several channels or of one.
  std::optional<FilterBlocks> filter;
  std::optional<DirectBlocks> blocks;
  std::optional<BandedGradient> banded;
  /// Channels of a vector whose sums a subgroup has, if they are banded.
  int64_t channels = 0;
  /// Values of the digit before the innermost digit of the positions that a
  /// subgroup multiplies together, so that windows share their loads; 1 without
  /// matrix instructions.
  int64_t lines = 1;

  /// Sums of a work-item that fit in shared memory, if work-items share a
  /// reduction.
  static constexpr int64_t kPartials = 4;
  int64_t sharedBytes; ///< All stages of both boxes, and sums.

  /// Sums of a tile, with those of whole runs.
  int64_t countSums() const;

  /// Boxes of the elements of a tile whose reduction work-items share: a run of
  /// matrices, all rows, and all of the innermost digit of the columns.
  int64_t countSharedBoxes() const;
  /// The sums that remain of each element, of `slices` of each of `units`,
  /// after a first round of additions in which as many work-items as possible
  /// take part; 1 without such a round.
  static int64_t countRemainingSums(int64_t slices, int64_t units,
                                    int64_t workItems,
                                    const ::conv::DirectRoundCalibration &fit);

  /// The positions that matrix instructions multiply, and their innermost
  /// digit.
  const DigitBox &getPositions() const { return filter ? rows : reduction; }
  size_t getPosition() const { return getPositions().innermost; }
  /// Units of work of matrix instructions: each has one vector of the rows'
  /// channels, as many runs of positions as an atom, and `lines` lines.
  int64_t countVectors() const;
  int64_t countRuns() const; ///< Runs of one of these lines.
  /// Elements in shared memory from one line to the next, for an operand whose
  /// view ends with the digits of a reduction over positions.
  int64_t getLineDistance(const TensorBox &box) const;
  /// Elements in the right operand's box from the first column to column
  /// `number`, counted among all digits but one.
  int64_t getColumnDistance(int64_t number,
                            std::optional<size_t> without) const;
  int64_t countUnits() const {
    return llvm::divideCeil(countRuns(), filter   ? FilterBlocks::kPositions
                                         : blocks ? DirectBlocks::kRuns
                                                  : BandedGradient::kRuns);
  }
  /// Runs of a line in a banded product: eight loads of one line read all
  /// banks, so more than four runs are rounded up to eight.
  int64_t countLineRuns() const;
  /// Subgroups that share all channels of a tile in a banded product.
  int64_t countShares() const {
    return countVectors() * BandedGradient::kVector / channels;
  }
  /// The most lines of a unit whose sums are exchanged together, and their
  /// positions: two for each lane.
  int64_t countExchangedLines() const { return std::min<int64_t>(lines, 4); }
  int64_t countExchangedPositions() const {
    return countExchangedLines() * FilterBlocks::kPositions;
  }
  /// Atoms that multiply a vector of channels at the positions of one line.
  int64_t countAtoms() const;
  /// Whether lines of taps of a work-item that sums up elements of its own
  /// follow each other in the code, so that reads run ahead from line to line.
  /// LLVM would unroll such loops, too. Where positions are innermost, a read
  /// brings fewer factors, and other waves hide it.
  bool unrollsLines(const ::conv::ChipInfo &chip) const;
  /// Whether neighbouring work-items that share a reduction have neighbouring
  /// units of elements, and not neighbouring slices of one. Where positions are
  /// innermost, matrices are far apart in shared memory, often by a multiple of
  /// all banks, and slices follow each other. By the clock of AMD chips;
  /// nothing else was compared.
  bool areUnitsNeighbours(const ::conv::ChipInfo &chip) const;
  /// Vectors that reads run ahead of products on AMD chips: as many as leave
  /// registers for the sums.
  static constexpr int64_t kVectorsAhead = 24;
  /// Registers of a lane in a banded product: sums, fragments of the left
  /// operand, and a few more.
  int64_t countBandedRegisters() const;
  /// Workgroups that a compute unit has room for at a time.
  int64_t countResident(const ::conv::ChipInfo &chip, int64_t subgroups,
                        int64_t registers) const;

  /// None if D1 to D5 and D7 to D9 do not hold; `obstacle` then says why, as
  /// "expects ..., but got ...".
  static std::optional<DirectTiling> compute(ScheduleAttr schedule,
                                             const ::conv::ChipInfo &chip,
                                             const ViewedProduct &product,
                                             std::string &obstacle);
  /// Whether operands may have this element type.
  static bool takes(Type element);
  /// Whether matrices of the batch are contiguous in memory.
  static bool isAlongBatchOf(const ViewedTensor &tensor);
  /// Columns that lie in memory between one row of the result and the next:
  /// dgrad phases along the innermost dimension; 1 if there are none.
  static int64_t countAdjacentColumns(const ViewedTensor &result);
  /// Bytes that a work-item stores at a time of a run of rows that are
  /// contiguous in memory: lines may start inside vectors.
  static int64_t countStoredBytes(const ViewedTensor &result, int64_t run);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_DIRECTTILING_H
