//===- DirectCycles.cpp - how long a unit multiplies directly -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only other resident workgroups of a compute unit overlap with a workgroup's
// copies. If copies take no registers and a workgroup has a single step,
// workgroups wait for each other in queues.
//
//===----------------------------------------------------------------------===//

#include "DirectCycles.h"

#include "DirectUnit.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/MathExtras.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::conv;

static const ::conv::DirectCalibration &fit(const ::conv::ChipInfo &chip) {
  return chip.calibration->direct;
}

double mlir::conv::getShortRunCost(double runBytes, double cost,
                                   const ::conv::ChipInfo &chip) {
  return 1 + cost * std::log2(std::max(1., fit(chip).longRunBytes / runBytes));
}

/// Factor of the time of stores in which work-items fill parts of sectors: each
/// has a run of a line, which it stores in vectors one after the other.
static double getStoreCost(const DirectTiling &tiling,
                           const ViewedTensor &result,
                           const ::conv::ChipInfo &chip) {
  if (chip.sectorBytes == 0 || tiling.isAlongBatch)
    return 1;
  int64_t run = tiling.rows.getRun(tiling.rows.innermost);
  auto bytes = double(run * DirectTiling::countAdjacentColumns(result)) *
               double(getElementBytes(result.type));
  double parts = std::min(bytes, double(chip.sectorBytes)) /
                 double(DirectTiling::countStoredBytes(result, run));
  return 1 + fit(chip).queue.partStoreCost * (parts - 1);
}

/// A workgroup's cycles of memory, as its share of a compute unit's bandwidth.
/// Tiles that are partly after the last matrix take as long as others. Runs of
/// the result have as many elements as those of the left operand.
static double getMemoryCycles(const DirectTiling &tiling,
                              const ViewedProduct &product, int64_t workgroups,
                              const ::conv::ChipInfo &chip) {
  auto getBytesOf = [](double elements, const ViewedTensor &operand) {
    return elements * double(getElementBytes(operand.type));
  };
  auto operands =
      double(computeBytes(product.lhs.type) + computeBytes(product.rhs.type));
  double copied = getBytesOf(tiling.lhs.copied, product.lhs) +
                  getBytesOf(tiling.rhs.copied, product.rhs);
  auto getRunCost = [&](const ViewedTensor &tensor) {
    return getShortRunCost(getBytesOf(double(tiling.lhs.run), tensor),
                           fit(chip).queue.shortRunCost, chip);
  };
  double bytes =
      (operands + fit(chip).queue.haloCost * std::max(0., copied - operands)) *
          getRunCost(product.lhs) +
      double(computeBytes(product.result.type)) * getRunCost(product.result) *
          getStoreCost(tiling, product.result, chip);
  double padding = double(tiling.batch.getNumTiles() *
                          llvm::product_of(tiling.batch.sizes)) /
                   double(llvm::product_of(tiling.batch.digits));
  double bytesPerCycle = fit(chip).queue.memoryEfficiency * chip.memoryGBs /
                         (chip.clockGHz * double(chip.computeUnits));
  return bytes * padding / (double(workgroups) * bytesPerCycle);
}

/// Cycles until a unit with `resident` workgroups at a time has finished all of
/// them. Each workgroup takes `alone` cycles, and queues for memory and for the
/// unit with a demand of cycles for each. This is mean value analysis of a
/// closed network: an additional workgroup sees the queues of those before it.
/// The first workgroups start together, and then make the same demands at the
/// same time.
static double getQueueCycles(int64_t workgroups, int64_t resident, double alone,
                             std::array<double, 2> demands,
                             const ::conv::ChipInfo &chip) {
  auto getCyclesOfEach = [&](int64_t together) {
    std::array<double, 2> queues{};
    double cycles = 0;
    for (int64_t count = 1; count <= together; ++count) {
      std::array<double, 2> stays;
      for (auto [stay, demand, queue] : llvm::zip(stays, demands, queues))
        stay = demand * (1 + queue);
      cycles = (alone + stays[0] + stays[1]) / double(count);
      for (auto [queue, stay] : llvm::zip(queues, stays))
        queue = stay / cycles;
    }
    return cycles;
  };
  int64_t rest = workgroups % resident;
  double cycles = double(workgroups - rest) * getCyclesOfEach(resident) +
                  double(rest) * getCyclesOfEach(rest);
  int64_t first = std::min(workgroups, resident);
  double inStep = alone + double(first) * (demands[0] + demands[1]);
  return cycles + fit(chip).queue.inStep *
                      (inStep - double(first) * getCyclesOfEach(first));
}

/// How often copies wait for memory: before the barrier, and whenever no more
/// loads may be in flight. Copies without registers are all in flight at once,
/// but the steps of a reduction were seen to wait for them as well.
static int64_t countWaits(const TensorBox &box, const ViewedTensor &operand,
                          const DirectWork &work, int64_t workItems,
                          const ::conv::ChipInfo &chip) {
  auto width = double(box.copyWidth * getElementBytes(operand.type));
  if (chip.copiesWithoutRegisters(int64_t(width)) && work.steps <= 1)
    return 0;
  return llvm::divideCeil(
      box.numElements, box.copyWidth * TensorBox::kLoadsInFlight * workItems);
}

