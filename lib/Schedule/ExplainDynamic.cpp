//===- ExplainDynamic.cpp - explains dynamic convolutions -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic convolution offers no choice: its blocks determine its kernels. It
// is memory bound, so the bytes moved predict its time.
//
//===----------------------------------------------------------------------===//

#include "FormatNumbers.h"

#include "conv/Dialect/Conv/IR/DynamicProblem.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Plan/DynamicViews.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/Explain.h"
#include "conv/Schedule/FormSpace.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

namespace {
/// What a memory-bound op is predicted to take.
struct MemoryBound {
  double launches, memory; ///< Seconds.

  double seconds() const { return launches + memory; }
};
} // namespace

/// Why there is no prediction before run-time sizes are known.
static constexpr StringLiteral kSizesAreOpen = "sizes are chosen with each run";

static double predictMemory(double bytes, const ::conv::ChipInfo &chip) {
  return bytes /
         (chip.calibration->transform.efficiency * chip.memoryGBs * 1e9);
}

static void printPrediction(const MemoryBound &predicted, raw_ostream &os) {
  os << "predicted   " << formatMicroseconds(predicted.seconds())
     << " (launches " << formatMicroseconds(predicted.launches) << ", memory "
     << formatMicroseconds(predicted.memory) << "), limited by "
     << (predicted.memory > predicted.launches ? "memory" : "launches") << "\n";
}

static llvm::json::Object toJson(const MemoryBound &predicted,
                                 double workspaceBytes) {
  return llvm::json::Object{{"seconds", predicted.seconds()},
                            {"launch_seconds", predicted.launches},
                            {"memory_seconds", predicted.memory},
                            {"workspace_bytes", workspaceBytes}};
}

/// The plan of all memory-bound ops, and why families of matrix products have
/// none.
static constexpr StringLiteral kPlan = "element by element",
                               kNoProduct = "the op is no product of matrices";

/// Prints the same table as for other convolutions. No prediction: sizes are
/// open.
static void printPlans(std::optional<MemoryBound> predicted, raw_ostream &os) {
  auto print = [&](const std::string &time, StringRef name, StringRef note) {
    os << formatv("  {0,12}  {1,-18}  {2}\n", time, name, note);
  };
  os << "\nfamilies and plans\n";
  print(predicted ? formatMicroseconds(predicted->seconds()) : "-", kPlan,
        predicted ? "launches " + formatMicroseconds(predicted->launches) +
                        ", memory " + formatMicroseconds(predicted->memory)
                  : kSizesAreOpen.str());
  for (const KernelFamily *family : getKernelFamilies())
    for (StringRef name : family->getLoopNames())
      print("-", name, kNoProduct);
}

static llvm::json::Array plansToJson(std::optional<MemoryBound> predicted) {
  llvm::json::Object own{{"name", kPlan}};
  if (predicted) {
    own["seconds"] = predicted->seconds();
    own["launch_seconds"] = predicted->launches;
    own["memory_seconds"] = predicted->memory;
  } else {
    own["note"] = kSizesAreOpen;
  }
  llvm::json::Array all{std::move(own)};
  for (const KernelFamily *family : getKernelFamilies())
    for (StringRef name : family->getLoopNames())
      all.push_back(llvm::json::Object{{"name", name}, {"note", kNoProduct}});
  return all;
}

static double countBytes(Type type) {
  return double(computeBytes(cast<ShapedType>(type)));
}

namespace {
/// All facts about one dynamic convolution.
struct DynamicExplanation {
  explicit DynamicExplanation(DynamicOpInterface op);

  DynamicOpInterface op;
  ::conv::ChipInfo chip;
  /// Counts of a work-item; 0 if one kernel has a loop instead of blocks.
  int64_t positions = 0, elements = 0;
  int64_t sums = 1; ///< Partial sums per group.
  int64_t kernels = 1;
  double flops, compulsoryBytes = 0, workspaceBytes = 0;
  MemoryBound predicted;

private:
  void countBlocks();
};
} // namespace

