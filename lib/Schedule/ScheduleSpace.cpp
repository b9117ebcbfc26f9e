//===- ScheduleSpace.cpp - all schedules of a convolution -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the matrices of a convolution may be formed is enumerated here; tiles and
// main loops for each are those of `rankCandidates`.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleSpace.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/Direct/DirectModel.h"
#include "conv/Kernels/Direct/DirectSchedule.h"
#include "conv/Kernels/Parts/StagedModel.h"
#include "conv/Kernels/Parts/Warpgroup/TmaFacts.h"
#include "conv/Schedule/Database.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;

/// Rows or columns of tiles beyond which options make no difference.
static constexpr int64_t kLargestTile = 256;
/// More parts are more to add up than there is to gain.
static constexpr int64_t kMaxSplits = 64;
/// The same for parts of a few tiles, which are all that there is to compute
/// side by side: how many were measured, if they fill the chip no more than
/// once.
static constexpr int64_t kFewTiles = 4;
static constexpr int64_t kMaxSplitsOfTile = 112;
/// Sides of halo tiles: larger ones, of which halos are a smaller part, come
/// first, since of equal costs the first one is taken.
static constexpr int64_t kHaloTileSides[] = {16, 8};
/// Rows of a tile, and how often its tiles fill the chip, that parts of a
/// reduction over halo tiles are counted for.
static constexpr int64_t kHaloTileRows[] = {64, 128, 192, 256};
static constexpr int64_t kMaxWaves = 4;

/// Groups that do not fill a tile: side by side they may.
static void addMergedGroups(ConvolutionOpInterface op,
                            const ::conv::Problem &plain,
                            SmallVectorImpl<PlanOptions> &all) {
  for (int64_t merged = 2;
       op.getGroups() % merged == 0 && plain.columns * merged <= kLargestTile;
       merged *= 2)
    all.push_back({.mergedGroups = merged});
}

/// Numbers of parts for products that do not fill the chip.
static SmallVector<int64_t> enumerateSplits(ConvolutionOpInterface op,
                                            const ::conv::Problem &plain,
                                            const ::conv::ChipInfo &chip) {
  SmallVector<int64_t> all;
  int64_t tiles = llvm::divideCeil(plain.rows, kLargestTile) *
                  llvm::divideCeil(plain.columns, kLargestTile) * plain.batch;
  int64_t longest = getSplittableSize(op);
  for (int64_t splits = 2; splits <= std::min(longest, kMaxSplits) &&
                           tiles * splits <= 4 * chip.computeUnits;
       splits *= 2)
    all.push_back(splits);
  if (tiles > kFewTiles)
    return all;
  // As many equal parts as fill the chip once, or the next numbers of them.
  int64_t once = std::clamp<int64_t>(chip.computeUnits / tiles, 1, longest);
  int64_t below = std::min(once, kMaxSplitsOfTile), above = once + 1;
  while (longest % below != 0)
    --below;
  while (above < longest && longest % above != 0)
    ++above;
  for (int64_t splits : {below, above})
    if (splits > 1 && splits <= std::min(longest, 2 * once) &&
        !llvm::is_contained(all, splits))
      all.push_back(splits);
  return all;
}

