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

int64_t mlir::conv::countDirectRegisters(const ::conv::ChipInfo &chip,
                                         const DirectHeld &held) {
  const ::conv::DirectRegisters &fit = chip.calibration->direct.registers;
  return std::lround(fit.fixed + fit.ofSum * held.sums +
                     fit.ofAhead * held.ahead + fit.ofCopied * held.copied);
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
