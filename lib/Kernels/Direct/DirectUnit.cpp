//===- DirectUnit.cpp - a direct kernel on an AMD compute unit ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectUnit.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::conv;

static const ::conv::DirectRegisters &fit(const ::conv::ChipInfo &chip) {
  return chip.calibration->direct.registers;
}

/// Registers that vector instructions can name.
static double countNamedRegisters(const ::conv::ChipInfo &chip) {
  return double(chip.registersPerLane - chip.accumulationRegisters);
}

/// Whether LLVM reads the next line of windows while one is multiplied, and the
/// filter of one more: few vectors are on their way then.
static bool readsAhead(const ::conv::ChipInfo &chip, const DirectReads &reads) {
  return reads.lines > 1 &&
         2 * (reads.windows + reads.filter) <= fit(chip).mostReadAhead;
}

/// Vectors of the filter in registers at a time.
static double countFilter(const ::conv::ChipInfo &chip,
                          const DirectReads &reads) {
  return reads.filter * (readsAhead(chip, reads)
                             ? std::min(reads.lines, fit(chip).linesAhead)
                             : 1);
}

int64_t mlir::conv::countRowRegisters(const ::conv::ChipInfo &chip,
                                      const DirectReads &reads) {
  double windows = reads.windows * (readsAhead(chip, reads) ? 2 : 1);
  double registers = fit(chip).fixed + fit(chip).ofSum * reads.sums +
                     fit(chip).ofWindow * windows +
                     fit(chip).ofTap * countFilter(chip, reads);
  return std::lround(std::max(registers, 1.0)); // The fit may be negative.
}

int64_t mlir::conv::countReductionRegisters(const ::conv::ChipInfo &chip,
                                            const DirectReads &reads) {
  return countRowRegisters(chip, reads) + int64_t(fit(chip).ofReduction);
}

double mlir::conv::getRegisterCost(const ::conv::ChipInfo &chip,
                                   int64_t registers) {
  return 1 + fit(chip).movedCost *
                 std::max(0.0, double(registers) - countNamedRegisters(chip));
}

double mlir::conv::getHoistingCost(const ::conv::ChipInfo &chip,
                                   int64_t registers,
                                   const DirectReads &reads) {
  double ofAllLines = reads.filter * reads.lines;
  double hoisted = (ofAllLines - countFilter(chip, reads)) * fit(chip).ofTap;
  bool isMoved = ofAllLines <= fit(chip).mostHoisted &&
                 double(registers) + hoisted > countNamedRegisters(chip);
  return isMoved ? fit(chip).movedFilterCost : 1;
}

/// Cycles of a step of workgroups that run together, without waits.
static double getStep(const ::conv::ChipInfo &chip, const DirectDemand &demand,
                      int64_t together) {
  auto simds = double(chip.simdsPerComputeUnit);
  double ofSubgroup = demand.productCycles * simds / double(demand.subgroups);
  double subgroups = double(together * demand.subgroups) / simds;
  // Workgroups start where others have ended, so that SIMD units even out. The
  // subgroups of one wait for each other.
  subgroups = together > 1 ? std::max(1.0, subgroups) : std::ceil(subgroups);
  double products = subgroups * ofSubgroup;
  double shared = double(together) * demand.sharedCycles;
  // Products partly hide the reads of shared memory.
  return double(together) * demand.copyCycles + std::max(products, shared) +
         std::min(products, shared) / 2;
}

double mlir::conv::getUnitCycles(const ::conv::ChipInfo &chip,
                                 const DirectDemand &demand, int64_t workgroups,
                                 int64_t resident) {
  int64_t rounds = llvm::divideCeil(workgroups, resident);
  int64_t rest = workgroups % resident;
  double busy = double(workgroups) * chip.calibration->launch.setupCycles +
                double(workgroups / resident) * demand.steps *
                    getStep(chip, demand, resident) +
                (rest > 0 ? demand.steps * getStep(chip, demand, rest) : 0);
  // While one workgroup waits, others can work.
  double alone = demand.latency * double(rounds - 1) +
                 double(rounds) * demand.steps * getStep(chip, demand, 1);
  // Workgroups that start together end together.
  return demand.latency + std::max(busy, alone) +
         double(rounds) * demand.lastCycles;
}
