//===- ScheduleSpace.cpp - all schedules of a convolution -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates how the matrices of a convolution may be formed. `rankCandidates`
// provides the tiles and main loops for each way.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleSpace.h"

#include "SearchLimits.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Schedule/Database.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Adds merged groups where one group does not fill a tile.
static void addMergedGroups(ConvolutionOpInterface op,
                            const ::conv::Problem &plain,
                            SmallVectorImpl<PlanOptions> &all) {
  for (int64_t merged = 2;
       op.getGroups() % merged == 0 && plain.columns * merged <= kLargestTile;
       merged *= 2)
    all.push_back({.mergedGroups = merged});
}

/// The number nearest to `middle`, less than `reach` away, that is accepted; 0
/// if there is none.
static int64_t findNear(int64_t middle, int64_t reach,
                        function_ref<bool(int64_t)> accepts) {
  for (int64_t away = 0; away < reach; ++away)
    for (int64_t number : {middle - away, middle + away})
      if (accepts(number))
        return number;
  return 0;
}

/// Tiles of a product, if they are as large as makes a difference.
static int64_t countLargestTiles(const ::conv::Problem &plain) {
  return llvm::divideCeil(plain.rows, kLargestTile) *
         llvm::divideCeil(plain.columns, kLargestTile) * plain.batch;
}

/// The most split-K slices of so many tiles that do not fill the chip too
/// often.
static int64_t countMostSlices(int64_t tiles, const ::conv::ChipInfo &chip) {
  return int64_t(chip.calibration->launch.splitWaves *
                 double(chip.computeUnits) / double(tiles));
}

/// Numbers of split-K slices for products that do not fill the chip: powers of
/// two, and between two of them, the number of equal slices that is nearest to
/// the middle.
static SmallVector<int64_t> enumerateSplits(ConvolutionOpInterface op,
                                            const ::conv::Problem &plain,
                                            const ::conv::ChipInfo &chip) {
  SmallVector<int64_t> all;
  int64_t tiles = countLargestTiles(plain);
  int64_t most = getSplittableSize(op);
  int64_t whole = getSliceSize(op, PlanOptions());
  auto areEqual = [&](int64_t splits) {
    if (whole == 0) // Dgrad phases have reductions of their own.
      return most % splits == 0;
    return whole % splits == 0 && canSplit(op, {.splits = splits}) &&
           getSliceSize(op, {.splits = splits}) * splits == whole;
  };
  auto add = [&](int64_t splits) {
    if (splits > 1 && canSplit(op, {.splits = splits}) &&
        !llvm::is_contained(all, splits))
      all.push_back(splits);
  };
  const ::conv::LaunchCalibration &fit = chip.calibration->launch;
  int64_t last = std::min({most, fit.mostSplits, countMostSlices(tiles, chip)});
  for (int64_t splits = 2; splits <= last; splits *= 2) {
    add(splits);
    if (int64_t between = findNear(splits + splits / 2, splits / 2, areEqual))
      add(between);
  }
  if (tiles > kFewTiles)
    return all;
  // Equal slices that fill the chip once, or the nearest numbers of slices.
  int64_t once = std::clamp<int64_t>(chip.computeUnits / tiles, 1,
                                     std::min(most, 2 * fit.mostSplits));
  int64_t below = once, above = once + 1;
  while (!areEqual(below))
    --below;
  while (above < 2 * once && !areEqual(above))
    ++above;
  add(below);
  if (areEqual(above))
    add(above);
  return all;
}

/// Tiles along the columns; tiles whose rows are taps have few columns.
static int64_t
countHaloTileColumns(const ::conv::Problem &problem,
                     const ::conv::WarpgroupFacts::HaloTile &tile) {
  return tile.tapRows.areRows()
             ? llvm::divideCeil(problem.columns, kMostTapColumns)
             : problem.columns / tile.columns;
}

/// Tile rows for which numbers of split-K slices are enumerated: if rows are
/// taps, the rows of one tap row and of all of them.
static SmallVector<int64_t>
getHaloTileRows(const ::conv::WarpgroupFacts::HaloTile &tile) {
  const ::conv::TapRows &taps = tile.tapRows;
  int64_t line = taps.taps * ::conv::TapRows::kAtomRows;
  return taps.areRows() ? SmallVector<int64_t>{line, line * taps.lines}
                        : SmallVector<int64_t>(ArrayRef(kHaloTileRows));
}

