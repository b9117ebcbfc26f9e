//===- StagedModel.cpp - the cost of staged tiles ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of the main loop uses three units of a compute unit: matrix units
// (or multiply-adds), shared memory, and the load path. How far they overlap
// depends on the number of waves to switch between. A step never takes less
// than the latency of a load, since a tile is loaded one step ahead. The time
// of the kernel is the larger of two: the rounds of workgroups on the busiest
// compute unit, and the bytes through device memory. For AMD kernels, the
// counts of a step go into a model of their own, `UnitModel.cpp`.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Gemm/StagedModel.h"

#include "LaneModel.h"
#include "StagedMemory.h"
#include "StagedStep.h"
#include "StagedTile.h"
#include "UnitModel.h"

#include "conv/Kernels/SplitSum.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace conv;

static const StagedCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->staged;
}

/// Reads of shared memory by the multiply-adds of a wave's step: one for each
/// 16 bytes of a column, which all lanes share, and of a lane's row.
static double countLaneReads(const Candidate &candidate) {
  const MatrixAtom &atom = *candidate.atom;
  if (atom.kind != AtomKind::FMA)
    return 0;
  auto [rows, columns] = candidate.subgroup;
  return double(candidate.gemmK / atom.kPerLane * (columns + rows / atom.n));
}

/// The input of the model of AMD units.
static UnitWork getUnitWork(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate, const Cost &cost) {
  UnitWork work;
  work.waves = candidate.subgroups();
  work.stages = candidate.stages;
  work.steps = double(cost.steps);
  work.rounds =
      double(candidate.gemmK) / double(reductionOfRound(*candidate.atom));
  work.overlapsSteps = candidate.atom->kind == AtomKind::MFMA;
  work.joinsLoads = work.overlapsSteps && !copiesInLaneOrder(chip, candidate) &&
                    hasTransposed(problem);
  work.copiesInLaneOrder = copiesInLaneOrder(chip, candidate);
  work.atomCycles = candidate.atom->cycles;
  work.laneReads = countLaneReads(candidate);
  work.prefetchDistance = getPrefetchDistance(problem, chip, candidate);
  work.matrixCycles =
      cost.matrixCycles / double(ceilDiv(work.waves, countSimds(chip)));
  work.vectorCycles = computeVectorCycles(problem, chip, candidate);
  work.accesses = vectorsPerWorkItem(chip, candidate, candidate.workgroup[0]) +
                  vectorsPerWorkItem(chip, candidate, candidate.workgroup[1]);
  work.sharedCycles = cost.sharedCycles;
  work.sharedWriteCycles = computeWriteCycles(problem, chip, candidate);
  work.loadCycles = cost.loadCycles;
  // Split-K slices are stored in the type of the accumulator.
  work.storedBytes =
      problem.splits > 1
          ? double(candidate.workgroup[0] * candidate.workgroup[1] *
                   byteSize(candidate.atom->accumulator))
          : countStoredBytes(problem, candidate);
  return work;
}

/// Cycles of a step of one workgroup among the resident ones: the more waves on
/// a SIMD unit, the more of the shorter activities is hidden, until they wait
/// for the same units.
static double computeStepCycles(const ChipInfo &chip, const Cost &cost) {
  double longest =
      std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles});
  double others =
      cost.matrixCycles + cost.sharedCycles + cost.loadCycles - longest;
  return longest +
         others /
             (1 + std::min(cost.wavesPerSimd, fit(chip).overlappingWaves)) +
         fit(chip).barrierCycles;
}

/// Registers that a wave is expected to have.
static int64_t computeAllocated(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate, const Cost &cost) {
  return chip.isClocked()
             ? computeExpectedRegisters(chip, *candidate.atom, cost.registers,
                                        hasTransposed(problem))
             : cost.registers.total();
}

/// Computes how many workgroups fit on a compute unit.
static void computeOccupancy(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate, Cost &cost) {
  int64_t registers = computeAllocated(problem, chip, candidate, cost);
  // More would fit, but no unit gets more than its share of the grid.
  int64_t share = ceilDiv(cost.workgroups, countUnits(chip));
  cost.residentWorkgroups = std::max<int64_t>(
      1, std::min(countResident(chip, candidate, registers), share));
  cost.wavesPerSimd = double(cost.residentWorkgroups * candidate.subgroups()) /
                      double(countSimds(chip));
}

