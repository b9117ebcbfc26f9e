//===- WarpgroupModel.cpp - the cost of warpgroup_gemm ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step takes as long as the slowest of its three activities: multiplying,
// reading operands from shared memory while copies write there, and copying
// (TmaCopyCost.cpp). Constants are in Chip/Calibrations.cpp; bench/calibration
// compares predictions with measurements.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "WarpgroupCost.h"

#include "conv/Kernels/SplitSum.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv;

static const WarpgroupCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->warpgroup;
}

/// Cycles of a consumer for a step with promotion: its own instructions, and
/// then the lanes' additions of the last atom's sums. Other consumers multiply
/// in the meantime.
static double computePromotedCycles(const Problem &problem,
                                    const ChipInfo &chip,
                                    const WarpgroupTile &tile,
                                    double matrixCycles) {
  if (!tile.promotes())
    return 0;
  double parts = double(ceilDiv(getWarpgroupFacts(problem, tile).atomsPerRow *
                                    WarpgroupTile::kAtomBytes,
                                tile.promotion));
  double additions =
      double(tile.accumulators()) / double(tile.atomsPerConsumer());
  return matrixCycles / double(tile.consumers) +
         parts * (fit(chip).promotionCycles + additions);
}

/// Cycles of shared memory for a step: instructions read their operands, and
/// copies write.
static double computeSharedCycles(const Problem &problem, const ChipInfo &chip,
                                  const WarpgroupTile &tile, double stepBytes) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  double instructions =
      double(tile.rows / WarpgroupTile::kAtomRows * facts.atomsPerRow);
  double rightBytes = double(tile.columns * WarpgroupTile::kAtomBytes);
  double leftBytes =
      double(WarpgroupTile::kAtomRows * WarpgroupTile::kAtomBytes);
  double readBytes = leftBytes + rightBytes;
  if (tile.isConverted()) {
    // Lanes read the left operand once for all products of tf32 parts.
    double products = tile.convertedParts == 2 ? 3 : 1;
    readBytes = leftBytes + products * rightBytes;
    // Lanes that load it store its parts only.
    stepBytes += tile.isLoaded()
                     ? double(tile.convertedBytes() - tile.rightBytes())
                     : double(tile.rightBytes() + tile.convertedBytes());
  }
  return (instructions * readBytes + fit(chip).writeShare * stepBytes) /
         chip.sharedMemoryBytesPerClock;
}

/// Cycles in which lanes convert the operands of a step. Warps take turns with
/// the right one.
static double computeConvertCycles(const ChipInfo &chip,
                                   const WarpgroupTile &tile) {
  double accesses = double(tile.columns * (1 + tile.convertedParts));
  return fit(chip).convertCycles +
         fit(chip).convertCyclesPerRow * double(tile.rows) +
         (tile.isLoaded() ? 0
                          : fit(chip).convertCyclesPerColumn * accesses /
                                double(tile.convertedStages()));
}

/// Cycles in which the warpgroups store a tile, each its own rows. Operands of
/// the epilogue take as long as the result if lanes load them.
static double computeEpilogueCycles(const Problem &problem,
                                    const ChipInfo &chip,
                                    const WarpgroupTile &tile) {
  double epilogueShare =
      (tile.isEpilogueCopied ? fit(chip).copiedEpilogueShare : 1) *
      problem.epilogueShare();
  double columns = double(tile.columns);
  // Pairs that lanes store are counted for all tiles together.
  bool areCopied = !getWarpgroupFacts(problem, tile).hasStoredPairs;
  double chunks = columns / double(tile.chunkColumns());
  double plainCycles = 0;
  if (!WarpgroupTile::isSwizzled(tile.chunkRowBytes())) {
    chunks = columns / WarpgroupTile::kRowElements + fit(chip).plainChunks;
    plainCycles = fit(chip).plainCyclesPerColumn * columns *
                  double(tile.atomsPerConsumer());
  }
  return (fit(chip).epilogueCyclesPerColumn * columns *
              std::sqrt(double(tile.atomsPerConsumer())) +
          plainCycles +
          (areCopied ? fit(chip).storeCyclesPerRow * double(tile.rows) * chunks
                     : 0)) *
         (1 + epilogueShare);
}

/// Cycles in which lanes of all units store pairs of columns. Those of 16 bits
/// they store row by row.
static double computeStoredPairCycles(const Problem &problem,
                                      const ChipInfo &chip,
                                      const WarpgroupTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  // Without halo tiles, the gradient of a filter is a small result.
  if (!facts.hasStoredPairs || (facts.reducesPositions && !facts.haloTile))
    return 0;
  // Neighbouring columns of a halo tile are those of other taps of a filter.
  bool areRows = byteSize(problem.result) == WarpgroupTile::kElementBytes &&
                 !facts.reducesPositions &&
                 (!problem.hasOddResultRows || storesOddRows(problem, tile));
  return computePairCycles(problem, chip, areRows);
}

