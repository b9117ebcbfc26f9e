//===- WeightStationaryModel.cpp - the cost of weight_stationary ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With few columns, matrix units take longer to read the rows of halo tiles
// than to multiply them. Nothing waits for the loads of the filter; copies of
// halo tiles run ahead by as many stages as there are. Consumers take turns:
// one stores its rows of a tile while others multiply theirs of the next one.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"

#include "../Parts/Warpgroup/ResidentFilterCost.h"
#include "../Parts/Warpgroup/WarpgroupTiles.h"

#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryTile.h"

#include <algorithm>

using namespace conv;

static const WeightStationaryCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->weightStationary;
}

/// More stages do not make a pipeline faster.
static constexpr int64_t kMaxStages = 6;

static WarpgroupTile getTile(const Problem &problem,
                             const Candidate &candidate) {
  const auto &facts = *problem.facts.get<WeightStationaryFacts>();
  WarpgroupTile tile = getWarpgroupTile(problem, candidate);
  tile.haloTileBytes = tile.rows / facts.haloTileRows * facts.haloTileBytes;
  return tile;
}

static WeightStationaryTile
getWeightStationaryTile(const Problem &problem, const Candidate &candidate) {
  const auto &facts = *problem.facts.get<WeightStationaryFacts>();
  return {getTile(problem, candidate), facts.taps, facts.channels};
}

static std::vector<Candidate>
listWeightStationaryCandidates(const Problem &problem, const ChipInfo &chip,
                               const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  const auto *facts = problem.facts.get<WeightStationaryFacts>();
  if (!facts || atom.kind != AtomKind::WGMMA)
    return candidates;
  forEachWarpgroupTile(atom, [&](Candidate candidate) {
    auto fits = [&](const Candidate &each) {
      return !getWeightStationaryTile(problem, each)
                  .findExceeded(problem.columns, chip.sharedMemoryBytes);
    };
    WarpgroupTile tile = getTile(problem, candidate);
    if (tile.fitsWorkgroup() && tile.hasWholeHaloTiles(facts->haloTileRows))
      addWithStages(candidates, candidate, kMaxStages, fits);
  });
  return candidates;
}

/// Instructions along a row of channels; few channels do not fill the row.
static int64_t countAtomsOfRow(const WeightStationaryTile &tile,
                               const MatrixAtom &atom) {
  return ceilDiv(std::min(tile.channels, WarpgroupTile::kRowElements), atom.k);
}

/// Cycles in which a work-item loads elements of the filter that are not
/// adjacent in vectors.
static double computeElementCycles(const Problem &problem, const ChipInfo &chip,
                                   const WarpgroupTile &tile) {
  if (countLoadedElements(problem.rhsRun, WarpgroupTile::kAccess) ==
      WarpgroupTile::kAccess)
    return 0;
  double elements = problem.rhsBytes / double(byteSize(problem.operand)) /
                    double(tile.consumers * WarpgroupTile::kWarpgroupSize);
  return computeFilterCycles(chip, problem.rhsRun, WarpgroupTile::kAccess,
                             elements);
}

/// Workgroups, and how full they and their tiles are.
static Cost countHaloTiles(const Problem &problem, const ChipInfo &chip,
                           const WeightStationaryTile &tile) {
  const WarpgroupTile &sizes = tile.tile;
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
       double(tile.filterRows * WarpgroupTile::kRowElements));
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));
  return cost;
}

/// Cycles in which a consumer stores a tile.
static double computeStoreCycles(const Problem &problem, const ChipInfo &chip,
                                 const WarpgroupTile &sizes) {
  double cycles = fit(chip).epilogueCyclesPerColumn *
                  (1 + problem.epilogueShare()) *
                  double(sizes.atomsPerConsumer()) * double(sizes.columns);
  int64_t columns = std::min(sizes.columns, problem.columns);
  if (storesOddRows(problem, sizes))
    cycles += getPairCycles(problem, chip, /*areRows=*/true) *
              double(sizes.rows * columns);
  else if (problem.hasOddResultRows)
    cycles += computeScatterCycles(problem, chip, sizes.rows, columns);
  return cycles;
}

