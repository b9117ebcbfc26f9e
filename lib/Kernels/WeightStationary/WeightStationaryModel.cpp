//===- WeightStationaryModel.cpp - candidates of the weight_stationary main loop
//-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading the rows of halo tiles takes matrix units longer than multiplying
// them with few columns. Nothing waits for copies of the filter; those of halo
// tiles run ahead by as many stages as there are.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/WeightStationary/WeightStationaryModel.h"

#include "../Parts/Warpgroup/WarpgroupTiles.h"

#include "conv/Kernels/WarpgroupGemm/TmaModel.h"
#include "conv/Kernels/WeightStationary/WeightStationaryTile.h"

#include <algorithm>

using namespace conv;

/// Under load the clock is below that of the data sheet.
static constexpr double kMatrixSlowdown = 1.1;
/// Bytes that copies bring to one compute unit in a clock.
static constexpr double kCopyBytesPerClock = 40;
/// From the last product of a slice to the first one of the next.
static constexpr double kSliceCycles = 100;
/// Results that lanes store, for every column of an atom.
static constexpr double kEpilogueCyclesPerColumn = 40;
/// From the launch until the filter is in shared memory, for a piece of it that
/// a work-item loads; and after the last tile.
static constexpr double kLaunchCycles = 4000;
static constexpr double kPieceCycles = 60;
/// Share of the memory's bandwidth that copies of halo tiles reach.
static constexpr double kMemoryShare = 0.9;
/// Stages beyond which a pipeline does not become faster.
static constexpr int64_t kMaxStages = 6;

static WeightStationaryTile
getWeightStationaryTile(const Problem &problem, const Candidate &candidate) {
  return {getTmaTile(problem, candidate), problem.haloTile->taps,
          problem.bufferedChannels};
}

/// Whether there are such kernels for the problem, whatever their stages.
static bool isPossible(const Problem &problem, const TmaTile &tile) {
  return fitsWorkgroup(tile) && tile.columns >= problem.columns &&
         tile.rows % problem.haloTile->rows == 0;
}

std::vector<Candidate> conv::listWeightStationaryCandidates(
    const Problem &problem, const ChipInfo &chip, const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  if (problem.bufferedChannels == 0)
    return candidates;
  forEachWarpgroupTile(
      atom, LoopKind::WeightStationary, [&](Candidate candidate) {
        auto fits = [&](const Candidate &each) {
          return getWeightStationaryTile(problem, each).sharedBytes() <=
                 chip.sharedMemoryBytes;
        };
        if (isPossible(problem, getTmaTile(problem, candidate)))
          addWithStages(candidates, candidate, kMaxStages, /*granule=*/1, fits);
      });
  return candidates;
}

Cost conv::computeHaloTileCost(const Problem &problem, const ChipInfo &chip,
                               const Candidate &candidate) {
  WeightStationaryTile tile = getWeightStationaryTile(problem, candidate);
  const TmaTile &sizes = tile.tile;
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = sizes.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workItems = sizes.workItems();
  cost.workgroups = problem.batch * ceilDiv(problem.rows, sizes.rows);
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + sizes.consumers);
  cost.steps = tile.countSlices();
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(sizes.rows) * double(sizes.columns) *
       double(tile.filterRows * TmaTile::kRowElements));
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));

  double instructions = double(tile.taps) * double(sizes.rows / atom.m) *
                        double(TmaTile::kRowElements / atom.k);
  cost.matrixCycles =
      kMatrixSlowdown * instructions * atom.cycles / chip.simdsPerComputeUnit;
  cost.loadCycles = double(tile.stageBytes) / kCopyBytesPerClock;
  cost.stepCycles = std::max(cost.matrixCycles, cost.loadCycles) + kSliceCycles;
  double storeCycles = kEpilogueCyclesPerColumn *
                       (1 + problem.epilogueShare()) *
                       double(sizes.atomsPerConsumer()) * double(sizes.columns);
  double pieces =
      double(sizes.columns * tile.filterRows * FilterTile::kPiecesPerRow) /
      double(sizes.consumers * TmaTile::kWarpgroupSize);
  double cycles =
      kLaunchCycles + kPieceCycles * pieces +
      double(perUnit) * (double(cost.steps) * cost.stepCycles + storeCycles);

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (kMemoryShare * chip.memoryGBs * 1e9);
  cost.seconds = std::max(cost.computeSeconds, cost.memorySeconds);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = cost.matrixCycles >= cost.loadCycles ? Limit::MatrixUnits
                                                      : Limit::Loads;
  return cost;
}