/// Numbers of parts of a reduction over halo tiles, which need not divide it:
/// those that are the shortest among as many as fill the chip once, or a few
/// times.
static SmallVector<int64_t>
enumerateHaloTileSplits(ConvolutionOpInterface op, PlanOptions options,
                        const ::conv::ChipInfo &chip) {
  ::conv::Problem problem = computeProblem(op, options);
  const auto *facts = problem.facts.get<::conv::TmaFacts>();
  if (!facts)
    return {};
  int64_t last = std::min(getSplittableSize(op, options), kMaxSplits);
  // The shortest parts among up to so many: the fewest of that length.
  SmallVector<int64_t> shortest = {1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (options.splits = 1; options.splits <= last; ++options.splits) {
    int64_t size = getPartSize(op, options);
    shortest.push_back(size < least ? options.splits : shortest.back());
    least = std::min(least, size);
  }
  llvm::SmallSetVector<int64_t, 16> all;
  for (int64_t rows : kHaloTileRows) {
    int64_t tiles = llvm::divideCeil(problem.rows, rows) *
                    (problem.columns / facts->haloTile->columns) *
                    problem.batch;
    for (int64_t waves = 1; waves <= kMaxWaves; ++waves)
      all.insert(shortest[std::min(waves * chip.computeUnits / tiles, last)]);
  }
  return SmallVector<int64_t>(all.begin(), all.end());
}

/// Taps that read the same elements. `parts` are numbers of parts for products
/// whose rows are positions.
static void addHaloTiles(ConvolutionOpInterface op, ArrayRef<int64_t> parts,
                         const ::conv::ChipInfo &chip,
                         SmallVectorImpl<PlanOptions> &all) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.getRank() < int64_t(PlanOptions::kHaloTileRank) ||
      llvm::product_of(
          ArrayRef(shape.filter).take_back(PlanOptions::kHaloTileRank)) == 1)
    return;
  bool isStrided = llvm::any_of(shape.strides, [](int64_t s) { return s > 1; });
  if (op.getDirection() == Direction::BackwardWeight) {
    constexpr int64_t kSide = PlanOptions::kBlockSize;
    SmallVector<int64_t, 2> haloTile = {kSide, kSide};
    if (!isStrided)
      for (int64_t splits :
           enumerateHaloTileSplits(op, {.haloTile = haloTile}, chip))
        all.push_back({.splits = splits, .haloTile = haloTile});
    return;
  }
  for (int64_t height : kHaloTileSides)
    for (int64_t width : kHaloTileSides) {
      SmallVector<int64_t, 2> haloTile = {height, width};
      if (shape.getRank() == PlanOptions::kHaloTileRank)
        all.push_back({.haloTile = haloTile, .joinsPhases = true});
      // Halo tiles of one dgrad phase would be read again for the others.
      if (isStrided)
        continue;
      all.push_back({.haloTile = haloTile});
      for (int64_t splits : parts)
        all.push_back({.splits = splits, .haloTile = haloTile});
    }
}

/// The options that are worth a ranking of their own, the plainest first.
static SmallVector<PlanOptions> enumerateOptions(ConvolutionOpInterface op,
                                                 const ::conv::ChipInfo &chip) {
  SmallVector<PlanOptions> all = {PlanOptions()};
  if (chip.backend == ::conv::Backend::Host)
    return all;
  if (findTransposedObstacle(op).empty())
    all.push_back({.transposed = true});
  ::conv::Problem plain = computeProblem(op, PlanOptions());
  addMergedGroups(op, plain, all);
  SmallVector<int64_t> parts = enumerateSplits(op, plain, chip);
  for (int64_t splits : parts)
    all.push_back({.splits = splits});
  bool hasBoxes = llvm::any_of(chip.atoms, [](const ::conv::MatrixAtom &atom) {
    return ::conv::isWarpgroupAtom(atom.kind);
  });
  if (hasBoxes && canHaveChannelRows(op)) {
    all.push_back({.hasChannelRows = true});
    for (int64_t splits : parts)
      all.push_back({.splits = splits, .hasChannelRows = true});
  }
  if (hasBoxes)
    addHaloTiles(op, parts, chip, all);
  return all;
}

std::vector<RankedSchedule>
mlir::conv::rankImplicitGemm(ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) {
  std::vector<RankedSchedule> all;
  for (const PlanOptions &options : enumerateOptions(op, chip))
    for (const ::conv::RankedCandidate &one :
         ::conv::rankCandidates(computeProblem(op, options), chip).accepted)
      all.push_back({options, one, all.size()});
  llvm::sort(all, [](const RankedSchedule &a, const RankedSchedule &b) {
    return std::pair(a.ranked.cost.seconds, a.place) <
           std::pair(b.ranked.cost.seconds, b.place);
  });
  return all;
}

