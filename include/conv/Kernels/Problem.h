//===- Problem.h - what a schedule is chosen for ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as plain numbers: what the cost model and the heuristic need,
// and nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PROBLEM_H
#define CONV_KERNELS_PROBLEM_H

#include "conv/Chip/Chip.h"
#include "conv/Kernels/LineBuffer/LineTile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace conv {

/// A part of what one launch computes: matrices of a result.
struct ResultShape {
  int64_t batch = 1, rows = 1, columns = 1;
};

/// Elements of an operand that follow each other in memory, inside of the
/// tensor, and whether they do along the reduction.
struct Run {
  int64_t elements = 1;
  bool isAlongReduction = false;
  /// Where a step reads takes divisions by sizes that are no powers of two.
  bool takesDivisions = false;
};

/// Sizes and types of a convolution as a batch of matrix products: `rows` by
/// `columns` of the result, each a sum of `reduction` products.
struct Problem {
  /// Products of one batch each, which are as large as the largest.
  int64_t products = 1;
  /// Parts of the reduction, which are matrices of the batch.
  int64_t splits = 1;
  /// Kernels that run one after the other, those of products among them.
  int64_t launches = 1;
  /// What they compute, all parts of each.
  std::vector<std::vector<ResultShape>> launchResults;
  int64_t batch = 1, rows = 1, columns = 1, reduction = 1;
  NumericType operand = NumericType::F16; ///< Element type of both operands.
  NumericType result = NumericType::F16;  ///< Element type of the result.
  /// Bytes of the tensors, or of what windows see of them, each of which any
  /// algorithm moves once.
  double lhsBytes = 0, rhsBytes = 0, resultBytes = 0, epilogueBytes = 0;
  /// Bytes of what one kernel writes for another one.
  double intermediateBytes = 0;
  Run lhsRun, rhsRun;
  /// What the `tma` main loop makes of it: steps over the largest product's
  /// reduction and over those of all products, none if copies of boxes cannot
  /// bring the operands; whether they bring rows of the right operand's columns
  /// rather than of its reduction; and whether that is over positions.
  int64_t tmaSteps = 0, tmaTotalSteps = 0;
  int64_t tmaSharers = 1; ///< Workgroups that can share those of each product.
  bool isTmaRhsTransposed = false, reducesTmaPositions = false;
  /// The same of the left operand's rows.
  bool isTmaLhsTransposed = false;
  /// Whether f32 may be multiplied as parts in tf32.
  bool allows3xTF32 = false;
  /// Rows of 64 columns that they bring, which tiles have whole.
  bool hasTmaRowsOfColumns = false;
  /// The lines of memory that a row of either operand lies in on average, and
  /// matrix instructions along it. Several groups have fewer of these.
  double tmaLeftLines = 1, tmaRightLines = 1;
  int64_t tmaAtomsPerRow = TmaTile::kAtomsPerRow;
  bool hasTmaGroups = false;
  /// Its columns are in rows of channels, which only such copies need.
  bool hasChannelRows = false;
  /// Its copies of images skip positions, or go through three dimensions
  /// position by position.
  bool hasTmaStrides = false, hasTmaVolumes = false;
  /// If lanes store results element by element: from one to that of the next
  /// row, in elements of memory. 0 if not.
  int64_t storedRowDistance = 0;
  /// Copies could bring an operand of the epilogue as they take the result.
  bool hasEpilogueBoxes = false;
  /// If positions come in halo tiles, which only warpgroups take: the bytes of
  /// one in shared memory. If positions are rows, how many it has, and the taps
  /// that share it; if they are reduced, the columns that do.
  struct HaloTile {
    int64_t bytes = 0;
    int64_t rows = 0, taps = 1;
    int64_t columns = 0;
    bool isReduced() const { return columns > 0; }
  };
  std::optional<HaloTile> haloTile;
  /// Channels of halo tiles, if the `weight_stationary` main loop can compute
  /// it.
  int64_t bufferedChannels = 0;
  /// What the `line_buffer` main loop makes of it, if it can compute it: the
  /// window, and, if its positions are reduced, how many follow each other, and
  /// how often.
  std::optional<LineWindow> lines;
  int64_t lineSegmentPositions = 0, lineSegments = 0;

  /// Multiplications and additions that the convolution needs.
  double usefulFlops = 0;
  /// Those of the products: with padding, and between merged groups.
  double flops() const;
  /// Bytes that any algorithm moves: each operand and the result once.
  double compulsoryBytes() const {
    return lhsBytes + rhsBytes + resultBytes + epilogueBytes;
  }
  /// Bytes that the epilogue reads for each one of the result.
  double epilogueShare() const { return epilogueBytes / resultBytes; }
  /// Flops per compulsory byte.
  double intensity() const { return usefulFlops / compulsoryBytes(); }
};

} // namespace conv

#endif // CONV_KERNELS_PROBLEM_H
