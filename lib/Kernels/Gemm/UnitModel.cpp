//===- UnitModel.cpp - the cost of workgroups on an AMD unit --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resident workgroups together keep matrix units, shared memory and the
// load path busy, and even the busiest of the three is idle at times. A
// workgroup alone takes the time of its own matrix instructions and of what
// nothing hides, and a step never takes less than the latency of a load.
//
// Constants are fitted to conv-clock with 1561 kernels of 18 convolutions on
// five chips, those of overlapped loops with 1237 others of 35
// (bench/results/amd-clock.md); they are not measurements.
//
//===----------------------------------------------------------------------===//

#include "UnitModel.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace conv;

static const UnitCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->unit;
}

int64_t conv::countSimds(const ChipInfo &chip) {
  return int64_t(chip.simdsPerComputeUnit) * chip.computeUnitsOfProcessor;
}

int64_t conv::countUnits(const ChipInfo &chip) {
  return chip.computeUnits / chip.computeUnitsOfProcessor;
}

int64_t conv::computeExpectedRegisters(const ChipInfo &chip,
                                       const MatrixAtom &atom,
                                       const RegisterCost &registers,
                                       bool transposes) {
  auto others = double(registers.total() - registers.accumulators);
  auto accumulators = double(registers.accumulators);
  if (atom.kind == AtomKind::FMA)
    return std::lround(accumulators + fit(chip).laneOthers * others);
  if (atom.kind == AtomKind::WMMA)
    return std::lround(fit(chip).vectorAccumulators * accumulators +
                       (fit(chip).vectorOthers +
                        (transposes ? fit(chip).transposedOthers : 0)) *
                           others);
  return std::lround(fit(chip).matrixAccumulators * accumulators +
                     fit(chip).matrixOthers * others +
                     (atom.m <= 16 ? fit(chip).smallAtomRegisters : 0));
}

static const LoopFit &getFit(const ChipInfo &chip, const UnitWork &work) {
  if (work.copiesInLaneOrder)
    return fit(chip).laneCopies;
  return work.overlapsSteps ? fit(chip).overlapped : fit(chip).phased;
}

/// Cycles of a wave's step in which other waves cannot use the matrix unit:
/// WMMA and multiply-adds of lanes share the issue of the vector unit, whereas
/// MFMA runs beside it.
static double computeTurns(const ChipInfo &chip, const UnitWork &work) {
  return work.matrixCycles +
         (work.overlapsSteps
              ? 0
              : getFit(chip, work).vectorFactor * work.vectorCycles);
}

/// Whether waves take turns on all SIMD units alike. The fullest SIMD unit
/// decides if phases keep waves in step, or if no later workgroups take the
/// places of waves that end early on the other SIMD units.
static bool evensOut(const UnitWork &work, Round round) {
  return work.copiesInLaneOrder ||
         (work.overlapsSteps && round == Round::OfSeveral);
}

/// Cycles in which the resident workgroups use the parts of their unit.
static double computeBusyCycles(const ChipInfo &chip, const UnitWork &work,
                                int64_t resident, bool isEven) {
  const LoopFit &loop = getFit(chip, work);
  int64_t simds = countSimds(chip);
  double waves = double(resident * work.waves) / double(simds);
  if (!isEven)
    waves = std::ceil(waves);
  waves = std::max(waves, double(ceilDiv(work.waves, simds)));
  double busy = 0;
  for (double cycles :
       {waves * computeTurns(chip, work),
        waves * loop.vectorFactor * work.vectorCycles,
        double(resident) * work.sharedCycles,
        double(resident) * fit(chip).missedLoads * work.loadCycles})
    busy += std::pow(cycles, loop.partsNorm);
  double together = std::pow(busy, 1 / loop.partsNorm);
  if (work.stages > 1)
    return together;
  // Loads are joined when they are written to shared memory.
  double exposed = loop.exposedWrites * work.sharedWriteCycles +
                   (work.joinsLoads ? work.vectorCycles : 0);
  return together + exposed / std::pow(double(resident), loop.exposedPower);
}

/// Cycles from the issue of a step's loads until they have arrived. Overlapped
/// steps with two stages spread their loads and wait for each of them alone: it
/// comes after half of the others. Loads that are joined are waited for
/// together.
static double computeLoadLatency(const ChipInfo &chip, const UnitWork &work) {
  double latency = getFit(chip, work).latencyCycles;
  // Vector instructions between the copies delay the last one.
  if (work.copiesInLaneOrder)
    return (latency + work.loadCycles +
            double(ceilDiv(work.waves, countSimds(chip))) * work.vectorCycles) /
           double(std::max<int64_t>(1, work.stages - 1));
  bool isSpread = work.overlapsSteps && work.stages > 1 && !work.joinsLoads;
  return (latency + work.loadCycles / (isSpread ? 2 : 1)) /
         double(work.prefetchDistance);
}

