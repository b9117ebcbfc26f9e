//===- TmaModel.cpp - candidates of the tma main loop -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step takes as long as what is slowest of it: multiplying, reading operands
// from shared memory while copies are written there, or these copies' way. All
// constants but those of power and of chains were fitted together, for all
// directions, to the kernels that were measured of 170 layers on an H200: 1344,
// the best ones by earlier models and a sample of others. Of those of a layer,
// the best one by the model takes 0.4 % more time than the fastest one on
// average, and 5.5 % at most.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "conv/Kernels/Parts/Warpgroup/TmaFacts.h"

#include "../Parts/Warpgroup/WarpgroupTiles.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv;

static const WarpgroupCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->warpgroup;
}

/// What the only tile of a compute unit waits for memory if the pipeline has no
/// more stages than this.
static constexpr int64_t kShortPipeline = 4;
/// Stages beyond which a pipeline does not become faster; those of a reduction
/// over positions, whose steps are all read from memory, do a little longer.
static constexpr int64_t kMaxStages = 7;
static constexpr int64_t kMaxGradientStages = 8;

/// Copies of parts of rows of the right operand that do not start at a multiple
/// of so many elements are too slow: of their lines, two are read for each one.
static constexpr int64_t kRightRow = 32;

/// A lane has no registers for parts of more atoms.
static constexpr int64_t kMaxConvertedAtoms = 2;

/// Narrower tiles read their rows too often, if there are more columns.
static constexpr int64_t kMinColumns = 16;

/// The tile with the operand that it keeps.
static KeptTile getKeptTile(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  return KeptTile(getTmaTile(problem, candidate), getTmaFacts(problem).reuse,
                  chip.computeUnits, chip.sharedMemoryBytes);
}

/// The same with an operand of the epilogue that comes by copies, if there is
/// room.
static KeptTile getTileWithEpilogue(const Problem &problem,
                                    const ChipInfo &chip,
                                    const Candidate &candidate) {
  KeptTile kept = getKeptTile(problem, chip, candidate);
  if (getTmaFacts(problem).hasEpilogueBoxes)
    kept.tile.copyEpilogue(kept.reduce(chip.sharedMemoryBytes));
  return kept;
}

/// Whether the tile has whole halo tiles, or the columns that share one.
static bool fitsHaloTiles(const TmaFacts::HaloTile &haloTile,
                          const TmaTile &tile) {
  return haloTile.isReduced() ? tile.columns == haloTile.columns
                              : tile.rows % haloTile.rows == 0;
}

/// Whether there are such kernels for the problem, whatever their stages.
static bool isPossible(const Problem &problem, const TmaTile &tile) {
  const TmaFacts &facts = getTmaFacts(problem);
  // Groups have few columns, so that most of what copies bring is the filter.
  int64_t maxRows = facts.hasGroups && tile.hasSlots()
                        ? TmaTile::kMaxRowsOfHaloTiles
                        : TmaTile::kMaxRows;
  return fitsWorkgroup(tile, maxRows) &&
         (!tile.isConverted() ||
          (!facts.haloTile && tile.hasWholeConvertedColumns() &&
           tile.atomsPerConsumer() <= kMaxConvertedAtoms)) &&
         tile.columns >= std::min(problem.columns, kMinColumns) &&
         (!facts.hasRowsOfColumns || tile.hasWholeRowsOfColumns()) &&
         (!facts.isRightTransposed || tile.columns >= problem.columns ||
          tile.columns % kRightRow == 0) &&
         (!facts.haloTile || fitsHaloTiles(*facts.haloTile, tile));
}

static int64_t countTiles(const Problem &problem, const TmaTile &tile) {
  return problem.products * problem.batch * ceilDiv(problem.rows, tile.rows) *
         ceilDiv(problem.columns, tile.columns);
}

/// Tiles that are computed at a time, each by a cluster if it has one.
static int64_t countResidentTiles(const ChipInfo &chip, const TmaTile &tile) {
  return tile.cluster == 1 ? chip.computeUnits
                           : chip.residentClusters[tile.cluster - 1];
}