/// Cycles in which a cluster exchanges its sums.
static double computeExchange(const ChipInfo &chip, const WarpgroupTile &tile) {
  if (tile.cluster == 1)
    return 0;
  double bytes = double((tile.cluster - 1) * tile.shareBytes());
  return fit(chip).exchangeCycles + bytes / fit(chip).exchangeBytesPerClock;
}

/// Seconds in which sums of split-K slices store elements one by one. Other
/// slices than those of gradients of filters have the order of the result, but
/// a window with strides stores its phases, and zeros, apart from each other.
static double computeScatterSeconds(const Problem &problem,
                                    const ChipInfo &chip,
                                    const WarpgroupTile &tile) {
  if (getWarpgroupFacts(problem, tile).isFilterGradient)
    return problem.scatteredSums * chip.calibration->splitSum.scatteredSeconds;
  double stored = problem.resultBytes / double(byteSize(problem.result));
  bool hasPhases = problem.products > 1 || stored > problem.scatteredSums;
  if (problem.scatteredSums == 0 || !hasPhases)
    return 0;
  return chip.calibration->access.sparseScatterCycles * stored /
         (double(chip.computeUnits) * chip.clockGHz * 1e9);
}

/// Bytes of the larger operand that tiles side by side read again. In the
/// gradient of a filter these are far apart.
static double countRereadBytes(const Problem &problem,
                               const WarpgroupTile &tile) {
  if (getWarpgroupFacts(problem, tile).reducesPositions)
    return 0;
  return problem.lhsBytes >= problem.rhsBytes
             ? double(ceilDiv(problem.columns, tile.columns) - 1) *
                   problem.lhsBytes
             : double(ceilDiv(problem.rows, tile.rows) - 1) * problem.rhsBytes;
}

namespace {
/// The cost of a candidate: its workgroups, one step of a tile, a unit with all
/// of its tiles, and memory.
class WarpgroupCost {
public:
  WarpgroupCost(const Problem &problem, const ChipInfo &chip,
                const Candidate &candidate)
      : problem(problem), chip(chip), candidate(candidate),
        kept(getTileWithEpilogue(problem, chip, candidate)), tile(kept.tile),
        facts(getWarpgroupFacts(problem, tile)),
        tiles(countWarpgroupTiles(problem, tile)),
        perUnit(ceilDiv(
            tiles, kept.countWorkgroups(std::numeric_limits<int64_t>::max(),
                                        countResidentTiles(chip, tile)))),
        stepBytes(computeStepBytes(problem, kept)) {}

  Cost compute();

private:
  void countWorkgroups();
  void computeStep();
  double computeScatter() const;
  double computeUnitCycles() const;
  double computePowerCycles() const;
  void computeSeconds();
  double getLongestActivity() const {
    return std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles});
  }
  Limit getLimit() const;
  /// Cycles of a step's instructions on the data sheet.
  double getInstructionCycles() const;
  /// Steps of a tile, as a mean over the products.
  double getStepsPerTile() const {
    return double(facts.totalSteps) / double(problem.products) /
           double(tile.cluster);
  }

  const Problem &problem;
  const ChipInfo &chip;
  const Candidate &candidate;
  KeptTile kept;
  const WarpgroupTile &tile;
  const WarpgroupFacts &facts;
  int64_t tiles;
  int64_t perUnit;  ///< The most tiles of one unit.
  double stepBytes; ///< Copied for a step.
  Cost cost;
};
} // namespace

void WarpgroupCost::countWorkgroups() {
  cost.registers.accumulators = tile.accumulators();
  cost.sharedBytes = kept.sharedBytes();
  cost.workItems = tile.workItems();
  cost.workgroups = tiles * tile.cluster;
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + tile.consumers);
  cost.steps = ceilDiv(facts.steps, tile.cluster);
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(cost.steps) * double(tile.rows) *
       double(tile.columns) * double(candidate.gemmK));
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));
}

double WarpgroupCost::getInstructionCycles() const {
  const MatrixAtom &atom = *candidate.atom;
  double atomCycles =
      std::max(double(tile.rows / atom.m) * double(atom.cycles) /
                   chip.simdsPerComputeUnit,
               fit(chip).chainCycles);
  return atomCycles * double(facts.atomsPerRow);
}

/// The slowest activity of a step, or a consumer whose instructions wait for
/// its own lanes, which convert operands or add up sums.
void WarpgroupCost::computeStep() {
  cost.matrixCycles = fit(chip).matrixSlowdown * getInstructionCycles();
  cost.sharedCycles = computeSharedCycles(problem, chip, tile, stepBytes);
  cost.loadCycles = computeCopyCycles(
      problem, chip, kept, stepBytes,
      double(std::min<int64_t>(cost.workgroups, chip.computeUnits)));
  double longest = getLongestActivity();
  cost.stepCycles =
      tile.isConverted()
          ? std::hypot(longest, computeConvertCycles(chip, tile))
          : std::max(longest, computePromotedCycles(problem, chip, tile,
                                                    cost.matrixCycles));
}

