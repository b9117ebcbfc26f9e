//===- UnitModel.cpp - workgroups that share a unit -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All resident workgroups together keep matrix units, shared memory and the
// load path busy, and the busiest of the three has to wait now and then. A
// workgroup alone takes its own matrix instructions and what nothing hides
// then, and a step is never shorter than a load's latency.
//
// Constants are fitted to the clock (docs/amd-kernels.md) with 1561 kernels of
// 18 convolutions on five chips; they are no measurements.
//
//===----------------------------------------------------------------------===//

#include "UnitModel.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

namespace {
/// What differs between main loops that overlap steps and those that keep the
/// phases of a step apart.
struct LoopFit {
  /// Exponent of the norm that joins the busy parts of a unit: more is closer
  /// to the longest alone.
  double partsNorm;
  /// The same for these and the least length of a step.
  double chainNorm;
  /// With one stage, writes lie between two barriers: what of their cycles is
  /// exposed if a workgroup is alone, and the power of the number of workgroups
  /// that it falls with.
  double exposedWrites, exposedPower;
  /// What of them a workgroup's step is longer than its matrix instructions.
  double ownWrites;
  /// Cycles that it is longer with two stages.
  double stepCycles;
  /// Cycles of a load's latency that a step cannot be shorter than.
  double latencyCycles;
  /// Cycles before the main loop: of a workgroup, and for each piece that a
  /// lane loads, whose place takes divisions.
  double setupCycles, pieceCycles;
  /// Cycles for each 64 bytes of a result.
  double storeCycles;
  /// Cycles of vector instructions for one that is counted.
  double vectorFactor;
};
} // namespace

static constexpr LoopFit kOverlapped = {.partsNorm = 3.9,
                                        .chainNorm = 10,
                                        .exposedWrites = 1,
                                        .exposedPower = 1.4,
                                        .ownWrites = 0,
                                        .stepCycles = 255,
                                        .latencyCycles = 590,
                                        .setupCycles = 570,
                                        .pieceCycles = 95,
                                        .storeCycles = 1.2,
                                        .vectorFactor = 1.8};
static constexpr LoopFit kPhased = {.partsNorm = 20,
                                    .chainNorm = 3.1,
                                    .exposedWrites = 6.2,
                                    .exposedPower = 1.4,
                                    .ownWrites = 2.8,
                                    .stepCycles = 700,
                                    .latencyCycles = 500,
                                    .setupCycles = 130,
                                    .pieceCycles = 125,
                                    .storeCycles = 0.5,
                                    .vectorFactor = 1.5};
/// What of the load path's cycles is needed: lines that workgroups share are in
/// the cache of a compute unit.
static constexpr double kMissedLoads = 0.85;
/// Registers that are allocated for one that is counted: accumulators, and the
/// others. What atoms of 16 rows take beyond them.
static constexpr double kMatrixAccumulators = 1.25, kMatrixOthers = 0.85;
static constexpr double kVectorAccumulators = 1.15, kVectorOthers = 0.66;
static constexpr double kSmallAtomRegisters = 17;
/// Start and end of a kernel that adds up parts.
static constexpr double kCombineSeconds = 0.5e-6;

int64_t conv::countSimds(const ChipInfo &chip) {
  return int64_t(chip.simdsPerComputeUnit) * chip.computeUnitsOfProcessor;
}

int64_t conv::countUnits(const ChipInfo &chip) {
  return chip.computeUnits / chip.computeUnitsOfProcessor;
}

int64_t conv::computeExpectedRegisters(const MatrixAtom &atom,
                                       const RegisterCost &registers) {
  auto others = double(registers.total() - registers.accumulators);
  auto accumulators = double(registers.accumulators);
  if (atom.kind != AtomKind::MFMA)
    return std::lround(kVectorAccumulators * accumulators +
                       kVectorOthers * others);
  return std::lround(kMatrixAccumulators * accumulators +
                     kMatrixOthers * others +
                     (atom.m <= 16 ? kSmallAtomRegisters : 0));
}

static const LoopFit &getFit(const UnitWork &work) {
  return work.overlapsSteps ? kOverlapped : kPhased;
}