/// The least cycles of a wave's step whose rounds multiply what was read a
/// round ago: no round is shorter than its reads. After a barrier, all waves of
/// a workgroup read at the same time, so each waits for half of all reads.
static double computeReadChain(const ChipInfo &chip, const UnitWork &work) {
  double reads = work.sharedCycles - work.sharedWriteCycles;
  double ownReads = reads / double(work.waves);
  return work.rounds * fit(chip).sharedLatency + (ownReads + reads) / 2;
}

/// The least cycles of a step, however few workgroups are resident.
double UnitSteps::computeLeast() const {
  const LoopFit &loop = getFit(chip, work);
  double alone =
      double(ceilDiv(work.waves, countSimds(chip))) * computeTurns(chip, work) +
      (work.stages == 1 ? loop.ownWrites * work.sharedWriteCycles
                        : loop.stepCycles);
  if (work.copiesInLaneOrder)
    alone += fit(chip).laneCopyAtoms * work.atomCycles;
  alone += fit(chip).laneReadCycles * work.laneReads;
  // A lone wave issues them in bursts, which its products do not hide.
  if (work.overlapsSteps && !work.copiesInLaneOrder)
    alone = std::max(alone + work.vectorCycles, computeReadChain(chip, work));
  return std::max(alone, computeLoadLatency(chip, work));
}

const UnitSteps::Step &UnitSteps::get(int64_t resident, Round round) {
  bool isEven = evensOut(work, round);
  for (const Step &step : known)
    if (step.resident == resident && step.isEven == isEven)
      return step;
  Step &step = known[next++ % known.size()];
  const LoopFit &loop = getFit(chip, work);
  if (leastPower < 0)
    leastPower = std::pow(computeLeast(), loop.chainNorm);
  double busy = computeBusyCycles(chip, work, resident, isEven);
  double cycles =
      std::pow(std::pow(busy, loop.chainNorm) + leastPower, 1 / loop.chainNorm);
  return step = {resident, isEven, busy, cycles};
}

double UnitSteps::compute(int64_t resident, Round round) {
  return get(resident, round).cycles;
}

bool UnitSteps::waitsForLoads(int64_t resident) {
  return computeLoadLatency(chip, work) >
         get(resident, Round::OfSeveral).busyCycles;
}

/// Cycles of workgroups, of which number `i` has `getShare(i)` of the steps,
/// the longest first, that run together from start to end.
template <typename GetShare>
static double computeRound(UnitSteps &steps, Round round, size_t workgroups,
                           const GetShare &getShare) {
  if (workgroups == 0)
    return 0;
  const ChipInfo &chip = steps.chip;
  const UnitWork &work = steps.work;
  const LoopFit &loop = getFit(chip, work);
  double cycles =
      loop.setupCycles +
      double(ceilDiv(work.waves, countSimds(chip)) * work.accesses) *
          loop.accessCycles +
      double(workgroups) * work.storedBytes / 64 * loop.storeCycles;
  // No other round hides the latency of the first tiles, and no workgroup.
  bool startsAlone = round == Round::Only || workgroups == 1;
  if (startsAlone && work.overlapsSteps && !work.copiesInLaneOrder)
    cycles += double(work.prefetchDistance) * loop.latencyCycles;
  // The longest ones go on alone.
  for (size_t count = workgroups; count > 0; --count) {
    double next = count < workgroups ? getShare(count) : 0;
    if (double alike = getShare(count - 1) - next; alike > 0)
      cycles += alike * work.steps * steps.compute(int64_t(count), round);
  }
  return cycles;
}

double conv::computeUnitCycles(UnitSteps &steps, int64_t resident,
                               const std::vector<UnitWorkgroups> &workgroups) {
  double cycles = 0;
  int64_t all = 0;
  for (const UnitWorkgroups &alike : workgroups)
    all += alike.count;
  // Workgroups of several rounds end one after another.
  Round kind = all > resident ? Round::OfSeveral : Round::Only;
  std::vector<double> round;
  auto computeListed = [&] {
    return computeRound(steps, kind, round.size(),
                        [&](size_t i) { return round[i]; });
  };
  for (auto [count, share] : workgroups) {
    int64_t left = count;
    for (; left > 0 && !round.empty(); --left) {
      round.push_back(share);
      if (int64_t(round.size()) == resident) {
        cycles += computeListed();
        round.clear();
      }
    }
    if (int64_t rounds = left / resident)
      cycles += double(rounds) *
                computeRound(steps, kind, size_t(resident),
                             [share = share](size_t) { return share; });
    round.insert(round.end(), size_t(left % resident), share);
  }
  return cycles + computeListed();
}

double conv::computeLeastUnitCycles(const ChipInfo &chip, const UnitWork &work,
                                    double workgroups, double share) {
  double ofStep = std::max(
      {double(work.waves) / double(countSimds(chip)) * work.matrixCycles,
       work.sharedCycles, fit(chip).missedLoads * work.loadCycles});
  return workgroups * share * work.steps * ofStep;
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
  return fit(chip).combineSeconds +
         (problem.intermediateBytes + problem.resultBytes +
          problem.epilogueBytes) /
             computeFarBandwidth(problem, chip);
}
