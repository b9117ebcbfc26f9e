//===- TmaModel.cpp - candidates of the tma main loop -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of forward and backward data were fitted to 570 kernels on an
// H200, which start early: ten tiles of ten layers, and those that three older
// models thought best of 85 others. Of what was measured for a layer, the best
// one by the model takes 0.8 % more time than the best one on average, and 7.6
// % at most. Those of gradients of filters are older, and have fewer terms.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TmaModel.h"

#include "WarpgroupTiles.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

namespace {
/// What was fitted.
struct Constants {
  /// Under load the clock is below that of the data sheet: for tiles of single
  /// taps, and where taps share copies, which take power too.
  double tapSlowdown, patchSlowdown;
  /// What each byte that is copied lowers it further.
  double matrixCyclesPerByte;
  /// Between two instructions of a consumer that add to different sums.
  double issueCycles;
  /// What copies bring to one compute unit in a clock.
  double copyBytesPerClock;
  /// From a copy's start to its end. All stages but one can be on their way.
  double copyLatencyCycles;
  /// Barriers of a step that nothing hides.
  double stepCycles;
  /// A tile's way through registers and shared memory, for a warpgroup: its
  /// start, and every column of its atoms.
  double epilogueCycles, epilogueCyclesPerColumn;
  /// Its way to memory: every column of the atoms of all warpgroups.
  double storeCyclesPerColumn;
  /// The part of it during which the copies for the next tile arrive.
  double hiddenEpilogue;
  /// Between the end of a kernel and the work of the next one.
  double launchSeconds;
  /// How computing and memory overlap: 1 would add them up, and with a large
  /// one the longer hides the other.
  double overlap;
};
} // namespace

static constexpr Constants kOfPixels = {
    .tapSlowdown = 1.05,
    .patchSlowdown = 1.05,
    .matrixCyclesPerByte = 0.0016,
    .issueCycles = 1.95,
    .copyBytesPerClock = 58,
    .copyLatencyCycles = 1520,
    .stepCycles = 0,
    .epilogueCycles = 1300,
    .epilogueCyclesPerColumn = 10.8,
    .storeCyclesPerColumn = 9.9,
    .hiddenEpilogue = 0.87,
    .launchSeconds = 1.5e-6,
    .overlap = 1.8,
};
static constexpr Constants kOfFilters = {
    .tapSlowdown = 1.17,
    .patchSlowdown = 1.1,
    .matrixCyclesPerByte = 0,
    .issueCycles = 0,
    .copyBytesPerClock = 78,
    .copyLatencyCycles = 0,
    .stepCycles = 38,
    .epilogueCycles = 135,
    .epilogueCyclesPerColumn = 15.8,
    .storeCyclesPerColumn = 0,
    .hiddenEpilogue = 0.74,
    .launchSeconds = 1.8e-6,
    .overlap = 1.5,
};

static const Constants &getConstants(const Problem &problem) {
  return problem.reducesTmaPositions ? kOfFilters : kOfPixels;
}

/// Cycles between two instructions of a consumer that add to the same sums.
static constexpr double kChainCycles = 32;
/// From the last product of a cluster until sums arrive, and how fast they do,
/// so that of six schedules of 14 layers on an H200 the one that comes first
/// takes at most 5 % more than the best one.
static constexpr double kExchangeCycles = 1000;
static constexpr double kExchangeBytesPerClock = 10;
/// Share of the memory's bandwidth at which what one kernel writes for another
/// one goes there and back, while nothing is multiplied.
static constexpr double kIntermediateShare = 0.68;
/// Stages beyond which a ring does not become faster; those of a reduction over
/// positions, whose steps are all read from memory, do a little longer.
static constexpr int64_t kMaxStages = 7;
static constexpr int64_t kMaxGradientStages = 8;

/// Elements of rows of the right operand below which copies of a part of a row
/// are too slow.
static constexpr int64_t kMinRightRow = 32;

/// Narrower tiles read their rows too often, if there are more columns.
static constexpr int64_t kMinColumns = 16;

TmaTile conv::getTmaTile(const Problem &problem, const Candidate &candidate) {
  TmaTile tile{.rows = candidate.workgroup[0],
               .columns = candidate.workgroup[1],
               .stages = candidate.stages,
               .consumers = candidate.subgroups(),
               .isStaged = problem.splits == 1,
               .isRightTransposed = problem.isTmaRhsTransposed,
               .cluster = candidate.cluster};
  if (problem.patch && problem.patch->isReduced())
    tile.rightPatchBytes = problem.patch->bytes;
  else if (problem.patch)
    tile.patchBytes = tile.rows / problem.patch->rows * problem.patch->bytes;
  return tile;
}

/// Whether the tile has whole patches, or the columns that share one.
static bool fitsPatches(const Problem::Patch &patch, const TmaTile &tile) {
  return patch.isReduced() ? tile.columns == patch.columns
                           : tile.rows % patch.rows == 0;
}