/// Numbers of split-K slices of a reduction over halo tiles, which need not
/// divide it: among the numbers that fill the chip once or a few times, those
/// with the shortest slices.
static SmallVector<int64_t>
enumerateHaloTileSplits(ConvolutionOpInterface op, PlanOptions options,
                        const ::conv::ChipInfo &chip) {
  ::conv::Problem problem = computeProblem(op, options);
  const auto *facts = problem.facts.get<::conv::WarpgroupFacts>();
  if (!facts)
    return {};
  const ::conv::LaunchCalibration &fit = chip.calibration->launch;
  int64_t last = std::min(getSplittableSize(op, options), 2 * fit.mostSplits);
  // For each limit, the fewest slices that are as short as possible.
  SmallVector<int64_t> shortest = {1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (options.splits = 1; options.splits <= last; ++options.splits) {
    int64_t size = getSliceSize(op, options);
    shortest.push_back(size < least ? options.splits : shortest.back());
    least = std::min(least, size);
  }
  llvm::SmallSetVector<int64_t, 16> all;
  for (int64_t rows : getHaloTileRows(*facts->haloTile)) {
    int64_t tiles = llvm::divideCeil(problem.rows, rows) *
                    countHaloTileColumns(problem, *facts->haloTile) *
                    problem.batch;
    for (int64_t waves = 1; waves <= fit.splitWaves; ++waves) {
      // As of other tiles, more slices than `mostSplits` only fill the chip.
      int64_t most = waves == 1 ? last : std::min(last, fit.mostSplits);
      all.insert(shortest[std::min(waves * chip.computeUnits / tiles, most)]);
    }
  }
  return SmallVector<int64_t>(all.begin(), all.end());
}

/// Adds halo tiles, with which taps share the elements that they read. `counts`
/// are numbers of split-K slices for products whose rows are positions. Only
/// warpgroups have slices of halo tiles, so these are in their order.
static void addHaloTiles(ConvolutionOpInterface op, ArrayRef<int64_t> counts,
                         const ::conv::ChipInfo &chip,
                         SmallVectorImpl<PlanOptions> &all) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.getRank() < int64_t(PlanOptions::kHaloTileRank) ||
      llvm::product_of(
          ArrayRef(shape.filter).take_back(PlanOptions::kHaloTileRank)) == 1)
    return;
  bool isStrided = llvm::any_of(shape.strides, [](int64_t s) { return s > 1; });
  auto add = [&](PlanOptions options) {
    options.hasChannelRows = dependsOnChannelRows(op, options);
    all.push_back(std::move(options));
  };
  if (op.getDirection() == Direction::BackwardWeight) {
    constexpr int64_t kSide = PlanOptions::kBlockSize;
    SmallVector<int64_t, 2> haloTile = {kSide, kSide};
    if (!isStrided)
      for (int64_t splits :
           enumerateHaloTileSplits(op, {.haloTile = haloTile}, chip))
        add({.splits = splits, .haloTile = haloTile});
    if (findTransposedObstacle(op, haloTile).empty() &&
        std::min(shape.c, shape.k) <= kMostTapColumns)
      for (int64_t splits : enumerateHaloTileSplits(
               op, {.haloTile = haloTile, .transposed = true}, chip))
        add({.splits = splits, .haloTile = haloTile, .transposed = true});
    return;
  }
  for (int64_t height : kHaloTileSides)
    for (int64_t width : kHaloTileSides) {
      SmallVector<int64_t, 2> haloTile = {height, width};
      if (shape.getRank() == PlanOptions::kHaloTileRank)
        all.push_back({.haloTile = haloTile, .joinsPhases = true});
      // Each dgrad phase would read the halo tiles again.
      if (isStrided)
        continue;
      all.push_back({.haloTile = haloTile});
      for (int64_t splits : counts)
        add({.splits = splits, .haloTile = haloTile});
    }
}

/// The plan options that are worth ranking, the plainest first.
static SmallVector<PlanOptions> enumerateOptions(ConvolutionOpInterface op,
                                                 const ::conv::ChipInfo &chip) {
  SmallVector<PlanOptions> all = {PlanOptions()};
  ::conv::Problem plain = computeProblem(op, PlanOptions());
  if (chip.isProcessor()) {
    // Large tiles of slices pack each operand once, and slices have a thread
    // each; small tiles for as many threads would pack it several times.
    if (op.getDirection() == Direction::BackwardWeight)
      for (int64_t splits : enumerateSplits(op, plain, chip))
        all.push_back({.splits = splits});
    return all;
  }
  if (findTransposedObstacle(op).empty())
    all.push_back({.transposed = true});
  addMergedGroups(op, plain, all);
  SmallVector<int64_t> counts = enumerateSplits(op, plain, chip);
  for (int64_t splits : counts)
    all.push_back({.splits = splits});
  if (!hasWarpgroups(chip))
    return all;
  if (canHaveChannelRows(op))
    all.push_back({.hasChannelRows = true});
  for (int64_t splits : counts)
    if (PlanOptions own{.splits = splits, .hasChannelRows = true};
        dependsOnChannelRows(op, own))
      all.push_back(own);
  addHaloTiles(op, counts, chip, all);
  return all;
}

