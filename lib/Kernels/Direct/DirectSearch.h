//===- DirectSearch.h - candidates of direct kernels ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise convolutions are bound by memory. Tiles are parts of one digit of
// the rows, with all values of the digits inside it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTSEARCH_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTSEARCH_H

#include "DirectModel.h"
#include "DirectSchedule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::conv {

/// Limits of the search, which keep ranking short. A schedule beyond them can
/// still be given by hand.
struct DirectSearchLimits {
  /// The most work-items of a workgroup; all are tried, the last for wide
  /// tiles.
  static constexpr int64_t kMaxWideWorkItems = 512;
  static constexpr int64_t kMaxWorkItems[] = {128, 256, kMaxWideWorkItems};
  /// The most accumulators of a work-item.
  static constexpr int64_t kMaxSums = 64;
  /// The most matrices of a tile, in units of the matrices of a work-item.
  static constexpr int64_t kMaxMatrices = 16;
  /// The most split-K slices.
  static constexpr int64_t kMaxSplits = 64;
  /// These limits for wide tiles: of all matrices of a gradient, where a chip
  /// has sectors. A tile of few channels uses a part of each sector that it
  /// copies; a tile of all leaves only slices and work-items to fill the chip.
  static constexpr int64_t kMaxAllMatrices = 32, kMaxWideSplits = 256;
  /// Slices that do not divide the positions, which may be a prime number,
  /// leave at most this part empty; of such numbers of slices, few are ranked.
  static constexpr double kMostBeyond = 1.0 / 32, kLeastGrowth = 1.125;
  /// The most neighbours in the reduction that a work-item multiplies at once.
  static constexpr int64_t kMaxRun = 8;
  /// With fewer, most of what it reads is not shared.
  static constexpr int64_t kShortRun = 4;
  /// Subgroups that multiply blocks, stages of their input, and positions of
  /// one stage.
  static constexpr int64_t kMaxBlockSubgroups = 8, kMaxBlockStages = 3,
                           kMaxBlockPositions = 1024;
  /// Subgroups of a workgroup for banded matrices.
  static constexpr int64_t kMinBandedSubgroups = 4, kMaxBandedSubgroups = 16;
};

/// Whether each group has one input channel.
bool isDepthwise(ConvolutionOpInterface op);

/// Whether tiles of all channels are ranked for gradients of filters.
inline bool ranksWideTiles(const ::conv::ChipInfo &chip) {
  return chip.sectorBytes > 0;
}

/// Numbers of split-K slices: a weight gradient has few matrices without them.
SmallVector<int64_t> enumerateDirectSplits(ConvolutionOpInterface op,
                                           const ::conv::ChipInfo &chip);

/// Tries tiles of one convolution and ranks the schedules that fit.
class DirectSearch : DirectSearchLimits {
public:
  DirectSearch(ConvolutionOpInterface op, const ::conv::ChipInfo &chip)
      : op(op), chip(chip),
        isShared(op.getDirection() == Direction::BackwardWeight),
        isDepthwise(mlir::conv::isDepthwise(op)) {}

  /// Tries all tiles of a plan that has products.
  void run(const PlanOptions &options);
  /// All schedules that fit, in the order of `rankDirectSchedules`.
  std::vector<PredictedSchedule> takeRanked();
  /// What the smallest tile needs that does not fit; empty if none was tried.
  const std::string &getObstacle() const { return obstacle; }

private:
  void runOverRows();
  void runOverHostTiles();
  void runOverFilterBlocks();
  SmallVector<int64_t> enumerateRuns(int64_t line) const;
  void runOverReduction();
  void runOverHostReduction();
  void runOverBlocks();
  void runOverBandedTiles();
  /// The vector length, if matrices are adjacent in memory: a work-item has
  /// accumulators for `sums` of each, and a split-K slice has whole vectors.
  int64_t getMatricesAtom(Type element, int64_t sums) const;
  /// Tries one tile. Subgroups share `shared` elements, in `boxes` boxes.
  void visit(DirectLoop mainLoop, AtomAttr atom, std::array<int64_t, 2> tile,
             int64_t gemmK, int64_t shared, int64_t boxes) {
    for (int64_t workItems : kMaxWorkItems) {
      if (workItems == kMaxWideWorkItems && !isWide(tile[1]))
        continue;
      int64_t subgroups =
          std::min<int64_t>(llvm::divideCeil(boxes, chip.subgroupSize),
                            llvm::divideCeil(workItems, chip.subgroupSize));
      visit(mainLoop, atom, tile, gemmK, /*stages=*/1, shared, subgroups);
    }
  }
  void visit(DirectLoop mainLoop, AtomAttr atom, std::array<int64_t, 2> tile,
             int64_t gemmK, int64_t stages, int64_t shared, int64_t subgroups);
  /// Whether a tile of so many matrices is a wide one.
  bool isWide(int64_t count) const {
    return isShared && ranksWideTiles(chip) && count >= matricesOfSlice;
  }
  /// Whether tiles of so many matrices do not cross from one split-K slice to
  /// the next.
  bool dividesSlices(int64_t count) const {
    return matrices == matricesOfSlice || matricesOfSlice % count == 0;
  }
  /// The steps of a reduction, in runs of `run` neighbours, that divide each of
  /// its digits, as D5, D8 and D9 require.
  SmallVector<int64_t> enumerateSteps(int64_t run) const;
  /// Whether a step of the reduction takes more shared memory than there is for
  /// the left operand alone, whose elements no window shares (D3).
  bool exceedsSharedMemory(int64_t step, int64_t several, int64_t stages);
  /// Remembers what a tile of so many results and steps needs.
  void note(std::array<int64_t, 2> tile, int64_t gemmK, llvm::Twine needed);
  /// The fewest matrices of a tile, for vectors of `m`.
  int64_t getFewestMatrices(int64_t m) const;
  /// Numbers of matrices of a tile, for vectors of `m`: powers of two times the
  /// fewest, and all of them, whose rows have no gaps in memory.
  SmallVector<int64_t> enumerateMatrices(int64_t m) const;
  SmallVector<int64_t> listRuns(Type element) const;
  AtomAttr getAtom(int64_t m, int64_t n, int64_t k) {
    return AtomAttr::get(op.getContext(), AtomKind::FMA, m, n, k);
  }

  ConvolutionOpInterface op;
  const ::conv::ChipInfo &chip;
  bool isShared;    ///< Work-items share the reduction.
  bool isDepthwise; ///< Groups have one input channel.
  PlanOptions options;
  DirectPlan plan;
  ViewedProduct product; ///< The product with the most rows.
  int64_t matrices, rows, columns, reduction;
  int64_t matricesOfSlice; ///< Of these, in one split-K slice.
  bool isAlongBatch;
  /// The order of schedules: seconds, then bytes, then order of creation.
  using Rank = std::tuple<double, double, size_t>;
  std::vector<std::pair<Rank, PredictedSchedule>> all;
  DenseSet<ScheduleAttr> seen;
  std::string obstacle;
  int64_t leastProducts = std::numeric_limits<int64_t>::max(); ///< Of its tile.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTSEARCH_H