ProductCycles mlir::conv::computeCycles(const DirectTiling &tiling,
                                        const DirectWork &work,
                                        const ViewedProduct &product,
                                        int64_t workgroups, int64_t workItems,
                                        const ::conv::ChipInfo &chip) {
  // A work-item that has nothing to do waits for the others.
  double boxes =
      double(llvm::alignTo(int64_t(work.boxes / work.boxesOfItem), workItems)) *
      work.boxesOfItem;
  ProductCycles cycles;
  cycles.shared = boxes * work.vectors * ::conv::kVectorBytes *
                  (chip.isClocked() ? work.conflicts : 1) /
                  chip.sharedMemoryBytesPerClock;
  cycles.products = boxes * work.cycles;
  cycles.copies =
      double(tiling.lhs.numElements * getElementBytes(product.lhs.type) +
             tiling.rhs.numElements * getElementBytes(product.rhs.type)) /
      chip.calibration->access.loadBytesPerClock;
  cycles.lhsWaits = countWaits(tiling.lhs, product.lhs, work, workItems, chip);
  cycles.rhsWaits = countWaits(tiling.rhs, product.rhs, work, workItems, chip);
  cycles.subgroups = workItems / chip.subgroupSize;
  cycles.resident =
      tiling.countResident(chip, cycles.subgroups, work.registers);
  cycles.perUnit = llvm::divideCeil(workgroups, chip.computeUnits);
  return cycles;
}

double mlir::conv::getTotalCycles(const DirectTiling &tiling, int64_t workItems,
                                  const ::conv::ChipInfo &chip) {
  const ::conv::DirectRoundCalibration &fit = chip.calibration->direct.rounds;
  int64_t units = tiling.countSharedBoxes(), slices = workItems / units;
  int64_t remaining =
      DirectTiling::countRemainingSums(slices, units, workItems, fit);
  int64_t reads =
      remaining > 1 ? llvm::divideCeil(slices, remaining) + remaining : slices;
  return double(llvm::divideCeil(tiling.countSums() / units,
                                 DirectTiling::kPartials)) *
         (fit.cycles * (remaining > 1 ? 2 : 1) +
          fit.readCycles * double(reads));
}

/// Cycles of one wait for memory.
static double getWaitCycles(const ::conv::ChipInfo &chip) {
  return chip.calibration->access.loadLatencyNs * chip.clockGHz;
}

double mlir::conv::getTurnCycles(const DirectTiling &tiling,
                                 const DirectWork &work,
                                 const ProductCycles &own, double runBytes,
                                 const ::conv::ChipInfo &chip) {
  double latency =
      double(1 + own.lhsWaits + own.rhsWaits) * getWaitCycles(chip);
  double fills = work.stages > 1 ? 1 : work.steps;
  // By the clock, conflicts are cycles of shared memory, and either work hides
  // the time of memory or the reverse.
  if (chip.isClocked()) {
    // The load path takes one cache line per cycle.
    double lineShare =
        std::max(1.0, chip.calibration->access.loadBytesPerClock / runBytes);
    return getUnitCycles(chip,
                         {work.steps, fills * latency, own.copies * lineShare,
                          own.shared, own.products, own.subgroups, own.totals},
                         own.perUnit, own.resident);
  }
  double rounds = double(llvm::divideCeil(own.perUnit, own.resident));
  // Reads of shared memory partly overlap with products.
  double stepCycles =
      own.copies + std::max(own.shared, own.products) +
      fit(chip).exposedShare * std::min(own.shared, own.products);
  double products = work.steps * stepCycles;
  if (tiling.blocks) // Workgroups take turns to load what they multiply.
    products = work.unit * double(std::min(own.perUnit, own.resident) - 1);
  double alone = fills * latency + products + work.waits + own.totals;
  return std::max(rounds * alone,
                  double(own.perUnit) * (chip.calibration->launch.setupCycles +
                                         work.steps * stepCycles));
}

double mlir::conv::getQueuedCycles(const DirectTiling &tiling,
                                   const DirectWork &work,
                                   const ViewedProduct &product,
                                   int64_t workgroups, const ProductCycles &own,
                                   const ::conv::ChipInfo &chip) {
  int64_t waits = own.lhsWaits + std::max<int64_t>(0, own.rhsWaits - 1);
  double cycles =
      getQueueCycles(own.perUnit, own.resident,
                     work.alone + double(waits) * getWaitCycles(chip),
                     {getMemoryCycles(tiling, product, workgroups, chip),
                      work.unit + fit(chip).queue.copyCost * own.copies},
                     chip);
  return cycles * (1 + fit(chip).queue.conflictCost * (work.conflicts - 1));
}

/// Copies of lanes that fill a box.
static double countCopies(const TensorBox &box) {
  return double(box.numElements) / double(box.copyWidth);
}

void mlir::conv::addLaneCosts(const DirectTiling &tiling,
                              const ::conv::ChipInfo &chip,
                              ProductCycles &cycles) {
  cycles.copies = std::max(cycles.copies,
                           (countCopies(tiling.lhs) + countCopies(tiling.rhs)) /
                               chip.calibration->access.loadLanesPerClock);
  const ::conv::DirectLaneCalibration &lanes = fit(chip).lanes;
  double subgroups =
      double(cycles.subgroups * std::min(cycles.perUnit, cycles.resident));
  double slowdown =
      1 + lanes.idleCost * std::max(0., lanes.busySubgroups / subgroups - 1);
  if (!tiling.isAlongBatch)
    slowdown *= lanes.positionCycles *
                std::pow(double(llvm::product_of(tiling.batch.sizes)),
                         lanes.channelPower);
  cycles.shared *= slowdown;
  cycles.products *= slowdown;
  int64_t sums = tiling.countSums() / tiling.countSharedBoxes();
  int64_t workItems = cycles.subgroups * chip.subgroupSize;
  cycles.totals = lanes.totalCycles *
                  double(llvm::divideCeil(sums, DirectTiling::kPartials) *
                         llvm::divideCeil(tiling.countSharedBoxes() *
                                              DirectTiling::kPartials,
                                          workItems));
}
