//===- DirectModel.cpp - what a direct schedule costs -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tiles copy, their halos too, is known exactly; their time is that of the
// slowest unit. Nothing overlaps with the copies of a workgroup but the work of
// the other ones that a compute unit has at a time.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/DirectModel.h"

#include "GpuCosts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Schedule/CostModel.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Instructions that a multiply-add takes with what it needs around it:
/// conversions and addresses.
static constexpr double kInstructionsPerProduct = 1.5;
/// Registers of addresses and loop counters.
static constexpr int64_t kFixedRegisters = 40;
/// Bytes that memory and the caches move together.
static constexpr int64_t kLineBytes = 64;

static double getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return double(tensor.getNumElements()) *
         double(llvm::divideCeil(tensor.getElementTypeBitWidth(), 8));
}

static double getElementBytes(const ViewedTensor &tensor) {
  return tensor.type.getElementTypeBitWidth() / 8;
}

/// Vectors of `together` elements that hold the elements at `i * one + j *
/// other`.
static int64_t countPlaces(int64_t ones, int64_t one, int64_t others,
                           int64_t other, int64_t together) {
  llvm::SmallSet<int64_t, 32> places;
  for (int64_t i = 0; i < ones; ++i)
    for (int64_t j = 0; j < others; ++j)
      places.insert((i * one + j * other) / together);
  return places.size();
}

/// How often shared memory is read, for one time without conflicts: lanes have
/// vectors of neighbouring matrices, of which the next ones are `run` pixels
/// further.
static double countConflicts(const DirectTiling &tiling, int64_t run) {
  constexpr int64_t kLanes = 8; // That read 16 bytes each from all banks.
  const DigitBox &batch = tiling.batch;
  int64_t neighbours =
      batch.getRank() ? batch.getPadded(batch.innermost) / batch.run : 1;
  if (!tiling.isAlongBatch || neighbours >= kLanes)
    return 1;
  return double(std::min(std::gcd(run, kLanes), kLanes / neighbours));
}

namespace {
/// What one step of a workgroup does: boxes of products in registers.
struct StepWork {
  double steps = 1;
  double boxes = 1;    ///< Of products.
  double products = 1; ///< Of a box.
  double vectors = 0;  ///< Read from shared memory for a box.
  /// Of a work-item, as compilers were seen to take for its sums and what it
  /// reads ahead.
  int64_t registers = 0;
};
} // namespace

static double countMatrices(const DirectTiling &tiling) {
  return double(tiling.batch.getPadded(tiling.batch.innermost)) /
         double(tiling.batch.run);
}

/// A box has a run of rows, with all of the innermost digit of the reduction.
static StepWork computeWork(const DirectTiling &tiling) {
  StepWork work;
  size_t firstRow = tiling.batch.getRank();
  size_t firstTap = firstRow + tiling.rows.getRank();
  ArrayRef<int64_t> distances = tiling.lhs.distances;
  int64_t taps = tiling.reduction.digits[tiling.reduction.innermost];
  double columns = double(llvm::product_of(tiling.columns.digits));
  work.boxes = countMatrices(tiling) / double(tiling.rows.run);
  for (size_t d = 0; d < tiling.rows.getRank(); ++d)
    work.boxes *= double(tiling.rows.getPadded(d));
  work.boxes *=
      double(llvm::product_of(tiling.reduction.digits)) / double(taps);
  work.products = double(tiling.batch.run * tiling.rows.run * taps) * columns;
  work.vectors =
      double(countPlaces(tiling.rows.run,
                         distances[firstRow + tiling.rows.innermost], taps,
                         distances[firstTap + tiling.reduction.innermost],
                         tiling.isAlongBatch ? 1 : tiling.rows.run)) +
      double(taps) * columns;
  int64_t sums = tiling.batch.run * tiling.rows.run *
                 llvm::product_of(tiling.columns.digits);
  work.registers = 2 * sums + kFixedRegisters;
  return work;
}

/// A box has a run of the reduction, with all rows and all of the innermost
/// digit of the columns.
static StepWork computeSharedWork(const DirectTiling &tiling) {
  StepWork work;
  size_t firstColumn = tiling.batch.getRank();
  size_t firstTerm = firstColumn + tiling.columns.getRank();
  ArrayRef<int64_t> distances = tiling.rhs.distances;
  int64_t taps = tiling.columns.digits[tiling.columns.innermost];
  int64_t run = tiling.reduction.run;
  int64_t together = tiling.isAlongBatch ? 1 : run;
  double rows = double(llvm::product_of(tiling.rows.digits));
  work.steps = double(tiling.reduction.getNumTiles());
  work.boxes = double(tiling.countSharedBoxes()) *
               double(llvm::product_of(tiling.reduction.sizes)) / double(run);
  work.products = double(tiling.batch.run * run * taps) * rows;
  work.vectors =
      double(countPlaces(
          run, distances[firstTerm + tiling.reduction.innermost], taps,
          distances[firstColumn + tiling.columns.innermost], together)) +
      rows * double(run) / double(together);
  work.vectors *= countConflicts(tiling, run);
  int64_t sums = tiling.batch.run * llvm::product_of(tiling.rows.digits) * taps;
  work.registers = 2 * sums + tiling.batch.run * run + kFixedRegisters;
  return work;
}