/// The least cycles of a step, so that the tile of a later step has arrived:
/// all stages but one have a tile in flight.
static double computeTileLatency(const ChipInfo &chip,
                                 const Candidate &candidate) {
  return chip.calibration->access.loadLatencyNs * chip.clockGHz /
         double(std::max<int64_t>(1, candidate.stages - 1));
}

/// Cycles of a round of `workgroups` that run together on one compute unit. A
/// workgroup that is alone waits at its own barriers.
static double computeRound(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate, const Cost &cost,
                           int64_t workgroups) {
  double latency = chip.calibration->access.loadLatencyNs * chip.clockGHz;
  double alone =
      workgroups == 1 ? std::max(1.0, chip.calibration->lane.aloneFactor) : 1;
  double step = alone * std::max(double(workgroups) * cost.stepCycles,
                                 computeTileLatency(chip, candidate));
  double ends = chip.calibration->launch.setupCycles +
                countStoredBytes(problem, candidate) /
                    chip.calibration->access.loadBytesPerClock;
  // Products of several dgrad phases have different lengths. The round waits
  // for its first tile, but not until its last result is stored.
  double steps = double(cost.steps) * problem.averageShare();
  return latency + steps * step + double(workgroups) * ends;
}

/// The workgroups of the unit that has most of them, in the order of the grid:
/// every unit has the same share of each product.
static std::vector<UnitWorkgroups> listWorkgroups(const Problem &problem,
                                                  const ChipInfo &chip,
                                                  const Cost &cost,
                                                  int64_t workgroups) {
  if (problem.shares.empty() || problem.shares.back() == 1)
    return {{workgroups, 1}};
  int64_t ofProduct = cost.workgroups / problem.products, listed = 0;
  std::vector<UnitWorkgroups> all;
  for (size_t i = 0; i < problem.shares.size(); ++i) {
    int64_t end = std::min(
        workgroups, ceilDiv(int64_t(i + 1) * ofProduct, countUnits(chip)));
    all.push_back({end - listed, problem.shares[i]});
    listed = end;
  }
  return all;
}

/// Cycles of all `workgroups` of one unit.
static double computeCycles(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate, const Cost &cost,
                            int64_t workgroups) {
  int64_t resident = cost.residentWorkgroups;
  int64_t last = workgroups % resident;
  return double(workgroups / resident) *
             computeRound(problem, chip, candidate, cost, resident) +
         (last ? computeRound(problem, chip, candidate, cost, last) : 0);
}

/// `waitsForLoads`: the loads of a step determine how long it takes.
static Limit computeLimit(const Cost &cost, bool waitsForLoads) {
  if (cost.memorySeconds > cost.computeSeconds)
    return Limit::Memory;
  if (waitsForLoads)
    return Limit::Latency;
  if (cost.matrixCycles >= std::max(cost.sharedCycles, cost.loadCycles))
    return Limit::MatrixUnits;
  return cost.sharedCycles >= cost.loadCycles ? Limit::SharedMemory
                                              : Limit::Loads;
}

/// Whether a candidate multiplies by lanes on a chip where that was measured.
static bool isFittedToLanes(const ChipInfo &chip, const Candidate &candidate) {
  return candidate.atom->kind == AtomKind::FMA &&
         chip.calibration->lane.factor > 0;
}

/// Whether lanes multiply matrices whose left one is transposed on its way to
/// shared memory, without a window.
static bool isTurnedOnLanes(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  double bytes = double(problem.products * problem.batch * problem.rows) *
                 double(problem.reduction * byteSize(candidate.atom->operand));
  return isFittedToLanes(chip, candidate) && isTransposed(problem.lhsRun) &&
         !isTransposed(problem.rhsRun) && problem.splits == 1 &&
         bytes <= problem.lhsBytes;
}