/// Whether workgroups can share tiles (S18), and are idle if they do not. Those
/// of gradients of filters read too much: on an H200 clusters took up to half
/// as long again as parts.
static bool canShare(const Problem &problem, const ChipInfo &chip,
                     const TmaTile &tile) {
  const TmaFacts &facts = getTmaFacts(problem);
  return tile.cluster == 1 ||
         (!facts.reducesPositions && tile.hasWholeShares() &&
          tile.cluster <= facts.sharers &&
          countTiles(problem, tile) <= countResidentTiles(chip, tile));
}

static std::vector<Candidate> listTmaCandidates(const Problem &problem,
                                                const ChipInfo &chip,
                                                const MatrixAtom &atom) {
  const TmaFacts &facts = getTmaFacts(problem);
  std::vector<Candidate> candidates;
  if (facts.steps == 0 || !isWarpgroupAtom(atom.kind) ||
      (atom.kind == AtomKind::WGMMA3xTF32 && !facts.allows3xTF32) ||
      (atom.hasNarrowSums() && facts.promotion == 0))
    return candidates;
  int64_t most = facts.reducesPositions ? kMaxGradientStages : kMaxStages;
  forEachWarpgroupTile(atom, MainLoop::Tma, [&](Candidate candidate) {
    candidate.promotion = facts.promotion;
    for (candidate.cluster = 1; candidate.cluster <= chip.maxCluster();
         ++candidate.cluster) {
      TmaTile tile = getTmaTile(problem, candidate);
      if (!isPossible(problem, tile) || !canShare(problem, chip, tile))
        continue;
      auto fits = [&](const Candidate &each) {
        return getKeptTile(problem, chip, each).sharedBytes() <=
               chip.sharedMemoryBytes;
      };
      auto fitsKept = [&](const Candidate &each) {
        return fits(each) && getKeptTile(problem, chip, each).keeps();
      };
      auto fitsWithEpilogue = [&](const Candidate &each) {
        return getTileWithEpilogue(problem, chip, each).tile.isEpilogueCopied;
      };
      size_t before = candidates.size();
      addWithStages(candidates, candidate, most, /*granule=*/1, fits);
      if (candidates.size() > before && !fitsKept(candidates.back()))
        addWithStages(candidates, candidate, most, /*granule=*/1, fitsKept);
      if (candidates.size() > before && facts.hasEpilogueBoxes &&
          !fitsWithEpilogue(candidates.back()))
        addWithStages(candidates, candidate, most, /*granule=*/1,
                      fitsWithEpilogue);
    }
  });
  return candidates;
}

/// What copies bring for a step, which has a part of the halo tiles that it
/// shares.
static double computeStepBytes(const Problem &problem, const KeptTile &kept) {
  const TmaFacts &facts = getTmaFacts(problem);
  double shared = facts.haloTile ? double(facts.haloTile->taps) : 1;
  return double(kept.stageBytes()) + double(kept.tile.haloTileBytes) / shared;
}

/// Cycles of shared memory for a step: instructions read what they multiply,
/// and copies write.
static double computeSharedCycles(const Problem &problem, const ChipInfo &chip,
                                  const TmaTile &tile, double stepBytes) {
  const TmaFacts &facts = getTmaFacts(problem);
  double instructions =
      double(tile.rows / TmaTile::kAtomRows * facts.atomsPerRow);
  double rightBytes = double(tile.columns * TmaTile::kAtomBytes);
  double leftBytes = double(TmaTile::kAtomRows * TmaTile::kAtomBytes);
  double readBytes = leftBytes + rightBytes;
  if (tile.isConverted()) {
    // Lanes read the left operand once, for all products of parts.
    double products = tile.convertedParts == 2 ? 3 : 1;
    readBytes = leftBytes + products * rightBytes;
    stepBytes += double(tile.rightBytes() + tile.convertedBytes());
  }
  return (instructions * readBytes + fit(chip).writeShare * stepBytes) /
         chip.sharedMemoryBytesPerClock;
}