DynamicExplanation::DynamicExplanation(DynamicOpInterface op)
    : op(op), chip(getDeviceChip(op)) {
  DynamicShape shape = op.getShape();
  flops =
      2 * double(shape.b) * double(shape.t) * double(shape.d) * double(shape.w);
  for (Type type : op->getOperandTypes())
    compulsoryBytes += countBytes(type);
  compulsoryBytes += countBytes(op.getResultType());
  if (!op.hasTokenKernel())
    countBlocks();
  // The workspace is written once and read once.
  predicted.memory = predictMemory(compulsoryBytes + 2 * workspaceBytes, chip);
  predicted.launches =
      predictTransform(op, chip) - predictMemory(compulsoryBytes, chip) +
      double(kernels - 1) * chip.calibration->launch.launchSeconds;
}

void DynamicExplanation::countBlocks() {
  DynamicShape shape = op.getShape();
  auto blocks = DynamicBlocks::compute(op);
  DynamicViews views(op, blocks);
  positions = blocks.positions;
  elements = blocks.elements;
  if (op.getCuSeqlens()) {
    ++kernels;
    workspaceBytes += views.countedBits() / 8.0 * double(views.countTokens());
  }
  if (op.getDirection() == Direction::BackwardWeight &&
      shape.perGroup() > kMostMembers) {
    ++kernels;
    sums = shape.perGroup() / computeMembersOfSum(shape.perGroup());
    workspaceBytes +=
        4 * double(sums) * double(op.getResultType().getNumElements());
  }
}

/// Prints what each kernel does, in launch order.
static void printKernels(const DynamicExplanation &all, raw_ostream &os) {
  DynamicOpInterface op = all.op;
  if (op.hasTokenKernel()) {
    os << "kernel      one, "
       << (normalizesManyKernels(op)
               ? "with a loop over the kernels of the tokens\n"
               : "which finds the states of sequences\n");
    return;
  }
  if (op.getCuSeqlens())
    os << "kernel      bisects " << op.getCuSeqlens().getType().getNumElements()
       << " starts for each token\n";
  int64_t seen = all.positions + op.getShape().w - 1;
  os << "kernel      a work-item has " << all.positions << " positions of "
     << all.elements
     << (op.getDirection() == Direction::BackwardWeight ? " groups"
                                                        : " channels")
     << ", which see " << seen << " tokens\n";
  if (all.sums > 1)
    os << "kernel      adds " << all.sums << " partial sums of each group\n";
}

/// For example "B from 1 to 2147483647".
static std::string describeSize(const RunTimeSizes::Size &size) {
  return size.name + " from " + std::to_string(size.least) + " to " +
         std::to_string(size.most);
}

/// Prints what is known of a kernel before its run-time sizes are.
static void explainSizes(Operation *op, StringRef problem, raw_ostream &os) {
  ::conv::ChipInfo chip = getDeviceChip(op);
  os << "problem     " << problem << "\n"
     << "target      " << chip.name << " (" << chip.product << ")\n";
  RunTimeSizes sizes(op);
  os << "sizes       ";
  llvm::interleaveComma(
      sizes.getSizes(), os,
      [&](const RunTimeSizes::Size &size) { os << describeSize(size); });
  os << ", chosen with each run\n"
     << "kernel      one, whatever the sizes are\n"
     << "predicted   nothing: " << kSizesAreOpen << "\n";
  printPlans(std::nullopt, os);
}

static llvm::json::Object explainSizesAsJson(Operation *op,
                                             std::string problem) {
  llvm::json::Array sizes;
  RunTimeSizes all(op);
  for (const RunTimeSizes::Size &size : all.getSizes())
    sizes.push_back(llvm::json::Object{
        {"name", size.name}, {"least", size.least}, {"most", size.most}});
  return llvm::json::Object{
      {"problem", std::move(problem)},
      {"target", std::string(TargetAttr::lookup(op).getInfo().name)},
      {"sizes", std::move(sizes)},
      {"chosen_by", stringifyChosenBy(ChosenBy::Heuristic).str()},
      {"kernels", 1},
      {"note", kSizesAreOpen},
      {"plans", plansToJson(std::nullopt)}};
}

