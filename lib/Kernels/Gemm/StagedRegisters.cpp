//===- StagedRegisters.cpp - registers of staged tiles --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedTile.h"
#include "UnitModel.h"

#include "conv/Kernels/Gemm/TapFacts.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

static const StagedCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->staged;
}

int64_t conv::computeAvailableRegisters(const ChipInfo &chip,
                                        int64_t subgroups) {
  int64_t wavesPerSimd = ceilDiv(subgroups, chip.simdsPerComputeUnit);
  return std::min<int64_t>(chip.registersPerLane,
                           chip.registerFilePerLane / wavesPerSimd);
}

int64_t conv::computeNeededRegisters(const ChipInfo &chip,
                                     const RegisterCost &registers) {
  int64_t others = registers.total() - registers.accumulators;
  return registers.accumulators + static_cast<int64_t>(std::ceil(
                                      fit(chip).temporaries * double(others)));
}

/// Registers of a vector.
static constexpr int64_t kVectorRegisters = 4;

/// Rounds of the reduction whose fragments are in registers at the same time.
static int64_t countRoundsInFlight(const ChipInfo &chip,
                                   const Candidate &candidate) {
  int64_t rounds = candidate.gemmK / reductionOfRound(*candidate.atom);
  // Where nothing separates matrix instructions from loads, the compiler hoists
  // all loads of a step. An FMA atom is many instructions by itself.
  bool hoistsAll =
      candidate.atom->kind == AtomKind::WMMA && chip.accumulationRegisters == 0;
  return hoistsAll ? rounds : rounds > 2 ? 2 : 1;
}

/// Registers in which MFMA loops keep the loads of an operand that they
/// transpose on its way to shared memory: each block of rows has one load for
/// every element of a vector.
static int64_t countJoinRegisters(const ChipInfo &chip,
                                  const Candidate &candidate, int64_t rows,
                                  const Run &run) {
  if (candidate.atom->kind != AtomKind::MFMA || run.isAlongReduction ||
      copiesInLaneOrder(chip, candidate))
    return 0;
  int64_t longest = kVectorBytes / byteSize(candidate.atom->operand);
  int64_t blocks = vectorsPerWorkItem(chip, candidate, rows) /
                   countLoadElements(chip, candidate, rows, run);
  return chip.calibration->unit.joinedLoadRegisters * blocks * longest;
}

/// Registers if one tile is in flight.
static RegisterCost computeForOneTile(const Problem &problem,
                                      const ChipInfo &chip,
                                      const Candidate &candidate) {
  const MatrixAtom &atom = *candidate.atom;
  auto [rows, columns] = candidate.subgroup;
  int64_t inputVectors =
      vectorsPerWorkItem(chip, candidate, candidate.workgroup[0]);
  int64_t filterVectors =
      vectorsPerWorkItem(chip, candidate, candidate.workgroup[1]);
  int64_t registerBytes = 4;
  int64_t bytesA = columns / atom.m * fragmentBytesA(atom);
  // All lanes read the same rows of A for an FMA atom. Half of the rows of one
  // atom are being loaded while the other half is used.
  if (atom.kind == AtomKind::FMA)
    bytesA = fragmentBytesA(atom) / 2;
  int64_t bytesB = rows / atom.n * fragmentBytesB(atom);
  RegisterCost cost;
  cost.accumulators = rows * columns / chip.subgroupSize;
  auto isStaged = [&](const Run &run) {
    return candidate.loop != StagedLoop::Async ||
           !copiesAsync(chip, run, byteSize(atom.operand));
  };
  cost.staging = (isStaged(problem.lhsRun) * inputVectors +
                  isStaged(problem.rhsRun) * filterVectors) *
                 kVectorBytes / registerBytes;
  bool areElements = sharesElements(problem, chip, candidate);
  SharedElements elements;
  if (areElements) {
    elements = countSharedElements(problem, chip, candidate);
    // Each load has a register beyond those of the vectors.
    cost.staging += elements.loads - kVectorRegisters * inputVectors;
  }
  cost.fragments =
      countRoundsInFlight(chip, candidate) * (bytesA + bytesB) / registerBytes;
  int64_t inputRegisters =
      areElements
          ? elements.rows + elements.places
          : fit(chip).inputAccessRegisters * inputVectors +
                countJoinRegisters(chip, candidate, candidate.workgroup[0],
                                   problem.lhsRun);
  cost.addresses = fit(chip).fixedRegisters + inputRegisters +
                   fit(chip).filterAccessRegisters * filterVectors +
                   countJoinRegisters(chip, candidate, candidate.workgroup[1],
                                      problem.rhsRun);
  return cost;
}

int64_t conv::countResident(const ChipInfo &chip, const Candidate &candidate,
                            int64_t registers) {
  int64_t perWave = roundUp(registers, chip.registerAllocationUnit);
  int64_t waves = std::min<int64_t>(chip.maxWavesPerSimd,
                                    chip.registerFilePerLane / perWave) *
                  countSimds(chip);
  int64_t byShared =
      chip.sharedMemoryOfUnit * chip.computeUnitsOfProcessor /
      roundUp(computeSharedBytes(candidate), chip.sharedAllocationUnit);
  return std::min(waves / candidate.subgroups(), byShared);
}