/// Rows that copies of the left operand bring in a step.
static double computeLeftRows(const Problem &problem, const KeptTile &kept) {
  const TmaFacts &facts = getTmaFacts(problem);
  const TmaTile &tile = kept.tile;
  if (kept.keepsLeft())
    return 0;
  double bytes = tile.hasSlots()
                     ? double(tile.haloTileBytes) / double(facts.haloTile->taps)
                     : double(tile.leftBytes());
  return bytes / TmaTile::kRowBytes;
}

/// The same of the right operand.
static double computeRightRows(const KeptTile &kept) {
  return kept.keepsRight()
             ? 0
             : double(kept.tile.rightBytes()) / TmaTile::kRowBytes;
}

/// Whether rows of an operand start within sectors.
static bool isUnaligned(const Problem &problem, const ChipInfo &chip,
                        const Run &run) {
  return chip.sectorBytes != 0 &&
         run.elements * byteSize(problem.operand) % chip.sectorBytes != 0;
}

/// Cycles for each line of memory that copies ask for. Whole ones of plain
/// images are counted in bytes.
static double getLineCycles(const Problem &problem, const ChipInfo &chip) {
  const TmaFacts &facts = getTmaFacts(problem);
  bool areUnaligned = isUnaligned(problem, chip, problem.lhsRun) ||
                      isUnaligned(problem, chip, problem.rhsRun);
  if (facts.hasGroups)
    return facts.reducesPositions && !areUnaligned ? fit(chip).splitLineCycles
                                                   : fit(chip).lineCycles;
  if (facts.hasVolumes && !facts.reducesPositions)
    return fit(chip).volumeLineCycles;
  bool areWhole = facts.leftLines == 1 && facts.rightLines == 1;
  return areWhole ? 0 : fit(chip).splitLineCycles;
}

/// Cycles of a consumer for a step whose sums are promoted: of its own
/// instructions, and until lanes have added the last atom's sums. Others
/// multiply meanwhile.
static double computePromotedCycles(const Problem &problem,
                                    const ChipInfo &chip, const TmaTile &tile,
                                    double matrixCycles) {
  if (!tile.promotes())
    return 0;
  double parts = double(ceilDiv(
      getTmaFacts(problem).atomsPerRow * TmaTile::kAtomBytes, tile.promotion));
  double additions =
      double(tile.accumulators()) / double(tile.atomsPerConsumer());
  return matrixCycles / double(tile.consumers) +
         parts * (fit(chip).promotionCycles + additions);
}

/// Lines of memory that copies ask for in a step.
static double computeStepLines(const Problem &problem, const KeptTile &tile) {
  const TmaFacts &facts = getTmaFacts(problem);
  return computeLeftRows(problem, tile) * facts.leftLines +
         computeRightRows(tile) * facts.rightLines;
}

/// Rows of a step if some have fewer channels than a row. Groups count lines
/// instead.
static double countPartialRows(const Problem &problem, const KeptTile &tile) {
  const TmaFacts &facts = getTmaFacts(problem);
  auto isPartial = [&](const Run &run) {
    return run.elements * byteSize(problem.operand) < TmaTile::kRowBytes;
  };
  bool hasOtherCosts =
      facts.hasGroups || (facts.reducesPositions && !facts.hasVolumes);
  if (hasOtherCosts ||
      !(isPartial(problem.lhsRun) || isPartial(problem.rhsRun)))
    return 0;
  return computeLeftRows(problem, tile) + computeRightRows(tile);
}

/// Cycles of the rows of a step that start within sectors.
static double computeUnalignedCycles(const Problem &problem,
                                     const ChipInfo &chip,
                                     const KeptTile &tile) {
  const TmaFacts &facts = getTmaFacts(problem);
  if (facts.hasGroups && facts.reducesPositions)
    return 0; // By lines.
  auto getShare = [&](const Run &run) {
    bool isLong =
        facts.hasMatrices &&
        run.elements * byteSize(problem.operand) >= TmaTile::kRowBytes;
    return isUnaligned(problem, chip, run) *
           (isLong ? fit(chip).longUnalignedShare : 1);
  };
  double left = getShare(problem.lhsRun) * computeLeftRows(problem, tile);
  double right = getShare(problem.rhsRun) * computeRightRows(tile);
  if (facts.hasGroups)
    return fit(chip).unalignedGroupRowCycles * (left + right);
  bool isFilterTransposed = facts.isRightTransposed && !facts.reducesPositions;
  return fit(chip).unalignedRowCycles *
         (left +
          (isFilterTransposed ? fit(chip).transposedRowFactor : 1) * right);
}