/// Cycles in which a consumer stores columns that start within registers, which
/// nothing hides (bench/results/kernels.md, weight-stationary loops).
static double computeOddCycles(const Problem &problem, const ChipInfo &chip,
                               const WarpgroupTile &sizes) {
  return problem.hasOddResultColumns && storesColumns(problem, sizes)
             ? computeColumnCycles(problem, chip, sizes)
             : 0;
}

/// Cycles of the unit with most tiles. A consumer stores while others multiply,
/// except after the last tile.
static double computeUnitCycles(const Problem &problem, const ChipInfo &chip,
                                const WeightStationaryTile &tile,
                                const Cost &cost) {
  const WarpgroupTile &sizes = tile.tile;
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  double vectors =
      double(sizes.columns * tile.filterRows * FilterTile::kVectorsPerRow) /
      double(sizes.consumers * WarpgroupTile::kWarpgroupSize);
  double storeCycles = computeStoreCycles(problem, chip, sizes);
  double oddCycles = computeOddCycles(problem, chip, sizes);
  double steps = double(cost.steps);
  double tileCycles = steps * cost.stepCycles;
  double ownCycles = steps * (cost.matrixCycles / double(sizes.consumers) +
                              fit(chip).sliceCycles) +
                     storeCycles + oddCycles;
  return fit(chip).launchCycles + fit(chip).accessCycles * vectors +
         computeElementCycles(problem, chip, sizes) + tileCycles + storeCycles +
         oddCycles +
         double(perUnit - 1) *
             std::max(tileCycles + oddCycles +
                          fit(chip).exposedStores * storeCycles,
                      ownCycles);
}

static Cost computeHaloTileCost(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  WeightStationaryTile tile = getWeightStationaryTile(problem, candidate);
  const MatrixAtom &atom = *candidate.atom;
  Cost cost = countHaloTiles(problem, chip, tile);
  double instructions = double(tile.taps) * double(tile.tile.rows / atom.m) *
                        double(countAtomsOfRow(tile, atom));
  cost.matrixCycles = fit(chip).matrixSlowdown * instructions * atom.cycles /
                      chip.simdsPerComputeUnit;
  cost.loadCycles = double(tile.stageBytes) / fit(chip).copyBytesPerClock;
  cost.stepCycles =
      std::max(cost.matrixCycles, cost.loadCycles) + fit(chip).sliceCycles;

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds =
      computeUnitCycles(problem, chip, tile, cost) / (chip.clockGHz * 1e9);
  cost.memorySeconds =
      cost.memoryBytes / (fit(chip).memoryShare * chip.memoryGBs * 1e9) +
      computePartSectorSeconds(problem, chip, tile.tile) +
      fit(chip).memoryStartSeconds;
  cost.seconds = std::max(cost.computeSeconds, cost.memorySeconds) -
                 computePrefetchSavings(problem, chip);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = cost.matrixCycles >= cost.loadCycles ? Limit::MatrixUnits
                                                      : Limit::Loads;
  return cost;
}

namespace {
class WeightStationaryModel final : public KernelModel {
public:
  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    return listWeightStationaryCandidates(problem, chip, atom);
  }

  std::string findObstacle(const Problem &problem,
                           const ChipInfo &chip) const override {
    return explainColumns(problem, chip);
  }

  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const override {
    return WarpgroupTile{.consumers = candidate.subgroups()}.workItems();
  }

  bool startsEarly() const override { return true; }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override {
    return computeHaloTileCost(problem, chip, candidate);
  }
};
} // namespace

const KernelModel &conv::getWeightStationaryModel() {
  static const WeightStationaryModel model;
  return model;
}
