//===- TmaModel.cpp - candidates of the tma main loop -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were fitted to about 800 kernels on an H200: tiles of all sizes
// for 1x1 and strided layers and for those of a single image, and one tile of
// all others. Of the tiles that were measured for a layer, the best one by the
// model takes 0.6 % more time than the best one on average, and 4.5 % at most.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TmaModel.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

/// Under load the clock is below that of the data sheet.
static constexpr double kMatrixSlowdown = 1.17;
/// The same where taps share copies, which take power too.
static constexpr double kPatchSlowdown = 1.1;
/// Cycles between two instructions of a consumer that add to the same sums.
static constexpr double kChainCycles = 32;
/// Bytes that copies bring to one compute unit in a clock.
static constexpr double kCopyBytesPerClock = 78;
/// Barriers of a step that nothing hides.
static constexpr double kStepCycles = 38;
/// A tile's way through registers and shared memory, for a warpgroup: its
/// start, and every column of an atom.
static constexpr double kEpilogueCycles = 135;
static constexpr double kEpilogueCyclesPerColumn = 15.8;
/// The part of it during which the copies for the next tile arrive.
static constexpr double kHiddenEpilogue = 0.74;
/// Between the end of a kernel and the work of the next one.
static constexpr double kLaunchSeconds = 1.8e-6;
/// Share of the memory's bandwidth at which what one kernel writes for another
/// one goes there and back, while nothing is multiplied.
static constexpr double kIntermediateShare = 0.68;
/// How computing and memory overlap: 1 would add them up, and with a large one
/// the longer hides the other.
static constexpr double kOverlap = 1.5;
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
               .isRightTransposed = problem.isTmaRhsTransposed};
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

/// As many stages as fit `bytes`, up to `most`; 0 if there is no ring.
static int64_t computeStages(TmaTile tile, int64_t most, int64_t bytes) {
  for (tile.stages = most; tile.stages >= 2; --tile.stages)
    if (tile.sharedBytes() <= bytes)
      return tile.stages;
  return 0;
}

/// Whether there are such kernels for the problem, whatever their stages.
static bool isPossible(const Problem &problem, const TmaTile &tile) {
  return tile.rows <= 256 && tile.columns <= tile.maxColumns() &&
         tile.columns >= std::min(problem.columns, kMinColumns) &&
         tile.accumulators() <= tile.maxAccumulators() &&
         (!problem.reducesTmaPositions || tile.hasWholeRowsOfColumns()) &&
         (!problem.isTmaRhsTransposed || tile.columns >= problem.columns ||
          tile.columns >= kMinRightRow) &&
         (!problem.patch || fitsPatches(*problem.patch, tile));
}

std::vector<Candidate> conv::listTmaCandidates(const Problem &problem,
                                               const ChipInfo &chip,
                                               const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  if (problem.tmaSteps == 0)
    return candidates;
  for (int64_t consumers = 1; consumers <= 3; ++consumers)
    for (int64_t atoms = 1; atoms <= 4; ++atoms) {
      int64_t rows = atoms * TmaTile::kAtomRows;
      Candidate candidate{.atom = &atom,
                          .workgroup = {consumers * rows, atom.n},
                          .subgroup = {rows, atom.n},
                          .gemmK = TmaTile::kAtomsPerRow * atom.k,
                          .loop = LoopKind::Tma};
      TmaTile tile = getTmaTile(problem, candidate);
      if (!isPossible(problem, tile))
        continue;
      candidate.stages = computeStages(
          tile, problem.reducesTmaPositions ? kMaxGradientStages : kMaxStages,
          chip.sharedMemoryBytes);
      if (candidate.stages > 0)
        candidates.push_back(candidate);
    }
  return candidates;
}

/// What copies bring for a step, which has a part of the patches that it
/// shares.
static double computeStepBytes(const Problem &problem, const TmaTile &tile) {
  double shared = problem.patch ? double(problem.patch->taps) : 1;
  return double(tile.stageBytes()) + double(tile.patchBytes) / shared;
}

/// Cycles that a warpgroup needs to store its part of a tile.
static double computeEpilogueCycles(const Problem &problem,
                                    const TmaTile &tile) {
  double tailBytesPerElement =
      problem.tailBytes / (double(problem.products) * double(problem.rows) *
                           double(problem.columns));
  return kEpilogueCycles +
         kEpilogueCyclesPerColumn * double(tile.atomsPerConsumer()) *
             double(tile.columns) *
             (1 + tailBytesPerElement / double(byteSize(problem.result)));
}

Cost conv::computeTmaCost(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) {
  TmaTile tile = getTmaTile(problem, candidate);
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = tile.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workItems = tile.workItems();
  cost.workgroups = problem.products * problem.batch *
                    ceilDiv(problem.rows, tile.rows) *
                    ceilDiv(problem.columns, tile.columns);
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + tile.consumers);
  cost.steps = problem.tmaSteps;
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(cost.steps) * double(tile.rows) *
       double(tile.columns) * double(candidate.gemmK));
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));

  double atomCycles = std::max(double(tile.rows / atom.m) * atom.cycles /
                                   chip.simdsPerComputeUnit,
                               kChainCycles);
  cost.matrixCycles = (problem.patch ? kPatchSlowdown : kMatrixSlowdown) *
                      atomCycles * double(TmaTile::kAtomsPerRow);
  cost.loadCycles = computeStepBytes(problem, tile) / kCopyBytesPerClock;
  cost.stepCycles = std::max(cost.matrixCycles, cost.loadCycles) + kStepCycles;

  double stepsPerTile =
      double(problem.tmaTotalSteps) / double(problem.products);
  double storeCycles = computeEpilogueCycles(problem, tile);
  double cycles =
      double(perUnit) * (stepsPerTile * cost.stepCycles + storeCycles) -
      double(perUnit - 1) * kHiddenEpilogue * storeCycles;

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  cost.seconds =
      double(problem.launches - 1) * kLaunchSeconds +
      std::pow(std::pow(cost.computeSeconds, kOverlap) +
                   std::pow(cost.memorySeconds, kOverlap),
               1 / kOverlap) +
      problem.intermediateBytes / (kIntermediateShare * chip.memoryGBs * 1e9);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = cost.matrixCycles >= cost.loadCycles ? Limit::MatrixUnits
                                                      : Limit::Loads;
  return cost;
}