void mlir::conv::explainDynamic(DynamicOpInterface op, raw_ostream &os) {
  if (hasRunTimeSizes(op))
    return explainSizes(op, formatProblem(op), os);
  DynamicExplanation all(op);
  os << "problem     " << formatProblem(op) << "\n"
     << "target      " << all.chip.name << " (" << all.chip.product << ")\n"
     << "work        " << formatScaled(all.flops, "flop") << ", "
     << formatScaled(all.compulsoryBytes, "B") << " compulsory, "
     << formatScaled(all.workspaceBytes, "B") << " in the workspace\n";
  printKernels(all, os);
  printPrediction(all.predicted, os);
  printPlans(all.predicted, os);
}

llvm::json::Object mlir::conv::explainDynamicAsJson(DynamicOpInterface op) {
  if (hasRunTimeSizes(op))
    return explainSizesAsJson(op, formatProblem(op));
  DynamicExplanation all(op);
  return llvm::json::Object{
      {"problem", formatProblem(op)},
      {"target", std::string(all.chip.name)},
      {"compute_units", all.chip.computeUnits},
      {"flops", all.flops},
      {"compulsory_bytes", all.compulsoryBytes},
      {"chosen_by", stringifyChosenBy(ChosenBy::Heuristic).str()},
      {"kernels", all.kernels},
      {"predicted", toJson(all.predicted, all.workspaceBytes)},
      {"plans", plansToJson(all.predicted)}};
}

//===----------------------------------------------------------------------===//
// Ops on states
//===----------------------------------------------------------------------===//

/// The bytes that the kernel moves if every sequence has a state. An update
/// reads and writes as many states of a cache as there are sequences.
static double countStateBytes(StateOpInterface op) {
  double bytes = 0;
  OpOperand *updated = op.getUpdatedOperand();
  for (OpOperand &operand : op->getOpOperands())
    if (&operand != updated)
      bytes += countBytes(operand.get().getType());
  for (OpResult result : op->getResults())
    if (!updated || result.getResultNumber() + 1 < op->getNumResults())
      bytes += countBytes(result.getType());
  if (auto update = dyn_cast<CausalUpdateOp>(*op)) {
    UpdateShape shape = update.getShape();
    double used =
        double(std::min(shape.b, shape.states)) / double(shape.states);
    bytes += 2 * used * countBytes(update.getState().getType());
  } else if (auto state = dyn_cast<FinalStateOp>(*op)) {
    // Only the last tokens are read.
    auto result = cast<RankedTensorType>(state.getResult().getType());
    double moved = double(state.countSequences()) *
                   double(result.getDimSize(1)) * double(result.getDimSize(2)) *
                   double(getElementBytes(result));
    bytes = 2 * moved;
  }
  return bytes;
}

static MemoryBound predictState(StateOpInterface op,
                                const ::conv::ChipInfo &chip) {
  return {chip.calibration->launch.launchSeconds,
          predictMemory(countStateBytes(op), chip)};
}

void mlir::conv::explainState(StateOpInterface op, raw_ostream &os) {
  if (hasRunTimeSizes(op))
    return explainSizes(op, op.formatProblem(), os);
  ::conv::ChipInfo chip = getDeviceChip(op);
  os << "problem     " << op.formatProblem() << "\n"
     << "target      " << chip.name << " (" << chip.product << ")\n"
     << "work        " << formatScaled(countStateBytes(op), "B")
     << " in one kernel\n";
  printPrediction(predictState(op, chip), os);
  printPlans(predictState(op, chip), os);
}

llvm::json::Object mlir::conv::explainStateAsJson(StateOpInterface op) {
  if (hasRunTimeSizes(op))
    return explainSizesAsJson(op, op.formatProblem());
  ::conv::ChipInfo chip = getDeviceChip(op);
  return llvm::json::Object{
      {"problem", op.formatProblem()},
      {"target", std::string(chip.name)},
      {"compute_units", chip.computeUnits},
      {"compulsory_bytes", countStateBytes(op)},
      {"chosen_by", stringifyChosenBy(ChosenBy::Heuristic).str()},
      {"kernels", 1},
      {"predicted", toJson(predictState(op, chip), /*workspaceBytes=*/0)},
      {"plans", plansToJson(predictState(op, chip))}};
}