/// Registers if one tile is in flight, of a problem of which nothing is known:
/// schedules are judged alike for all problems, as if no loads were joined.
static RegisterCost computeForAnyProblem(const ChipInfo &chip,
                                         const Candidate &candidate) {
  static const Problem problem = [] {
    Problem any;
    any.lhsRun.isAlongReduction = any.rhsRun.isAlongReduction = true;
    return any;
  }();
  return computeForOneTile(problem, chip, candidate);
}

int64_t conv::computeExpectedResident(const ChipInfo &chip,
                                      const Candidate &candidate,
                                      int64_t distance, bool transposes) {
  RegisterCost cost = computeForAnyProblem(chip, candidate);
  cost.staging *= distance;
  return countResident(
      chip, candidate,
      computeExpectedRegisters(chip, *candidate.atom, cost, transposes));
}

/// Whether a second tile in flight leaves enough registers, and workgroups of a
/// unit.
static bool fitsSecondTile(const ChipInfo &chip, const Candidate &candidate) {
  RegisterCost cost = computeForAnyProblem(chip, candidate);
  int64_t expected = computeExpectedRegisters(chip, *candidate.atom, cost,
                                              /*transposes=*/false);
  int64_t withSecond = expected + cost.staging;
  int64_t available = computeAvailableRegisters(chip, candidate.subgroups()) -
                      chip.registerAllocationUnit;
  return withSecond <=
             std::min<int64_t>(available, chip.registerFilePerLane / 2) &&
         countResident(chip, candidate, withSecond) >=
             std::min(chip.calibration->unit.secondTileWorkgroups,
                      countResident(chip, candidate, expected));
}

int64_t conv::computePrefetchDistance(const ChipInfo &chip,
                                      const Candidate &candidate, int64_t steps,
                                      bool loadsVectors) {
  AtomKind kind = candidate.atom->kind;
  // Multiply-adds pass loads through the same registers in each step.
  if (candidate.loop != StagedLoop::Registers ||
      (kind != AtomKind::WMMA && kind != AtomKind::MFMA))
    return 1;
  // With one stage, other workgroups hide most of the latency of loads.
  bool pays = candidate.stages > 1
                  ? steps >= chip.calibration->unit.twoStageSecondTileSteps
                  : kind == AtomKind::WMMA && loadsVectors &&
                        steps >= chip.calibration->unit.secondTileSteps;
  return pays && fitsSecondTile(chip, candidate) ? 2 : 1;
}

bool conv::loadsVectors(const Problem &problem, const ChipInfo &chip,
                        const Candidate &candidate) {
  int64_t longest = kVectorBytes / byteSize(candidate.atom->operand);
  auto areVectors = [&](int64_t rows, const Run &run) {
    return run.isAlongReduction &&
           countLoadElements(chip, candidate, rows, run) == longest;
  };
  return copiesInLaneOrder(chip, candidate) ||
         (areVectors(candidate.workgroup[0], problem.lhsRun) &&
          areVectors(candidate.workgroup[1], problem.rhsRun));
}

int64_t conv::getPrefetchDistance(const Problem &problem, const ChipInfo &chip,
                                  const Candidate &candidate) {
  return computePrefetchDistance(chip, candidate,
                                 ceilDiv(problem.reduction, candidate.gemmK),
                                 loadsVectors(problem, chip, candidate));
}

RegisterCost conv::computeRegisters(const Problem &problem,
                                    const ChipInfo &chip,
                                    const Candidate &candidate) {
  RegisterCost cost = computeForOneTile(problem, chip, candidate);
  cost.staging *= getPrefetchDistance(problem, chip, candidate);
  return cost;
}

Rejection conv::checkStaged(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  int64_t workItems = candidate.subgroups() * chip.subgroupSize;
  if (computeSharedBytes(candidate) > chip.sharedMemoryBytes)
    return Rejection::SharedMemory;
  if (workItems > chip.maxWorkgroupSize)
    return Rejection::WorkgroupSize;
  for (int64_t rows : candidate.workgroup) {
    int64_t bytes = rows * candidate.gemmK * byteSize(candidate.atom->operand);
    if (bytes % (kVectorBytes * workItems) != 0)
      return Rejection::UnevenCopy;
  }
  // A second tile is in flight only where it fits (`fitsSecondTile`).
  RegisterCost registers = computeForOneTile(problem, chip, candidate);
  int64_t available = computeAvailableRegisters(chip, candidate.subgroups());
  // What is usually allocated is known better where the phases of a step are
  // apart, and loads are wide; and where copies take no registers, since no
  // load is hoisted, unless atoms are small. Should it be too little, another
  // schedule takes the place.
  auto isWide = [&](const Run &run) {
    return run.elements * byteSize(candidate.atom->operand) >= kVectorBytes;
  };
  bool isPhased = candidate.atom->kind == AtomKind::WMMA &&
                  isWide(problem.lhsRun) && isWide(problem.rhsRun);
  bool hoistsNothing =
      copiesInLaneOrder(chip, candidate) && candidate.atom->m > 16;
  int64_t needed =
      isPhased || hoistsNothing
          ? computeExpectedRegisters(chip, *candidate.atom, registers,
                                     hasTransposed(problem))
          : computeNeededRegisters(chip, registers);
  bool fits = needed <= available;
  // Accumulation registers hold only accumulators, so neither the accumulators
  // nor the other values may use the whole register file.
  if (chip.accumulationRegisters > 0)
    fits &=
        double(registers.accumulators) <=
        chip.calibration->unit.accumulationShare * chip.accumulationRegisters;
  return fits ? Rejection::None : Rejection::Registers;
}
