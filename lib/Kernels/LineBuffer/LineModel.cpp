//===- LineModel.cpp - the cost of line buffers -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup loads fragments, multiplies them, and stores the result, in
// sequence; other warpgroups do so at other times. So a tile takes the time of
// one warpgroup, or the time of the matrix units for all warpgroups. Only
// stores of single elements, in layouts with positions innermost, are one path
// for all of them.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"

#include "../Parts/Warpgroup/ResidentFilterCost.h"
#include "../Parts/Warpgroup/WarpgroupTiles.h"

#include "conv/Kernels/LineBuffer/LineFacts.h"
#include "conv/Kernels/LineBuffer/LineGradientTile.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <numeric>

using namespace conv;

static const LineBufferCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->lineBuffer;
}

/// More stages do not make a pipeline faster.
static constexpr int64_t kMaxStages = 4;
static constexpr int64_t kMaxGradientStages = 8;

static LineTile getLineTile(const Problem &problem,
                            const Candidate &candidate) {
  const LineFacts &facts = *problem.facts.get<LineFacts>();
  return {getWarpgroupTile(problem, candidate), facts.window};
}

static LineGradientTile getLineGradientTile(const Problem &problem,
                                            const Candidate &candidate) {
  const LineFacts &facts = *problem.facts.get<LineFacts>();
  return {getWarpgroupTile(problem, candidate), facts.window,
          facts.segmentPositions};
}

/// Candidates whose reduction is over positions: one warpgroup multiplies. A
/// window of one tap sees each element once, so lanes that write elements again
/// gain nothing if boxes can bring them.
static std::vector<Candidate> listGradientCandidates(const Problem &problem,
                                                     const ChipInfo &chip,
                                                     const MatrixAtom &atom) {
  const LineFacts &facts = *problem.facts.get<LineFacts>();
  std::vector<Candidate> candidates;
  bool hasOneTap =
      facts.window.vertical.taps * facts.window.horizontal.taps == 1;
  if (hasOneTap && getWarpgroupFacts(problem).steps > 0)
    return candidates;
  forEachWarpgroupTile(atom, [&](Candidate candidate) {
    auto fits = [&](const Candidate &each) {
      return !getLineGradientTile(problem, each)
                  .findExceeded(problem.columns, chip.sharedMemoryBytes);
    };
    addWithStages(candidates, candidate, kMaxGradientStages, fits,
                  LineGradientTile::kIm2colWarpgroups);
  });
  return candidates;
}

static std::vector<Candidate> listLineCandidates(const Problem &problem,
                                                 const ChipInfo &chip,
                                                 const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  const auto *facts = problem.facts.get<LineFacts>();
  if (!facts || atom.kind != AtomKind::WGMMA)
    return candidates;
  if (facts->segments > 0)
    return listGradientCandidates(problem, chip, atom);
  forEachWarpgroupTile(atom, [&](Candidate candidate) {
    auto fits = [&](const Candidate &each) {
      return !getLineTile(problem, each)
                  .findExceeded(problem.columns, chip.sharedMemoryBytes);
    };
    if (getLineTile(problem, candidate).tile.fitsWorkgroup())
      addWithStages(candidates, candidate, kMaxStages, fits);
  });
  return candidates;
}

/// Cycles in which a warpgroup loads the fragments of one atom. Eight rows of a
/// fragment are read together; at distances that are multiples of 128 bytes,
/// the width of all banks, they are read one after the other.
static double computeFragmentCycles(const ChipInfo &chip,
                                    const LineWindow &window) {
  int64_t distance =
      window.horizontal.stride * window.channels * WarpgroupTile::kElementBytes;
  int64_t conflicts = std::max<int64_t>(1, std::gcd(distance, 128) / 16);
  int64_t registers = 2 * window.countGroups() * (window.hasPairs() ? 1 : 2);
  return fit(chip).fragmentCycles * double(registers * conflicts);
}