/// Cycles until a step's operands are there, while so many compute units copy.
static double computeCopyCycles(const Problem &problem, const ChipInfo &chip,
                                const KeptTile &kept, double stepBytes,
                                double units) {
  const TmaFacts &facts = getTmaFacts(problem);
  const TmaTile &tile = kept.tile;
  double stepCycles =
      std::hypot(fit(chip).copyLatencyCycles / double(tile.stages - 1),
                 units * stepBytes / fit(chip).copyBytesPerClock);
  stepCycles =
      std::max({stepCycles,
                getLineCycles(problem, chip) * computeStepLines(problem, kept),
                fit(chip).partialRowCycles * countPartialRows(problem, kept),
                computeUnalignedCycles(problem, chip, kept)});
  int64_t rows = facts.reducesPositions ? tile.columns : tile.rows;
  if (facts.hasStrides)
    stepCycles =
        std::max(stepCycles, fit(chip).stridedRowCycles * double(rows));
  if (facts.hasVolumes && facts.reducesPositions)
    stepCycles = std::max(stepCycles, fit(chip).volumeRowCycles * double(rows));
  return stepCycles;
}

/// Cycles in which the warpgroups store a tile, each a part. What the epilogue
/// reads takes as long as what is stored if lanes load it.
static double computeEpilogueCycles(const Problem &problem,
                                    const ChipInfo &chip, const TmaTile &tile) {
  double epilogueShare =
      (tile.isEpilogueCopied ? fit(chip).copiedEpilogueShare : 1) *
      problem.epilogueShare();
  double columns = double(tile.columns);
  double chunks = columns / double(tile.chunkColumns());
  double plainCycles = 0;
  if (!TmaTile::isSwizzled(tile.chunkRowBytes())) {
    chunks = columns / TmaTile::kRowElements + fit(chip).plainChunks;
    plainCycles = fit(chip).plainCyclesPerColumn * columns *
                  double(tile.atomsPerConsumer());
  }
  return (fit(chip).epilogueCyclesPerColumn * columns *
              std::sqrt(double(tile.atomsPerConsumer())) +
          plainCycles +
          fit(chip).storeCyclesPerRow * double(tile.rows) * chunks) *
         (1 + epilogueShare);
}

/// Cycles in which a cluster exchanges its sums.
static double computeExchange(const ChipInfo &chip, const TmaTile &tile) {
  if (tile.cluster == 1)
    return 0;
  double bytes = double((tile.cluster - 1) * tile.shareBytes());
  return fit(chip).exchangeCycles + bytes / fit(chip).exchangeBytesPerClock;
}

/// Seconds of kernels beside that of the products: they add up parts.
static double computeSumSeconds(const Problem &problem, const ChipInfo &chip) {
  double seconds = double(problem.launches - 1) * fit(chip).sumLaunchSeconds +
                   problem.intermediateBytes /
                       (fit(chip).intermediateShare * chip.memoryGBs * 1e9);
  return problem.splits == 1
             ? seconds
             : seconds + fit(chip).partSeconds * double(problem.splits);
}