/// Factor from the time computed here to the time of a staged kernel.
static double getStagedSlowdown(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  if (isTurnedOnLanes(problem, chip, candidate))
    return chip.calibration->lane.turnedSlowdown;
  bool isAsync = candidate.loop == StagedLoop::Async;
  bool areTransposed =
      isTransposed(problem.lhsRun) && isTransposed(problem.rhsRun);
  double slowdown = isFittedToLanes(chip, candidate)
                        ? chip.calibration->lane.otherSlowdown
                    : isAsync ? fit(chip).asyncStagedSlowdown
                              : fit(chip).registerStagedSlowdown;
  // Lanes move elements one by one to transpose them.
  if (!isAsync && areTransposed)
    slowdown += (fit(chip).transposedStagedSlowdown - slowdown) * 2 /
                double(byteSize(candidate.atom->operand));
  auto isNarrow = [&](const Run &run) {
    return run.elements * byteSize(candidate.atom->operand) % kVectorBytes != 0;
  };
  // Lanes multiply f32, of which an element is a register that is not joined
  // with others.
  bool isJoined = candidate.atom->kind != AtomKind::FMA &&
                  (isNarrow(problem.lhsRun) || isNarrow(problem.rhsRun));
  return slowdown * (isJoined ? fit(chip).transposingSlowdown : 1);
}

/// Seconds of the launches after the first one. A kernel that combines slices
/// starts while the products end.
static double computeLaterSeconds(const Problem &problem,
                                  const ChipInfo &chip) {
  return problem.splits > 1 && hasMeasuredSums(chip)
             ? computeSumSeconds(problem, chip)
             : double(problem.launches - 1) *
                   chip.calibration->launch.launchSeconds;
}

/// Cycles in which lanes store pairs of 16-bit columns whose rows start
/// anywhere, as those of 58 channels.
static double computeUnalignedPairCycles(const Problem &problem,
                                         const ChipInfo &chip) {
  constexpr int64_t kElementBytes = 2, kAlignment = 16;
  int64_t bytes = byteSize(problem.result);
  int64_t rowBytes = problem.batch * problem.columns * bytes;
  return bytes == kElementBytes && rowBytes % kAlignment != 0
             ? computePairCycles(problem, chip, /*areRows=*/false)
             : 0;
}

/// Counts the workgroups of the grid and the steps of each.
static void countWork(const Problem &problem, const Candidate &candidate,
                      Cost &cost) {
  int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
  int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
  cost.workgroups = problem.products * problem.batch * rowTiles * columnTiles;
  cost.steps = ceilDiv(problem.reduction, candidate.gemmK);
}

/// Factor from the longer activity of a kernel, computation or memory, to its
/// time.
static double getSlowdown(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) {
  return isMeasuredOnLanes(problem, chip, candidate)
             ? 1
             : getStagedSlowdown(problem, chip, candidate);
}

/// `seconds` and those of what comes before and after.
static double addOthers(double seconds, const Problem &problem,
                        const ChipInfo &chip, const Candidate &candidate,
                        int64_t perUnit) {
  return seconds +
         problem.scatteredSums * chip.calibration->splitSum.scatteredSeconds +
         (chip.isClocked() ? computeCombineSeconds(problem, chip) : 0) +
         double(perUnit) *
             computeScatterCycles(problem, chip, candidate.workgroup[0],
                                  candidate.workgroup[1]) /
             (chip.clockGHz * 1e9) +
         computeUnalignedPairCycles(problem, chip) / (chip.clockGHz * 1e9) +
         computeLaterSeconds(problem, chip) +
         chip.calibration->launch.startSeconds;
}

/// Cycles that the workgroups of one unit take at least, by the counts of a
/// step that are known in `cost`.
static double computeLeastCycles(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate, const Cost &cost,
                                 int64_t perUnit) {
  double share = problem.shares.empty() ? 1 : problem.shares.back();
  if (!chip.isClocked())
    return double(perUnit) * double(cost.steps) * share *
           std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles});
  UnitWork work;
  work.waves = candidate.subgroups();
  work.steps = double(cost.steps);
  work.matrixCycles =
      cost.matrixCycles / double(ceilDiv(work.waves, countSimds(chip)));
  work.sharedCycles = cost.sharedCycles;
  work.loadCycles = cost.loadCycles;
  return computeLeastUnitCycles(chip, work, double(perUnit), share);
}