/// Whether there are such kernels for the problem, whatever their stages.
static bool isPossible(const Problem &problem, const TmaTile &tile) {
  return fitsWorkgroup(tile) &&
         tile.columns >= std::min(problem.columns, kMinColumns) &&
         (!problem.reducesTmaPositions || tile.hasWholeRowsOfColumns()) &&
         (!problem.isTmaRhsTransposed || tile.columns >= problem.columns ||
          tile.columns >= kMinRightRow) &&
         (!problem.patch || fitsPatches(*problem.patch, tile));
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
  return tile.cluster == 1 ||
         (!problem.reducesTmaPositions && tile.hasWholeShares() &&
          tile.cluster <= problem.tmaSharers &&
          countTiles(problem, tile) <= countResidentTiles(chip, tile));
}

std::vector<Candidate> conv::listTmaCandidates(const Problem &problem,
                                               const ChipInfo &chip,
                                               const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  if (problem.tmaSteps == 0)
    return candidates;
  int64_t most = problem.reducesTmaPositions ? kMaxGradientStages : kMaxStages;
  forEachWarpgroupTile(atom, LoopKind::Tma, [&](Candidate candidate) {
    for (candidate.cluster = 1; candidate.cluster <= chip.maxCluster();
         ++candidate.cluster) {
      TmaTile tile = getTmaTile(problem, candidate);
      if (!isPossible(problem, tile) || !canShare(problem, chip, tile))
        continue;
      candidate.stages =
          findStages(most, 1, chip.sharedMemoryBytes, [&](int64_t stages) {
            tile.stages = stages;
            return tile.sharedBytes();
          });
      if (candidate.stages > 0)
        candidates.push_back(candidate);
    }
  });
  return candidates;
}

/// What copies bring for a step, which has a part of the patches that it
/// shares.
static double computeStepBytes(const Problem &problem, const TmaTile &tile) {
  double shared = problem.patch ? double(problem.patch->taps) : 1;
  return double(tile.stageBytes()) + double(tile.patchBytes) / shared;
}

/// Cycles in which the warpgroups store a tile, each a part.
static double computeEpilogueCycles(const Problem &problem,
                                    const TmaTile &tile) {
  const Constants &constants = getConstants(problem);
  return constants.epilogueCycles +
         (constants.epilogueCyclesPerColumn +
          constants.storeCyclesPerColumn * double(tile.consumers)) *
             double(tile.atomsPerConsumer()) * double(tile.columns) *
             (1 + problem.tailShare());
}

/// Cycles in which a cluster exchanges its sums.
static double computeExchange(const TmaTile &tile) {
  if (tile.cluster == 1)
    return 0;
  double bytes = double((tile.cluster - 1) * tile.shareBytes());
  return kExchangeCycles + bytes / kExchangeBytesPerClock;
}

Cost conv::computeTmaCost(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) {
  TmaTile tile = getTmaTile(problem, candidate);
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = tile.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workItems = tile.workItems();
  int64_t tiles = countTiles(problem, tile);
  cost.workgroups = tiles * tile.cluster;
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + tile.consumers);
  cost.steps = ceilDiv(problem.tmaSteps, tile.cluster);
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(cost.steps) * double(tile.rows) *
       double(tile.columns) * double(candidate.gemmK));
  int64_t perUnit = ceilDiv(tiles, countResidentTiles(chip, tile));
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));

  const Constants &constants = getConstants(problem);
  double atomCycles =
      std::max(double(tile.rows / atom.m) *
                   (double(atom.cycles) / chip.simdsPerComputeUnit +
                    constants.issueCycles),
               kChainCycles);
  double stepBytes = computeStepBytes(problem, tile);
  cost.matrixCycles =
      (problem.patch ? constants.patchSlowdown : constants.tapSlowdown) *
          atomCycles * double(TmaTile::kAtomsPerRow) +
      constants.matrixCyclesPerByte * stepBytes;
  cost.loadCycles = stepBytes / constants.copyBytesPerClock;
  double latencyCycles = constants.copyLatencyCycles / double(tile.stages - 1);
  cost.stepCycles =
      std::max({cost.matrixCycles, cost.loadCycles, latencyCycles}) +
      constants.stepCycles;

  double stepsPerTile = double(problem.tmaTotalSteps) /
                        double(problem.products) / double(tile.cluster);
  double storeCycles =
      computeEpilogueCycles(problem, tile.share()) + computeExchange(tile);
  double cycles =
      double(perUnit) * (stepsPerTile * cost.stepCycles + storeCycles) -
      double(perUnit - 1) * constants.hiddenEpilogue * storeCycles;

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  cost.seconds =
      double(problem.launches - 1) * constants.launchSeconds +
      std::pow(std::pow(cost.computeSeconds, constants.overlap) +
                   std::pow(cost.memorySeconds, constants.overlap),
               1 / constants.overlap) +
      problem.intermediateBytes / (kIntermediateShare * chip.memoryGBs * 1e9);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = latencyCycles > std::max(cost.matrixCycles, cost.loadCycles)
                     ? Limit::Latency
                 : cost.matrixCycles >= cost.loadCycles ? Limit::MatrixUnits
                                                        : Limit::Loads;
  return cost;
}