/// Computes the seconds of products from the cycles of a step, of the rest of a
/// tile (`tileCycles`), and before the first tile (`firstCycles`); and those of
/// memory.
static void computeParts(const Problem &problem, const ChipInfo &chip,
                         const Candidate &candidate, double tileCycles,
                         double firstCycles, Cost &cost) {
  cost.residentWorkgroups = 1;
  cost.workgroups = problem.batch *
                    ceilDiv(problem.rows, candidate.workgroup[0]) *
                    ceilDiv(problem.columns, candidate.workgroup[1]);
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));
  double cycles =
      double(problem.launches) * fit(chip).launchCycles + firstCycles +
      double(perUnit) * (double(cost.steps) * cost.stepCycles + tileCycles);
  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
}

/// Computes the time from those of products and memory.
static void finishCost(const Problem &problem, const ChipInfo &chip,
                       Cost &cost) {
  cost.seconds = std::max(cost.computeSeconds, cost.memorySeconds) -
                 computePrefetchSavings(problem, chip);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = cost.stepCycles > cost.matrixCycles ? Limit::SharedMemory
                                                     : Limit::MatrixUnits;
}

/// Cycles in which whole lines and the rows of the left operand are copied.
static double computeCopyCycles(const Problem &problem, const ChipInfo &chip,
                                const LineGradientTile &tile,
                                int64_t workgroups) {
  double units = double(std::min<int64_t>(workgroups, chip.computeUnits));
  double bytes = double(tile.linesBytes() + tile.tile.leftBytes());
  double cycles = bytes / std::min(fit(chip).unitBytesPerClock,
                                   fit(chip).copyBytesPerClock / units);
  int64_t rowBytes = problem.lhsRun.elements * byteSize(problem.operand);
  if (chip.sectorBytes == 0 || rowBytes % chip.sectorBytes == 0)
    return cycles;
  double rows = double(tile.tile.leftBytes()) / WarpgroupTile::kRowBytes;
  return std::max(cycles, fit(chip).unalignedRowCycles * rows);
}

/// A step is as long as its windows take to copy, to gather, or to multiply.
static Cost computeGradientCost(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  const LineFacts &facts = *problem.facts.get<LineFacts>();
  LineGradientTile tile = getLineGradientTile(problem, candidate);
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = tile.tile.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workItems = tile.tile.workItems();
  cost.wavesPerSimd = double(1 + tile.tile.workers());
  cost.steps = facts.segments *
               ceilDiv(facts.segmentPositions, WarpgroupTile::kRowElements);
  double added = double(facts.segments * facts.segmentPositions);
  cost.tileEfficiency = added * double(problem.columns) /
                        (double(cost.steps * WarpgroupTile::kRowElements) *
                         double(tile.countColumnTiles() * tile.tile.columns));
  cost.matrixCycles = double(tile.tile.rows / atom.m) * atom.cycles /
                      double(chip.simdsPerComputeUnit) *
                      double(WarpgroupTile::kRowElements / atom.k);
  double gatherCycles =
      fit(chip).tileCycles +
      computeFragmentCycles(chip, tile.window) *
          std::min(1.0, double(tile.tile.columns) / double(tile.usedColumns()));
  cost.sharedCycles = gatherCycles / double(tile.kIm2colWarpgroups);
  // The time from one copy to a stage until the next copy to it.
  double stageCycles = fit(chip).copyCycles + gatherCycles + cost.matrixCycles;
  cost.loadCycles = computeCopyCycles(problem, chip, tile,
                                      problem.batch * tile.countColumnTiles());
  cost.stepCycles =
      std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles,
                stageCycles / double(tile.tile.stages)});
  computeParts(problem, chip, candidate,
               fit(chip).gradientCyclesPerColumn *
                   double(tile.tile.atomsPerConsumer()) *
                   double(tile.tile.columns),
               /*firstCycles=*/0, cost);
  finishCost(problem, chip, cost);
  return cost;
}