static Cost computeTmaCost(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate) {
  const TmaFacts &facts = getTmaFacts(problem);
  KeptTile kept = getTileWithEpilogue(problem, chip, candidate);
  const TmaTile &tile = kept.tile;
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = tile.accumulators();
  cost.sharedBytes = kept.sharedBytes();
  cost.workItems = tile.workItems();
  int64_t tiles = countTiles(problem, tile);
  cost.workgroups = tiles * tile.cluster;
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + tile.consumers);
  cost.steps = ceilDiv(facts.steps, tile.cluster);
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(cost.steps) * double(tile.rows) *
       double(tile.columns) * double(candidate.gemmK));
  int64_t resident = kept.countWorkgroups(std::numeric_limits<int64_t>::max(),
                                          countResidentTiles(chip, tile));
  int64_t perUnit = ceilDiv(tiles, resident);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));

  double atomCycles =
      std::max(double(tile.rows / atom.m) * double(atom.cycles) /
                   chip.simdsPerComputeUnit,
               fit(chip).chainCycles);
  double stepBytes = computeStepBytes(problem, kept);
  double instructionCycles = atomCycles * double(facts.atomsPerRow);
  cost.matrixCycles = fit(chip).matrixSlowdown * instructionCycles;
  cost.sharedCycles = computeSharedCycles(problem, chip, tile, stepBytes);
  cost.loadCycles = computeCopyCycles(
      problem, chip, kept, stepBytes,
      double(std::min<int64_t>(cost.workgroups, chip.computeUnits)));
  double longest =
      std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles});
  cost.stepCycles =
      tile.isConverted()
          ? std::hypot(longest, fit(chip).convertCycles +
                                    fit(chip).convertCyclesPerColumn *
                                        double(tile.columns))
          : std::max(longest, computePromotedCycles(problem, chip, tile,
                                                    cost.matrixCycles));

  double stepsPerTile = double(facts.totalSteps) / double(problem.products) /
                        double(tile.cluster);
  double storeCycles = computeEpilogueCycles(problem, chip, tile.share()) +
                       computeExchange(chip, tile);
  double powerCycles = double(cost.workgroups) / double(chip.computeUnits) *
                       stepsPerTile *
                       (fit(chip).powerPerMatrixCycle * instructionCycles +
                        fit(chip).powerPerByte * stepBytes);
  bool waitsForMemory = perUnit == 1 && tile.stages <= kShortPipeline &&
                        tile.cluster == 1 && !facts.reducesPositions;
  double hidden = tile.consumers == 1 ? fit(chip).hiddenOfOneConsumer
                                      : fit(chip).hiddenEpilogue;
  // All units read what they keep at once.
  double keptCycles = double(kept.keptBytes() * chip.computeUnits) /
                      fit(chip).copyBytesPerClock;
  double unitCycles =
      fit(chip).firstSteps * cost.loadCycles + keptCycles +
      (waitsForMemory ? fit(chip).shortPipelineCycles : 0) +
      double(perUnit) * (stepsPerTile * cost.stepCycles + storeCycles +
                         computeScatterCycles(problem, chip, tile.share().rows,
                                              tile.share().columns)) -
      double(perUnit - 1) * hidden * storeCycles;

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds =
      chip.calibration->launch.startSeconds +
      std::max(unitCycles, powerCycles) / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  cost.seconds = std::pow(std::pow(cost.computeSeconds, fit(chip).overlap) +
                              std::pow(cost.memorySeconds, fit(chip).overlap),
                          1 / fit(chip).overlap) +
                 computeSumSeconds(problem, chip);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else if (longest == cost.matrixCycles)
    cost.limit = Limit::MatrixUnits;
  else
    cost.limit =
        longest == cost.sharedCycles ? Limit::SharedMemory : Limit::Loads;
  return cost;
}

namespace {
class WarpgroupGemmModel final : public KernelModel {
public:
  bool has(MainLoop loop) const override { return loop == MainLoop::Tma; }

  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    return listTmaCandidates(problem, chip, atom);
  }

  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const override {
    return TmaTile{.consumers = candidate.subgroups()}.workItems();
  }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override {
    return computeTmaCost(problem, chip, candidate);
  }

  /// Tiles that all run at a time follow the side that has fewer: of 28 kernels
  /// on an H200, that made 13 faster, by 1 to 23 %, and one slower, by 0.8 %.
  /// Of four with more tiles, two were 9 and 18 % slower.
  bool prefersRows(const Problem &problem, const ChipInfo &chip,
                   const Candidate &candidate) const override {
    int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
    int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
    return 1 < rowTiles && rowTiles < columnTiles &&
           problem.products * problem.batch * rowTiles * columnTiles <=
               chip.computeUnits;
  }
};
} // namespace

const KernelModel &conv::getWarpgroupGemmModel() {
  static const WarpgroupGemmModel model;
  return model;
}