/// The model of staged main loops was not fitted to such groups.
bool mlir::conv::areWarpgroupsFaster(ConvolutionOpInterface op,
                                     ArrayRef<RankedSchedule> ranked,
                                     ScheduleAttr direct,
                                     const ::conv::ChipInfo &chip) {
  if (ranked.empty() || !competesWithWarpgroups(direct))
    return false;
  const ::conv::RankedCandidate &best = ranked.front().ranked;
  return ::conv::isWarpgroupAtom(best.candidate.atom->kind) &&
         best.cost.seconds < predictDirectSchedule(op, direct, chip).seconds();
}

static void printDirect(ConvolutionOpInterface op,
                        ArrayRef<ScheduleAttr> schedules,
                        const ::conv::ChipInfo &chip, raw_ostream &os) {
  for (ScheduleAttr schedule : schedules)
    printCandidate(op, schedule,
                   predictDirectSchedule(op, schedule, chip).seconds(), os);
}

static void printImplicitGemm(ConvolutionOpInterface op,
                              ArrayRef<RankedSchedule> all,
                              const ::conv::ChipInfo &chip, raw_ostream &os) {
  std::vector<std::pair<std::string, double>> unit;
  for (const auto &[options, ranked, place] : all) {
    if (chip.backend == ::conv::Backend::AMDGPU)
      unit = ::conv::describeUnit(computeProblem(op, options), chip,
                                  ranked.candidate, ranked.cost);
    printCandidate(op,
                   getSchedule(op.getContext(), ranked.candidate, options, chip,
                               ChosenBy::User),
                   ranked.cost.seconds, os, unit);
  }
}

/// Those whose operands are in other forms, with the time of their transforms.
static void printInOtherForms(ConvolutionOpInterface op,
                              const ::conv::ChipInfo &chip, raw_ostream &os) {
  for (const OperandForm &form : enumerateForms(op, chip)) {
    OpBuilder builder(op->getContext());
    auto transformed = TransformedConvolution::create(builder, op, form);
    std::vector<RankedSchedule> all = rankImplicitGemm(transformed.op, chip);
    transformed.erase();
    double transformSeconds = 0;
    for (const auto &[options, ranked, place] : all) {
      ScheduleAttr schedule =
          getSchedule(op.getContext(), ranked.candidate, options, chip,
                      ChosenBy::User)
              .withForm(form.layouts, form.channelMultiple, form.im2col);
      if (place == all.front().place)
        transformSeconds =
            predictSeconds(op, schedule, chip) - ranked.cost.seconds;
      printCandidate(op, schedule, ranked.cost.seconds + transformSeconds, os);
    }
  }
}

/// Those of the convolution as it is.
static void printInOwnForm(ConvolutionOpInterface op,
                           const ::conv::ChipInfo &chip, raw_ostream &os) {
  std::vector<RankedSchedule> gemm = rankImplicitGemm(op, chip);
  auto ranked = rankDirectSchedules(op, chip);
  auto *direct = std::get_if<std::vector<ScheduleAttr>>(&ranked);
  if (!direct)
    return printImplicitGemm(op, gemm, chip, os);
  bool isDirectFirst = !areWarpgroupsFaster(op, gemm, direct->front(), chip);
  if (isDirectFirst)
    printDirect(op, *direct, chip, os);
  printImplicitGemm(op, gemm, chip, os);
  if (!isDirectFirst)
    printDirect(op, *direct, chip, os);
}

void mlir::conv::printScheduleSpace(ConvolutionOpInterface op,
                                    raw_ostream &os) {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  printInOwnForm(op, chip, os);
  printInOtherForms(op, chip, os);
}
