//===- DirectModel.cpp - the cost of direct schedules -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that tiles copy, halos included, are known exactly; the time is the
// time of the slowest unit: a compute unit, or memory.
//
//===----------------------------------------------------------------------===//

#include "DirectModel.h"

#include "DirectCycles.h"
#include "DirectHostCost.h"
#include "DirectWork.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Kernels/Candidate.h"
#include "conv/Kernels/SplitSum.h"
#include "conv/Plan/OperandForm.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

static const ::conv::DirectCalibration &fit(const ::conv::ChipInfo &chip) {
  return chip.calibration->direct;
}

/// Bytes of cache lines relative to the bytes of the runs in them.
static double getLinesOfRuns(const DirectTiling &tiling, double runBytes,
                             const ::conv::ChipInfo &chip) {
  if (tiling.blocks)
    return getShortRunCost(runBytes, fit(chip).blocks.shortRunCost, chip);
  // Without sectors, neighbours find the rest of a cache line in the cache.
  if (chip.sectorBytes == 0)
    return 1;
  double parts = std::log2(double(chip.sectorBytes) / runBytes);
  return getShortRunCost(runBytes, fit(chip).shortReductionRunCost, chip) +
         fit(chip).partSectorCost * std::max(0., parts);
}

/// Seconds of the launches after the first one. The bytes of slices count with
/// those of the products. Reductions of blocks were fitted with whole launches.
static double getLaterSeconds(const DirectCost &cost, const DirectPlan &plan,
                              ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip) {
  if (cost.reducesOnLanes && schedule.getSplits() > 1 &&
      ::conv::hasMeasuredSums(chip))
    return ::conv::computeSumSeconds(chip, plan.launches, schedule.getSplits(),
                                     /*bytes=*/0);
  return double(plan.launches - 1) * chip.calibration->launch.launchSeconds;
}

/// Adds one product to the cost. Cycles are cycles of one compute unit.
static void addProduct(const DirectTiling &tiling, const DirectWork &work,
                       const ViewedProduct &product,
                       const ::conv::ChipInfo &chip, DirectCost &cost) {
  int64_t workgroups = tiling.batch.getNumTiles() * tiling.rows.getNumTiles();
  cost.sharedBytes = std::max(cost.sharedBytes, tiling.sharedBytes);
  cost.workgroups += workgroups;
  auto ofLeft = double(getElementBytes(product.lhs.type));
  cost.memoryBytes +=
      tiling.lhs.copied * ofLeft +
      tiling.rhs.copied * double(getElementBytes(product.rhs.type));
  double runBytes = double(tiling.lhs.run) * ofLeft;
  bool isQueue = cost.isQueue;
  if (!tiling.banded && !isQueue)
    cost.linesOfRuns =
        std::max(cost.linesOfRuns, getLinesOfRuns(tiling, runBytes, chip));
  if (!isQueue && !chip.isClocked())
    cost.conflicts = std::max(cost.conflicts, work.conflicts);
  ProductCycles own =
      computeCycles(tiling, work, product, workgroups, cost.workItems, chip);
  if (cost.reducesOnLanes)
    addLaneCosts(tiling, chip, own);
  if (cost.addsClockedSums)
    own.totals = getTotalCycles(tiling, cost.workItems, chip);
  cost.residentWorkgroups =
      cost.residentWorkgroups == 0
          ? own.resident
          : std::min(cost.residentWorkgroups, own.resident);

  double cycles =
      isQueue ? getQueuedCycles(tiling, work, product, workgroups, own, chip)
      : tiling.banded ? getBandedCycles(work, workgroups, own.resident, chip)
                      : getTurnCycles(tiling, work, own, runBytes, chip);
  if (isQueue)
    cost.launchSeconds += fit(chip).queue.seconds;
  // What is around the steps of a reduction takes as long with lanes as with
  // banded matrices.
  else if (!tiling.blocks)
    cost.launchSeconds += fit(chip).bands.seconds +
                          (cost.reducesOnLanes ? fit(chip).lanes.seconds : 0);
  cost.isPipelined |= isQueue || tiling.banded;
  cost.countsHalos = isQueue || tiling.blocks || tiling.banded;
  cost.computeSeconds += cycles / (chip.clockGHz * 1e9);
}

::conv::Cost DirectCost::summarize() const {
  ::conv::Cost cost;
  cost.sharedBytes = sharedBytes;
  cost.workgroups = workgroups;
  cost.workItems = workItems;
  cost.residentWorkgroups = residentWorkgroups;
  cost.memoryBytes = memoryBytes;
  cost.computeSeconds = computeSeconds;
  cost.memorySeconds = memorySeconds;
  cost.seconds = seconds();
  return cost;
}

PlanOptions mlir::conv::getDirectPlanOptions(int64_t splits) {
  return {.splits = splits, .joinsPhases = true, .keepsDeadTaps = true};
}

DirectPlan DirectPlan::get(ConvolutionOpInterface op,
                           const PlanOptions &options) {
  ConvolutionPlan plan = planConvolution(op, options);
  DirectPlan result{};
  result.launches = plan.steps.size();
  result.followsTransforms = mlir::conv::followsTransforms(op);
  result.hasSingleSubproblems =
      llvm::all_of(plan.steps, [](const PlanStep &step) {
        return step.subproblems.size() == 1;
      });
  for (auto [step, subproblem] : plan.getProducts())
    result.products.push_back(getViewedProduct(op, plan, *step, *subproblem));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    result.intermediateBytes += double(
        computeBytes(RankedTensorType::get(shape, getAccumulatorType(op))));
  return result;
}