/// Cycles in which lanes store a tile element by element. Split-K slices have
/// rows innermost if the result has, so their stores fill whole sectors.
double WarpgroupCost::computeScatter() const {
  WarpgroupTile share = tile.share();
  if (problem.splits > 1 || storesOddRows(problem, share))
    return 0;
  return storesColumns(problem, share)
             ? computeColumnCycles(problem, chip, share)
             : computeScatterCycles(problem, chip, share.rows, share.columns);
}

/// Cycles of the unit with most tiles: its first copies, its steps, and the
/// epilogues that the next tile's steps do not hide.
double WarpgroupCost::computeUnitCycles() const {
  double storeCycles = computeEpilogueCycles(problem, chip, tile.share()) +
                       computeExchange(chip, tile);
  bool waitsForMemory = perUnit == 1 &&
                        tile.stages <= fit(chip).shortPipelineStages &&
                        tile.cluster == 1 && !facts.reducesPositions;
  double hidden = tile.consumers == 1 ? fit(chip).hiddenOfOneConsumer
                                      : fit(chip).hiddenEpilogue;
  double keptCycles = computeKeptCycles(problem, chip, kept);
  return fit(chip).firstSteps * cost.loadCycles + keptCycles +
         computeStoredPairCycles(problem, chip, tile) +
         (waitsForMemory ? fit(chip).shortPipelineCycles : 0) +
         double(perUnit) * (getStepsPerTile() * cost.stepCycles + storeCycles +
                            computeScatter()) -
         double(perUnit - 1) * hidden * storeCycles;
}

/// Cycles in which the chip has the power for all steps.
double WarpgroupCost::computePowerCycles() const {
  return double(cost.workgroups) / double(chip.computeUnits) *
         getStepsPerTile() *
         (fit(chip).powerPerMatrixCycle * getInstructionCycles() +
          fit(chip).powerPerByte * stepBytes);
}

void WarpgroupCost::computeSeconds() {
  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = chip.calibration->launch.startSeconds +
                        std::max(computeUnitCycles(), computePowerCycles()) /
                            (chip.clockGHz * 1e9);
  cost.memorySeconds =
      (cost.memoryBytes +
       fit(chip).rereadShare * countRereadBytes(problem, tile)) /
          (chip.memoryGBs * 1e9) +
      computePartSectorSeconds(problem, chip, tile.share());
  cost.seconds = std::pow(std::pow(cost.computeSeconds, fit(chip).overlap) +
                              std::pow(cost.memorySeconds, fit(chip).overlap),
                          1 / fit(chip).overlap) +
                 computeSumSeconds(problem, chip) +
                 computeScatterSeconds(problem, chip, tile) -
                 computePrefetchSavings(problem, chip);
}

Limit WarpgroupCost::getLimit() const {
  if (cost.memorySeconds > cost.computeSeconds)
    return Limit::Memory;
  double longest = getLongestActivity();
  if (longest == cost.matrixCycles)
    return Limit::MatrixUnits;
  return longest == cost.sharedCycles ? Limit::SharedMemory : Limit::Loads;
}

Cost WarpgroupCost::compute() {
  countWorkgroups();
  computeStep();
  computeSeconds();
  cost.limit = getLimit();
  return cost;
}

namespace {
class WarpgroupGemmModel final : public KernelModel {
public:
  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    return listWarpgroupCandidates(problem, chip, atom);
  }

  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const override {
    return WarpgroupTile{.consumers = candidate.subgroups()}.workItems();
  }

  bool startsEarly() const override { return true; }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override {
    return WarpgroupCost(problem, chip, candidate).compute();
  }

  /// If all tiles run at a time, they follow the side with fewer tiles; if not,
  /// that is slower. But where the right operand is the larger one and does not
  /// stay in the cache, all rows read it in turn (bench/results/kernels.md, the
  /// order of tiles).
  bool prefersRows(const Problem &problem, const ChipInfo &chip,
                   const Candidate &candidate) const override {
    int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
    int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
    if (rowTiles == 1 || rowTiles >= columnTiles)
      return false;
    bool areTogether =
        problem.products * problem.batch * rowTiles * columnTiles <=
        chip.computeUnits;
    return areTogether || (problem.rhsBytes > problem.lhsBytes &&
                           !areOperandsNear(problem, chip));
  }
};
} // namespace

const KernelModel &conv::getWarpgroupGemmModel() {
  static const WarpgroupGemmModel model;
  return model;
}