/// Adds one product to the cost. Cycles are those of one compute unit.
static void addProduct(const DirectTiling &tiling, const StepWork &work,
                       const ViewedProduct &product,
                       const ::conv::ChipInfo &chip, DirectCost &cost) {
  int64_t workgroups = tiling.batch.getNumTiles() * tiling.rows.getNumTiles();
  cost.sharedBytes = std::max(cost.sharedBytes, tiling.sharedBytes);
  cost.workgroups += workgroups;
  cost.memoryBytes += tiling.lhs.copied * getElementBytes(product.lhs) +
                      tiling.rhs.copied * getElementBytes(product.rhs);
  double runBytes = double(tiling.lhs.run) * getElementBytes(product.lhs);
  cost.linesOfRuns = std::max(cost.linesOfRuns, kLineBytes / runBytes);

  // A work-item that has nothing to do waits for the others.
  double boxes = double(llvm::alignTo(int64_t(work.boxes), cost.workItems));
  double sharedCycles = boxes * work.vectors * ::conv::kPieceBytes /
                        chip.sharedMemoryBytesPerClock;
  double productCycles =
      boxes * work.products * kInstructionsPerProduct / chip.fmaPerClock;
  double copyCycles =
      (double(tiling.lhs.getNumElements()) * getElementBytes(product.lhs) +
       double(tiling.rhs.getNumElements()) * getElementBytes(product.rhs)) /
      ::conv::kLoadBytesPerClock;
  // Copies wait for memory twice: for the operands, and for the barrier.
  double latency = 2 * ::conv::kLoadLatencyNs * chip.clockGHz;

  int64_t subgroups = cost.workItems / chip.subgroupSize;
  int64_t waves = std::clamp<int64_t>(
      chip.registerFilePerLane /
          llvm::alignTo(work.registers, chip.registerGranule),
      1, chip.maxWavesPerSimd);
  int64_t resident = std::max<int64_t>(
      1, std::min(chip.sharedMemoryOfUnit / tiling.sharedBytes,
                  waves * chip.simdsPerComputeUnit / subgroups));
  cost.residentWorkgroups = cost.residentWorkgroups == 0
                                ? resident
                                : std::min(cost.residentWorkgroups, resident);
  int64_t perUnit = llvm::divideCeil(workgroups, chip.computeUnits);
  double rounds = double(llvm::divideCeil(perUnit, resident));
  double stepCycles = copyCycles + std::max(sharedCycles, productCycles);
  double cycles =
      rounds * work.steps * latency +
      double(perUnit) * (::conv::kSetupCycles + work.steps * stepCycles);
  cost.computeSeconds += cycles / (chip.clockGHz * 1e9);
}

DirectPlan DirectPlan::get(ConvolutionOpInterface op,
                           const PlanOptions &options) {
  ConvolutionPlan plan = planConvolution(op, options);
  DirectPlan result{};
  result.launches = plan.steps.size();
  result.hasSingleParts = llvm::all_of(
      plan.steps, [](const PlanStep &step) { return step.parts.size() == 1; });
  for (auto [step, part] : plan.getProducts())
    result.products.push_back(getViewedProduct(op, plan, *step, *part));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    result.intermediateBytes +=
        getBytes(RankedTensorType::get(shape, getAccumulatorType(op)));
  return result;
}

std::optional<DirectCost> mlir::conv::computeDirectCost(
    ConvolutionOpInterface op, const DirectPlan &plan, ScheduleAttr schedule,
    const ::conv::ChipInfo &chip, std::string &obstacle) {
  if (!plan.hasSingleParts) {
    obstacle = "expects kernels of one part for the algorithm direct, but got "
               "a gradient whose residues are parts";
    return std::nullopt;
  }
  DirectCost cost;
  cost.workItems = schedule.getNumSubgroups() * chip.subgroupSize;
  cost.memoryBytes = getBytes(op.getResultType());
  cost.compulsoryBytes = cost.memoryBytes;
  for (Value operand : op->getOperands())
    cost.compulsoryBytes += getBytes(operand.getType());
  for (Value operand : op.getTailOperands())
    cost.memoryBytes += getBytes(operand.getType());
  cost.memoryBytes += 2 * plan.intermediateBytes;
  for (const ViewedProduct &product : plan.products) {
    std::optional<DirectTiling> tiling =
        DirectTiling::compute(schedule, chip, product, obstacle);
    if (!tiling)
      return std::nullopt;
    bool isShared = schedule.getMainLoop() == MainLoop::DirectReduction;
    addProduct(*tiling,
               isShared ? computeSharedWork(*tiling) : computeWork(*tiling),
               product, chip, cost);
  }
  cost.memorySeconds =
      cost.memoryBytes * cost.linesOfRuns / (chip.memoryGBs * 1e9);
  cost.launchSeconds = double(plan.launches - 1) * ::conv::kLaunchSeconds;
  return cost;
}

std::optional<DirectCost>
mlir::conv::computeDirectCost(ConvolutionOpInterface op, ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip,
                              std::string &obstacle) {
  return computeDirectCost(op, DirectPlan::get(op, getPlanOptions(schedule)),
                           schedule, chip, obstacle);
}

DirectCost mlir::conv::predictDirectSchedule(ConvolutionOpInterface op,
                                             ScheduleAttr schedule,
                                             const ::conv::ChipInfo &chip) {
  std::string obstacle;
  return *computeDirectCost(op, schedule, chip, obstacle);
}