static bool isReductionLoop(ScheduleAttr schedule) {
  return cast<DirectAttr>(schedule.getKernel()).getMainLoop() ==
         DirectLoop::Reduction;
}

/// What is known of all products of a plan without their tilings.
static DirectCost startCost(ConvolutionOpInterface op, const DirectPlan &plan,
                            ScheduleAttr schedule,
                            const ::conv::ChipInfo &chip) {
  DirectCost cost;
  cost.workItems = schedule.getNumSubgroups() * chip.subgroupSize;
  auto getBytes = [](Value tensor) {
    return double(computeBytes(cast<ShapedType>(tensor.getType())));
  };
  cost.memoryBytes = double(computeBytes(op.getResultType()));
  cost.compulsoryBytes = cost.memoryBytes;
  for (Value operand : op->getOperands())
    cost.compulsoryBytes += getBytes(operand);
  for (Value operand : op.getEpilogueOperands())
    cost.epilogueBytes += getBytes(operand);
  cost.memoryBytes += cost.epilogueBytes;
  cost.memoryBytes += 2 * plan.intermediateBytes;
  bool isReduction = isReductionLoop(schedule);
  cost.isQueue = !isReduction && chip.asyncCopyBytes > 0;
  bool addsOnLanes = isReduction && !schedule.reducesBlocks();
  cost.reducesOnLanes = addsOnLanes && !chip.isClocked() && !chip.isProcessor();
  cost.addsClockedSums = addsOnLanes && chip.isClocked();
  if (plan.followsTransforms)
    cost.waitSeconds = ::conv::getWaitSeconds(chip);
  return cost;
}

/// Adds the time of memory, once all products are counted.
static void addMemory(const DirectPlan &plan, ScheduleAttr schedule,
                      const ::conv::ChipInfo &chip, bool hasBlocks,
                      DirectCost &cost) {
  // The cache serves halos; it is what bounds kernels of blocks.
  double memoryBytes = hasBlocks
                           ? cost.memoryBytes
                           : cost.compulsoryBytes + 2 * plan.intermediateBytes;
  // Caches are expected to serve a share of the halos.
  if (!cost.countsHalos)
    memoryBytes =
        std::max(memoryBytes, cost.memoryBytes + cost.compulsoryBytes -
                                  cost.getAllowedBytes(fit(chip).traffic));
  double efficiency = cost.isQueue ? fit(chip).queue.memoryEfficiency
                      : hasBlocks  ? fit(chip).blocks.memoryEfficiency
                      : schedule.reducesBlocks()
                          ? fit(chip).bands.memoryEfficiency
                          : fit(chip).memoryEfficiency;
  double bytesPerSecond = efficiency * chip.memoryGBs * 1e9;
  cost.memorySeconds =
      (memoryBytes - cost.epilogueBytes) * cost.linesOfRuns / bytesPerSecond;
  cost.epilogueSeconds = cost.epilogueBytes / bytesPerSecond;
}

std::optional<DirectCost> mlir::conv::computeDirectCost(
    ConvolutionOpInterface op, const DirectPlan &plan, ScheduleAttr schedule,
    const ::conv::ChipInfo &chip, std::string &obstacle) {
  if (!plan.hasSingleSubproblems) {
    obstacle = "expects one subproblem for a kernel of #conv.direct, but got a "
               "gradient whose dgrad phases share a kernel";
    return std::nullopt;
  }
  DirectCost cost = startCost(op, plan, schedule, chip);
  bool hasBlocks = false;
  for (const ViewedProduct &product : plan.products) {
    std::optional<DirectTiling> tiling =
        DirectTiling::compute(schedule, chip, product, obstacle);
    if (!tiling)
      return std::nullopt;
    hasBlocks |= tiling->blocks.has_value();
    if (chip.isProcessor()) {
      addHostProduct(*tiling, product, isReductionLoop(schedule), chip, cost);
      continue;
    }
    DirectWork work = computeDirectWork(*tiling, schedule, product, chip);
    if (work.spills) {
      obstacle = formatv("expects a filter whose blocks fit the {0} registers "
                         "of a lane, but got {1}",
                         chip.registersPerLane, work.registers)
                     .str();
      return std::nullopt;
    }
    if (work.isLong) {
      obstacle = formatv("expects code that compiles in time, but got {0} "
                         "matrix instructions",
                         tiling->countAtoms())
                     .str();
      return std::nullopt;
    }
    addProduct(*tiling, work, product, chip, cost);
  }
  addMemory(plan, schedule, chip, hasBlocks, cost);
  cost.isPipelined |= schedule.getStages() > 1 || chip.isClocked();
  cost.launchSeconds += getLaterSeconds(cost, plan, schedule, chip);
  return cost;
}

std::optional<DirectCost>
mlir::conv::computeDirectCost(ConvolutionOpInterface op, ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip,
                              std::string &obstacle) {
  return computeDirectCost(op, DirectPlan::get(op, getPlanOptions(schedule)),
                           schedule, chip, obstacle);
}