bool conv::isStagedSlower(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate, double seconds) {
  constexpr double kRounding = 1e-9;
  Cost cost;
  countWork(problem, candidate, cost);
  int64_t perUnit = ceilDiv(cost.workgroups, countUnits(chip));
  double slowdown = getSlowdown(problem, chip, candidate);
  double others = addOthers(0, problem, chip, candidate, perUnit);
  auto isSlower = [&](double longest) {
    return slowdown * longest + others > seconds * (1 + kRounding);
  };
  double bytes = computeMemoryBytes(problem, chip, candidate) -
                 (chip.isClocked() ? problem.intermediateBytes : 0);
  if (isSlower(bytes / (chip.memoryGBs * 1e9)))
    return true;
  if (isMeasuredOnLanes(problem, chip, candidate))
    return false;
  auto computesLonger = [&] {
    return isSlower(
        computeLeastCycles(problem, chip, candidate, cost, perUnit) /
        (chip.clockGHz * 1e9));
  };
  cost.matrixCycles = computeMatrixCycles(chip, candidate);
  if (computesLonger())
    return true;
  countStep(problem, chip, candidate, cost);
  return computesLonger();
}

Cost conv::computeStagedCost(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate) {
  Cost cost;
  cost.registers = computeRegisters(problem, chip, candidate);
  cost.sharedBytes = computeSharedBytes(candidate);
  cost.workItems = candidate.subgroups() * chip.subgroupSize;
  countWork(problem, candidate, cost);
  double computed = double(cost.workgroups) * double(cost.steps) *
                    double(candidate.workgroup[0]) *
                    double(candidate.workgroup[1]) * double(candidate.gemmK);
  cost.tileEfficiency = problem.usefulFlops / 2 / computed;

  computeOccupancy(problem, chip, candidate, cost);
  countStep(problem, chip, candidate, cost);
  int64_t resident = cost.residentWorkgroups;
  std::optional<UnitSteps> unit; // The model of AMD units, if it applies.
  if (chip.isClocked())
    unit.emplace(chip, getUnitWork(problem, chip, candidate, cost));
  cost.stepCycles = unit ? unit->compute(resident) / double(resident)
                         : computeStepCycles(chip, cost);
  int64_t perUnit = ceilDiv(cost.workgroups, countUnits(chip));
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(countUnits(chip)));
  double cycles =
      unit ? computeUnitCycles(*unit, resident,
                               listWorkgroups(problem, chip, cost, perUnit))
           : computeCycles(problem, chip, candidate, cost, perUnit);

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds =
      computeStagedMemorySeconds(problem, chip, candidate, cost);
  if (isMeasuredOnLanes(problem, chip, candidate))
    cost.computeSeconds = computeLaneSeconds(problem, chip, candidate);
  cost.seconds =
      addOthers(getSlowdown(problem, chip, candidate) *
                    std::max(cost.computeSeconds, cost.memorySeconds),
                problem, chip, candidate, perUnit);
  cost.limit =
      computeLimit(cost, unit ? unit->waitsForLoads(resident)
                              : computeTileLatency(chip, candidate) >
                                    double(resident) * cost.stepCycles);
  return cost;
}

std::vector<std::pair<std::string, double>>
conv::describeUnit(const Problem &problem, const ChipInfo &chip,
                   const Candidate &candidate, const Cost &cost) {
  UnitWork work = getUnitWork(problem, chip, candidate, cost);
  double longest = std::max(cost.computeSeconds, cost.memorySeconds);
  constexpr double kMicro = 1e6;
  return {
      {"waves", double(work.waves)},
      {"stages", double(work.stages)},
      {"steps", work.steps * problem.averageShare()},
      {"rounds", work.rounds},
      {"matrix", work.matrixCycles},
      {"vector", work.vectorCycles},
      {"shared", work.sharedCycles},
      {"shared_writes", work.sharedWriteCycles},
      {"loads", work.loadCycles},
      {"stored_bytes", work.storedBytes},
      {"accesses", double(work.accesses)},
      {"joins_loads", double(work.joinsLoads)},
      {"lane_copies", double(work.copiesInLaneOrder)},
      {"atom_cycles", work.atomCycles},
      {"lane_reads", work.laneReads},
      {"prefetch_distance", double(work.prefetchDistance)},
      {"overlaps", double(work.overlapsSteps)},
      {"registers", double(computeAllocated(problem, chip, candidate, cost))},
      {"resident", double(cost.residentWorkgroups)},
      {"workgroups", double(ceilDiv(cost.workgroups, countUnits(chip)))},
      {"simds", double(countSimds(chip))},
      {"ghz", chip.clockGHz},
      {"memory_us", cost.memorySeconds * kMicro},
      {"other_us", (cost.seconds - longest) * kMicro}};
}