/// Cycles in which the consumers store a tile.
static double computeStoreCycles(const Problem &problem, const ChipInfo &chip,
                                 const WarpgroupTile &tile) {
  double cycles = fit(chip).epilogueCyclesPerColumn *
                  (1 + problem.epilogueShare()) *
                  double(tile.atomsPerConsumer()) * double(tile.columns);
  if (storesOddRows(problem, tile))
    return cycles;
  // Consumers take turns where lanes store single elements.
  if (storesColumns(problem, tile))
    cycles += computeColumnCycles(problem, chip, tile);
  else if (problem.storesElements())
    cycles *= double(tile.consumers);
  if (problem.hasOddResultRows)
    cycles = std::max(
        cycles, computeScatterCycles(problem, chip, tile.rows,
                                     std::min(tile.columns, problem.columns)));
  return cycles;
}

static Cost computeLineCost(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  const LineFacts &facts = *problem.facts.get<LineFacts>();
  if (facts.segments > 0)
    return computeGradientCost(problem, chip, candidate);
  LineTile tile = getLineTile(problem, candidate);
  const MatrixAtom &atom = *candidate.atom;
  double reduction =
      double(tile.window.countGroups() * LineWindow::kGroupElements);
  Cost cost;
  cost.registers.accumulators = tile.tile.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workItems = tile.tile.workItems();
  cost.wavesPerSimd = double(1 + tile.tile.consumers);
  cost.steps = 1;

  double atomCycles =
      atom.cycles / double(chip.simdsPerComputeUnit) * reduction / atom.k;
  cost.matrixCycles = double(tile.tile.rows / atom.m) * atomCycles;
  cost.sharedCycles = double(tile.tile.atomsPerConsumer()) *
                      computeFragmentCycles(chip, tile.window);
  cost.stepCycles = std::max(
      cost.matrixCycles, fit(chip).tileCycles + cost.sharedCycles +
                             computeStoreCycles(problem, chip, tile.tile) +
                             double(tile.tile.atomsPerConsumer()) * atomCycles);

  double elements = reduction * double(tile.tile.columns) /
                    double(tile.tile.consumers * WarpgroupTile::kWarpgroupSize);
  computeParts(problem, chip, candidate, /*tileCycles=*/0,
               computeFilterCycles(
                   chip, problem.rhsRun,
                   std::gcd(tile.window.channels, WarpgroupTile::kAccess),
                   elements) +
                   (facts.areStoredByLanes
                        ? computePairCycles(problem, chip,
                                            storesOddRows(problem, tile.tile))
                        : 0),
               cost);
  cost.memorySeconds =
      cost.memorySeconds / fit(chip).memoryShare + fit(chip).memoryStartSeconds;
  finishCost(problem, chip, cost);
  cost.tileEfficiency = problem.flops() / 2 /
                        (double(cost.workgroups) * double(tile.tile.rows) *
                         double(tile.tile.columns) * reduction);
  return cost;
}

namespace {
class LineBufferModel final : public KernelModel {
public:
  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    return listLineCandidates(problem, chip, atom);
  }

  std::string findObstacle(const Problem &problem,
                           const ChipInfo &chip) const override {
    const auto *facts = problem.facts.get<LineFacts>();
    if (facts && !facts->window.hasFewGroups())
      return "windows have " + std::to_string(facts->window.countGroups()) +
             " groups of elements next to each other, and at most " +
             std::to_string(LineWindow::kMaxGroups) +
             " are loaded to registers";
    bool isGradient = facts && facts->segments > 0;
    return isGradient ? "" : explainColumns(problem, chip);
  }

  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const override {
    return WarpgroupTile{.consumers = candidate.subgroups()}.workItems();
  }

  bool startsEarly() const override { return true; }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override {
    return computeLineCost(problem, chip, candidate);
  }
};
} // namespace

const KernelModel &conv::getLineBufferModel() {
  static const LineBufferModel model;
  return model;
}
