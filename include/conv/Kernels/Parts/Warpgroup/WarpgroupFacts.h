//===- WarpgroupFacts.h - what copies of boxes make of a problem ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_WARPGROUPFACTS_H
#define CONV_KERNELS_PARTS_WARPGROUP_WARPGROUPFACTS_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"
#include "conv/Kernels/Candidate.h"
#include "conv/Kernels/Parts/Warpgroup/Gather.h"
#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"
#include "conv/Kernels/Parts/Warpgroup/LoadedOperands.h"

#include <optional>

namespace conv {

/// The facts of a problem whose operands copies of boxes can load.
struct WarpgroupFacts {
  /// Steps over the largest product's reduction, and over all products.
  int64_t steps = 0, totalSteps = 0;
  int64_t sharers = 1; ///< Workgroups that can share the steps of each product.
  /// Whether copied rows run along the left operand's rows, or the right
  /// operand's columns, rather than along the reduction; and whether the
  /// reduction is over positions.
  bool isLeftTransposed = false, isRightTransposed = false;
  bool reducesPositions = false;
  /// Whether the product is the gradient of a filter, also of matrices.
  bool isFilterGradient = false;
  /// Whether f32 may be multiplied as parts in tf32.
  bool allows3xTF32 = false;
  /// Products of 8-bit floats that instructions sum before the sum is promoted
  /// to f32; 0 for other operands, or if promotion is not allowed.
  int64_t promotion = 0;
  /// Columns come in rows of 64, of which a tile has whole ones.
  bool hasRowsOfColumns = false;
  /// The cache lines that a row of either operand spans on average, and matrix
  /// instructions along it, which are fewer for few channels.
  double leftLines = 1, rightLines = 1;
  int64_t atomsPerRow = WarpgroupTile::kAtomsPerRow;
  bool hasGroups = false;
  bool hasMatrices =
      false; ///< Operands are matrices, whose digits are located.
  /// Columns of a tap of such operands, if there are several taps: each copy
  /// brings those of one tap. Otherwise 0.
  int64_t columnsOfTap = 0;
  /// Copies of images skip positions, or go through three dimensions position
  /// by position.
  bool hasStrides = false, hasVolumes = false;
  /// Copies could load an epilogue operand in the boxes of the result.
  bool hasEpilogueBoxes = false;
  /// Lanes store results in pairs of columns, which copies cannot store.
  bool hasStoredPairs = false;
  /// The operand that workgroups could keep.
  TmaReuse reuse = {};
  /// If positions come in halo tiles: the bytes of one in shared memory. If
  /// positions are rows: the positions of a halo tile, and the taps that share
  /// it. If positions are reduced: the columns that share it, or how rows share
  /// it, whose number determines the bytes.
  struct HaloTile {
    int64_t bytes = 0;
    int64_t rows = 0, taps = 1;
    int64_t columns = 0;
    TapRows tapRows = {};
    bool isReduced() const { return columns > 0 || tapRows.areRows(); }
  };
  std::optional<HaloTile> haloTile = std::nullopt;
};

/// The facts of a problem whose operands lanes can copy: those of plain
/// matrices with one index for the reduction.
struct GatherFacts : WarpgroupFacts {
  Gather gather;
  /// Whether the copy engine could bring them in as few steps.
  bool hasWholeBoxes = false;
};

/// The facts of a problem whose operands lanes can load to registers, likewise.
struct LoadFacts : WarpgroupFacts {
  LoadedOperands loaded;
  /// Whether lanes load zeros of groups that one product merges.
  bool hasMergedGroups = false;
};

/// The facts of a problem; they have no steps if copies of boxes cannot load
/// its operands.
const WarpgroupFacts &getWarpgroupFacts(const Problem &problem);

/// The facts if asynchronous copies of lanes bring the operands of this tile;
/// null if they do not.
const GatherFacts *getGatherFacts(const Problem &problem,
                                  const WarpgroupTile &tile);

/// The facts if lanes load the operands of this tile; null if they do not.
const LoadFacts *getLoadFacts(const Problem &problem,
                              const WarpgroupTile &tile);

/// The facts for whatever brings the operands of this tile.
const WarpgroupFacts &getWarpgroupFacts(const Problem &problem,
                                        const WarpgroupTile &tile);

/// Seconds that a kernel with a warpgroup main loop saves because it prefetches
/// its operands while the previous kernel ends. Split-K slices save none.
double computePrefetchSavings(const Problem &problem, const ChipInfo &chip);

/// The fewest columns of rows that start within registers which lanes store
/// from shared memory: one for each lane of a warp. Fewer elements are a part
/// of a sector either way.
inline constexpr int64_t kFewestOddColumns = 32;
/// Whether lanes store such rows from shared memory.
bool storesOddRows(const Problem &problem, const WarpgroupTile &tile);
/// Whether lanes store columns of results from shared memory.
bool storesColumns(const Problem &problem, const WarpgroupTile &tile);
/// The exposed cycles in which they store a tile.
double computeColumnCycles(const Problem &problem, const ChipInfo &chip,
                           const WarpgroupTile &tile);
/// What memory takes, beside the time for its bytes, where columns of halo
/// tiles touch parts of its sectors: each is read before it is written.
double computePartSectorSeconds(const Problem &problem, const ChipInfo &chip,
                                const WarpgroupTile &tile);

/// The tile of a candidate with a warpgroup main loop.
WarpgroupTile getWarpgroupTile(const Problem &problem,
                               const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_WARPGROUPFACTS_H