/// Cycles of a wave's step in which other waves get no turn of the matrix unit:
/// WMMA and multiply-adds of lanes take the vector unit's own turns, MFMA runs
/// beside it.
static double computeTurns(const UnitWork &work) {
  return work.matrixCycles +
         (work.overlapsSteps ? 0
                             : getFit(work).vectorFactor * work.vectorCycles);
}

/// Cycles in which all resident workgroups use the parts of their unit.
static double computeBusyCycles(const ChipInfo &chip, const UnitWork &work,
                                int64_t resident) {
  const LoopFit &fit = getFit(work);
  int64_t simds = countSimds(chip);
  double waves = double(resident * work.waves) / double(simds);
  // Phases keep waves in step, so those of the fullest SIMD unit count.
  if (!work.overlapsSteps)
    waves = std::ceil(waves);
  waves = std::max(waves, double(ceilDiv(work.waves, simds)));
  double busy = 0;
  for (double cycles : {waves * computeTurns(work),
                        waves * fit.vectorFactor * work.vectorCycles,
                        double(resident) * work.sharedCycles,
                        double(resident) * kMissedLoads * work.loadCycles})
    busy += std::pow(cycles, fit.partsNorm);
  if (work.stages > 1)
    return std::pow(busy, 1 / fit.partsNorm);
  // Loads are joined where they are written.
  double exposed = fit.exposedWrites * work.sharedWriteCycles +
                   (work.joinsLoads ? work.vectorCycles : 0);
  return std::pow(busy, 1 / fit.partsNorm) +
         exposed / std::pow(double(resident), fit.exposedPower);
}

/// Cycles until the loads of a step have arrived.
static double computeLoadLatency(const UnitWork &work) {
  return getFit(work).latencyCycles + work.loadCycles;
}

bool conv::waitsForLoads(const ChipInfo &chip, const UnitWork &work,
                         int64_t resident) {
  return computeLoadLatency(work) > computeBusyCycles(chip, work, resident);
}

double conv::computeUnitStep(const ChipInfo &chip, const UnitWork &work,
                             int64_t resident) {
  const LoopFit &fit = getFit(work);
  double alone =
      double(ceilDiv(work.waves, countSimds(chip))) * computeTurns(work) +
      (work.stages == 1 ? fit.ownWrites * work.sharedWriteCycles
                        : fit.stepCycles);
  // With one stage, loads are joined behind the other rounds.
  if (work.overlapsSteps && work.stages == 1)
    alone += work.vectorCycles;
  double least = std::max(alone, computeLoadLatency(work));
  double busy = computeBusyCycles(chip, work, resident);
  return std::pow(std::pow(busy, fit.chainNorm) +
                      std::pow(least, fit.chainNorm),
                  1 / fit.chainNorm);
}

/// Cycles of `resident` workgroups that run together from start to end.
static double computeRound(const ChipInfo &chip, const UnitWork &work,
                           int64_t resident) {
  if (resident == 0)
    return 0;
  const LoopFit &fit = getFit(work);
  return work.steps * computeUnitStep(chip, work, resident) + fit.setupCycles +
         double(ceilDiv(work.waves, countSimds(chip)) * work.pieces) *
             fit.pieceCycles +
         double(resident) * work.storedBytes / 64 * fit.storeCycles;
}

double conv::computeUnitCycles(const ChipInfo &chip, const UnitWork &work,
                               int64_t resident, int64_t workgroups) {
  return double(workgroups / resident) * computeRound(chip, work, resident) +
         computeRound(chip, work, workgroups % resident);
}

double conv::computeFarBandwidth(const Problem &problem, const ChipInfo &chip) {
  bool isCached = chip.cacheGBs > 0 &&
                  problem.compulsoryBytes() + problem.intermediateBytes <=
                      double(chip.cacheBytes);
  return (isCached ? chip.cacheGBs : chip.memoryGBs) * 1e9;
}

double conv::computeCombineSeconds(const Problem &problem,
                                   const ChipInfo &chip) {
  if (problem.splits == 1)
    return 0;
  return kCombineSeconds + (problem.intermediateBytes + problem.resultBytes +
                            problem.epilogueBytes) /
                               computeFarBandwidth(problem, chip);
}
