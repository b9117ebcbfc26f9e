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

namespace {
/// Registers of a lane per sum, per vector of a window and per vector of the
/// filter, for 11 kinds of kernels: CDNA keeps f32 copies of vectors next to
/// the originals, RDNA mixes types in its instructions.
struct RowRegisters {
  double fixed, ofSum, ofWindow, ofTap;
};
} // namespace

static constexpr RowRegisters kCDNARegisters = {-36, 0.8, 10, 12};
static constexpr RowRegisters kRDNARegisters = {4, 1, 4, 4};
/// Additional registers of shared reductions on CDNA.
static constexpr double kReductionRegisters = 61;
/// Relative time per register that vector instructions cannot address, because
/// its value moves to accumulation registers and back: filter gradients with
/// 7x7 windows took 1.6 to 1.8 times as long for 284 registers, and 7 outputs
/// of such windows with strides 2.2 times.
static constexpr double kMovedRegisterCost = 0.03;
/// Factor if filter values move, once for all boxes: with 5x5 windows, it was
/// 1.3 to 1.7.
static constexpr double kMovedFilterCost = 1.45;
/// The most filter values that LLVM reads before a loop over boxes.
static constexpr double kMostHoisted = 32;

static double countNamedRegisters(const ::conv::ChipInfo &chip) {
  return double(chip.registersPerLane - chip.accumulationRegisters);
}

static const RowRegisters &getRegisters(const ::conv::ChipInfo &chip) {
  return chip.accumulationRegisters > 0 ? kCDNARegisters : kRDNARegisters;
}

int64_t mlir::conv::countRowRegisters(const ::conv::ChipInfo &chip,
                                      const DirectReads &reads) {
  const RowRegisters &fit = getRegisters(chip);
  return std::lround(fit.fixed + fit.ofSum * reads.sums +
                     fit.ofWindow * reads.windows + fit.ofTap * reads.filter);
}

int64_t mlir::conv::countReductionRegisters(const ::conv::ChipInfo &chip,
                                            const DirectReads &reads) {
  return countRowRegisters(chip, reads) +
         (chip.accumulationRegisters > 0 ? int64_t(kReductionRegisters) : 0);
}

double mlir::conv::getRegisterCost(const ::conv::ChipInfo &chip,
                                   int64_t registers) {
  if (chip.accumulationRegisters == 0)
    return 1;
  return 1 + kMovedRegisterCost *
                 std::max(0.0, double(registers) - countNamedRegisters(chip));
}

double mlir::conv::getHoistingCost(const ::conv::ChipInfo &chip,
                                   int64_t registers, double filter,
                                   double ofAllLines) {
  bool isMoved =
      chip.accumulationRegisters > 0 && ofAllLines <= kMostHoisted &&
      double(registers) + (ofAllLines - filter) * getRegisters(chip).ofTap >
          countNamedRegisters(chip);
  return isMoved ? kMovedFilterCost : 1;
}

/// Cycles of a step of workgroups that run together, without waits.
static double getStep(const ::conv::ChipInfo &chip, const DirectDemand &demand,
                      int64_t together) {
  int64_t simds = chip.simdsPerComputeUnit;
  double ofSubgroup =
      demand.productCycles * double(simds) / double(demand.subgroups);
  double products =
      double(llvm::divideCeil(together * demand.subgroups, simds)) * ofSubgroup;
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
  return demand.latency + std::max(busy, alone);
}