/// Whether an op of the host has plans of one piece only: others pack operands
/// several times (`enumerateOptions`).
static bool isOnePiece(ConvolutionOpInterface op,
                       const ::conv::ChipInfo &chip) {
  return chip.isProcessor() && op.getDirection() != Direction::BackwardWeight;
}

std::string mlir::conv::explainNoSplits(ConvolutionOpInterface op,
                                        const ::conv::ChipInfo &chip) {
  if (isOnePiece(op, chip))
    return "the chip is a CPU, and the result is no gradient of a filter";
  if (getSplittableSize(op) <= 1)
    return "the reduction cannot be divided";
  int64_t tiles = countLargestTiles(computeProblem(op, PlanOptions()));
  if (countMostSlices(tiles, chip) <= 1)
    return formatv("there are {0} tiles of {1} x {1} for {2} compute units",
                   tiles, kLargestTile, chip.computeUnits);
  return "no family computes slices of this reduction";
}

std::string mlir::conv::explainNoMergedGroups(ConvolutionOpInterface op,
                                              const ::conv::ChipInfo &chip) {
  if (op.getGroups() == 1)
    return "there is one group";
  if (chip.isProcessor())
    return "the chip is a CPU";
  if (op.getGroups() % 2 != 0)
    return formatv("there are {0} groups, which make no pairs", op.getGroups());
  int64_t columns = computeProblem(op, PlanOptions()).columns;
  if (2 * columns > kLargestTile)
    return formatv("a group has {0} columns, of which a tile has up to {1}",
                   columns, kLargestTile);
  return "no family computes merged groups";
}

std::string mlir::conv::explainNoTransposed(ConvolutionOpInterface op,
                                            const ::conv::ChipInfo &chip) {
  if (chip.isProcessor())
    return "the chip is a CPU";
  bool isGradient = op.getDirection() == Direction::BackwardWeight;
  if (isGradient && !hasWarpgroups(chip))
    return "the chip has no wgmma, and the result is a gradient of a filter";
  constexpr int64_t kSide = PlanOptions::kBlockSize;
  std::string obstacle = isGradient && ConvolutionShape::get(op).getRank() >=
                                           int64_t(PlanOptions::kHaloTileRank)
                             ? findTransposedObstacle(op, {kSide, kSide})
                             : findTransposedObstacle(op);
  return obstacle.empty() ? "no family computes it" : obstacle;
}

ScheduleAttr RankedSchedule::get(MLIRContext *context,
                                 const ::conv::ChipInfo &chip) const {
  return listed ? listed
                : getSchedule(context, candidate, options, chip,
                              ChosenBy::Heuristic);
}

namespace {
/// The candidates of all families with a model, for one way to form matrices.
struct RankedForm {
  PlanOptions options;
  ::conv::Problem problem;
  std::vector<::conv::RankedCandidate> candidates;
};

/// Where a schedule is among those of all forms, and what it is sorted by.
/// Schedules are long, so these are sorted in their place.
struct SchedulePlace {
  bool isLater; ///< Families that take precedence keep their own order.
  double seconds;
  size_t place; ///< Tie break: plainer options first.
  size_t form, candidate;

  bool operator<(const SchedulePlace &other) const {
    return std::tie(isLater, seconds, place) <
           std::tie(other.isLater, other.seconds, other.place);
  }
};
} // namespace

/// Sorts places whose runs, which have these ends, are sorted.
static void mergeSorted(std::vector<SchedulePlace> &places,
                        std::vector<size_t> ends) {
  std::vector<SchedulePlace> merged(places.size());
  while (ends.size() > 1) {
    std::vector<size_t> mergedEnds;
    size_t start = 0;
    for (size_t i = 0; i < ends.size(); i += 2) {
      auto middle = places.begin() + ends[i];
      size_t end = ends[std::min(i + 1, ends.size() - 1)];
      std::merge(places.begin() + start, middle, middle, places.begin() + end,
                 merged.begin() + start);
      mergedEnds.push_back(start = end);
    }
    ends = std::move(mergedEnds);
    places.swap(merged);
  }
}

