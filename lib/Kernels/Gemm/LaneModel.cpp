//===- LaneModel.cpp - the cost of multiply-adds by lanes -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes read both operands from shared memory with 128-bit accesses. The fewer
// subgroups share a compute unit, the longer they wait for these reads and for
// their global loads. Each lane stores the vectors of a row of its own, so
// stores stay far below the bandwidth of the memory.
//
//===----------------------------------------------------------------------===//

#include "LaneModel.h"

#include "conv/Kernels/Gemm/StagedModel.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

static const LaneCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->lane;
}

bool conv::isMeasuredOnLanes(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate) {
  auto isWide = [&](const Run &run) {
    return run.isAlongReduction && !run.takesDivisions &&
           run.elements * byteSize(candidate.atom->operand) % kVectorBytes == 0;
  };
  return candidate.atom->kind == AtomKind::FMA && fit(chip).factor > 0 &&
         problem.batch == problem.splits && isWide(problem.lhsRun) &&
         isWide(problem.rhsRun);
}

/// Workgroups that fit on a compute unit by register allocation.
static int64_t countResident(const ChipInfo &chip, const Candidate &candidate) {
  double sums = double(candidate.subgroup[0] * candidate.subgroup[1]) /
                double(chip.subgroupSize);
  double registers = fit(chip).fixedRegisters + fit(chip).sumRegisters * sums;
  int64_t perLane = roundUp(
      std::min<int64_t>(int64_t(std::ceil(registers)), chip.registersPerLane),
      chip.registerAllocationUnit);
  int64_t subgroups =
      chip.registerFilePerLane / perLane * int64_t(chip.simdsPerComputeUnit);
  return std::max<int64_t>(
      1, std::min(subgroups / candidate.subgroups(),
                  chip.sharedMemoryOfUnit / computeSharedBytes(candidate)));
}

/// Cycles in which a step reads shared memory: each lane has a row, and all
/// lanes of a subgroup read the same columns. All read 16-byte vectors.
static double computeReadCycles(const ChipInfo &chip,
                                const Candidate &candidate) {
  auto [rows, columns] = candidate.subgroup;
  double vectors = double(candidate.gemmK * byteSize(candidate.atom->operand)) /
                   double(kVectorBytes);
  double reads = double(columns) + double(rows) / double(chip.subgroupSize);
  return double(candidate.subgroups()) * vectors * reads *
         double(chip.subgroupSize * kVectorBytes) /
         chip.sharedMemoryBytesPerClock;
}

double conv::computeLaneSeconds(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  auto [rows, columns] = candidate.workgroup;
  int64_t tiles = problem.products * problem.batch *
                  ceilDiv(problem.rows, rows) *
                  ceilDiv(problem.columns, columns);
  int64_t perUnit = ceilDiv(tiles, chip.computeUnits);
  int64_t resident = std::min(countResident(chip, candidate), perUnit);
  double subgroups = double(resident * candidate.subgroups());

  double steps = double(perUnit) *
                 double(ceilDiv(problem.reduction, candidate.gemmK)) *
                 problem.averageShare();
  double norm = fit(chip).norm;
  double multiplyCycles =
      double(rows * columns * candidate.gemmK) / chip.fmaPerClock;
  double stepCycles =
      std::pow(std::pow(multiplyCycles, norm) +
                   std::pow(computeReadCycles(chip, candidate), norm),
               1 / norm);
  double loadedBytes = double((rows + columns) * candidate.gemmK *
                              byteSize(candidate.atom->operand));
  double idle = fit(chip).idleFactor / std::pow(subgroups, fit(chip).idlePower);
  double storedBytes =
      problem.splits > 1 ? problem.intermediateBytes : problem.resultBytes;
  double cycles = steps * (fit(chip).factor * (1 + idle) * stepCycles +
                           loadedBytes / fit(chip).loadBytesPerClock);
  // A workgroup that is alone on its unit multiplies nothing while it stores.
  double alone = resident == 1 && perUnit > 1 ? fit(chip).aloneFactor : 1;
  double seconds = cycles / (chip.clockGHz * 1e9) +
                   alone * fit(chip).storeSeconds * storedBytes;
  if (candidate.subgroup[0] >= fit(chip).wideRows * chip.subgroupSize)
    seconds *= fit(chip).wideFactor;
  // Each copy of a run that is shorter than a step has its own position.
  if (candidate.loop == StagedLoop::Async &&
      problem.lhsRun.elements < candidate.gemmK)
    seconds *= fit(chip).shortFactor;
  if (candidate.loop == StagedLoop::Registers)
    seconds *= fit(chip).stagedFactor;
  return fit(chip).startSeconds + seconds +
         fit(chip).roundSeconds * double(perUnit) / double(resident);
}
