//===- TmaFacts.h - what copies of boxes make of a problem ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_TMAFACTS_H
#define CONV_KERNELS_PARTS_WARPGROUP_TMAFACTS_H

#include "conv/Dialect/Conv/IR/TmaTile.h"
#include "conv/Kernels/Candidate.h"
#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"

#include <optional>

namespace conv {

/// What copies of boxes make of a problem, if they can bring its operands.
struct TmaFacts {
  /// Steps over the largest product's reduction, and of all products.
  int64_t steps = 0, totalSteps = 0;
  int64_t sharers = 1; ///< Workgroups that can share the steps of each product.
  /// Whether they bring rows of the left operand's rows, or of the right
  /// operand's columns, rather than of the reduction; and whether that is over
  /// positions.
  bool isLeftTransposed = false, isRightTransposed = false;
  bool reducesPositions = false;
  /// Whether f32 may be multiplied as parts in tf32.
  bool allows3xTF32 = false;
  /// Products of 8-bit floats that instructions add up before their sum is
  /// promoted to f32; 0 if they may not, or operands are others.
  int64_t promotion = 0;
  /// Rows of 64 columns that they bring, which tiles have whole.
  bool hasRowsOfColumns = false;
  /// The lines of memory that a row of either operand lies in on average, and
  /// matrix instructions along it. Few channels take fewer of these.
  double leftLines = 1, rightLines = 1;
  int64_t atomsPerRow = TmaTile::kAtomsPerRow;
  bool hasGroups = false;
  bool hasMatrices = false; ///< Operands are plain matrices, without a window.
  /// Copies of images skip positions, or go through three dimensions position
  /// by position.
  bool hasStrides = false, hasVolumes = false;
  /// Copies could bring an operand of the epilogue as they take the result.
  bool hasEpilogueBoxes = false;
  /// Lanes store results in pairs of columns, which copies cannot.
  bool hasStoredPairs = false;
  /// What workgroups could keep of an operand.
  TmaReuse reuse = {};
  /// If positions come in halo tiles: the bytes of one in shared memory. If
  /// positions are rows, how many it has, and the taps that share it; if they
  /// are reduced, the columns that do, or how rows do, whose number the bytes
  /// depend on.
  struct HaloTile {
    int64_t bytes = 0;
    int64_t rows = 0, taps = 1;
    int64_t columns = 0;
    TapRows tapRows = {};
    bool isReduced() const { return columns > 0 || tapRows.areRows(); }
  };
  std::optional<HaloTile> haloTile = std::nullopt;
};

/// The facts of a problem; without steps, if copies of boxes cannot bring its
/// operands.
const TmaFacts &getTmaFacts(const Problem &problem);

/// The tile of a candidate whose main loop is one of warpgroups.
TmaTile getTmaTile(const Problem &problem, const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_TMAFACTS_H