static std::vector<RankedForm> rankForms(ConvolutionOpInterface op,
                                         const ::conv::ChipInfo &chip,
                                         ::conv::RankingCut *cut) {
  std::vector<RankedForm> forms;
  for (const PlanOptions &options : enumerateOptions(op, chip)) {
    RankedForm &form = forms.emplace_back(options, computeProblem(op, options));
    form.candidates = ::conv::rankCandidates(form.problem, chip, cut).accepted;
  }
  return forms;
}

std::vector<RankedSchedule> mlir::conv::rankSchedules(
    ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
    std::optional<Algorithm> only, std::optional<double> reach) {
  std::vector<RankedSchedule> listed;
  std::optional<::conv::RankingCut> cut;
  if (reach)
    cut.emplace(*reach);
  for (const KernelFamily *family : getKernelFamilies())
    for (const auto &[schedule, cost] : family->listSchedules(op, chip))
      if (!only || schedule.getAlgorithm() == *only)
        listed.push_back(
            {{}, {}, schedule, cost, family->isFirst(chip), listed.size()});
  if (cut)
    for (const RankedSchedule &one : listed)
      if (!one.isFirst)
        cut->note(one.cost.seconds);
  // None of the others is within reach of schedules that take precedence.
  bool hasOnlyFirst =
      cut && llvm::any_of(
                 listed, [](const RankedSchedule &one) { return one.isFirst; });
  std::vector<RankedForm> forms;
  if ((!only || *only == Algorithm::ImplicitGemm) && !hasOnlyFirst)
    forms = rankForms(op, chip, cut ? &*cut : nullptr);

  std::vector<SchedulePlace> places;
  std::vector<size_t> ends; // Where each sorted run of `places` ends.
  constexpr size_t kListed = std::numeric_limits<size_t>::max();
  for (const RankedSchedule &one : listed)
    places.push_back({!one.isFirst, one.isFirst ? 0 : one.cost.seconds,
                      one.place, kListed, one.place});
  llvm::sort(places);
  ends.push_back(places.size());
  for (auto [form, each] : llvm::enumerate(forms)) {
    for (auto [candidate, one] : llvm::enumerate(each.candidates))
      places.push_back(
          {true, one.cost.seconds, places.size(), form, candidate});
    ends.push_back(places.size());
  }
  mergeSorted(places, ends);
  // Others that are as slow were left out.
  if (cut)
    llvm::erase_if(places, [&](const SchedulePlace &at) {
      return at.isLater && (hasOnlyFirst || at.seconds > cut->limit());
    });

  std::vector<RankedSchedule> ranked;
  ranked.reserve(places.size());
  for (const SchedulePlace &at : places) {
    if (at.form == kListed) {
      ranked.push_back(std::move(listed[at.candidate]));
      continue;
    }
    const RankedForm &form = forms[at.form];
    auto [candidate, cost] = form.candidates[at.candidate];
    candidate.model->complete(form.problem, chip, candidate);
    ranked.push_back({form.options, candidate, /*listed=*/nullptr, cost,
                      /*isFirst=*/false, at.place});
  }
  return ranked;
}

/// The terms of a model's prediction, where models are fitted to the clock.
static std::vector<std::pair<std::string, double>>
listTerms(ConvolutionOpInterface op, const RankedSchedule &one,
          const ::conv::ChipInfo &chip) {
  if (!chip.isClocked() || one.listed)
    return {};
  return one.candidate.model->listTerms(computeProblem(op, one.options), chip,
                                        one.candidate, one.cost);
}

/// Prints the schedules of other forms, with the time of their transforms.
static void printInOtherForms(ConvolutionOpInterface op,
                              const ::conv::ChipInfo &chip, raw_ostream &os) {
  for (const OperandForm &form : enumerateForms(op, chip)) {
    OpBuilder builder(op->getContext());
    auto transformed = TransformedConvolution::create(builder, op, form);
    std::vector<RankedSchedule> all =
        rankSchedules(transformed.op, chip, Algorithm::ImplicitGemm);
    double added = 0;
    for (Operation *transform : transformed.getTransforms())
      added += predictTransform(transform, chip);
    transformed.erase();
    for (const RankedSchedule &one : all)
      printCandidate(op, form.apply(one.get(op.getContext(), chip)),
                     one.cost.seconds + added, os);
  }
}

void mlir::conv::printScheduleSpace(ConvolutionOpInterface op,
                                    raw_ostream &os) {
  ::conv::ChipInfo chip = getDeviceChip(op);
  for (const RankedSchedule &one : rankSchedules(op, chip))
    printCandidate(op, one.get(op.getContext(), chip), one.cost.seconds, os,
                   listTerms(op, one, chip));
  printInOtherForms(op, chip, os);
}
