//===- ExplainText.cpp - why a schedule was chosen, for people ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Explain.h"

#include "Explanation.h"
#include "FormatNumbers.h"
#include "PlanList.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

static std::string formatTile(const std::array<int64_t, 2> &tile) {
  return formatv("{0} x {1}", tile[0], tile[1]).str();
}

static std::string formatAtom(const ::conv::MatrixAtom &atom) {
  StringRef kind = stringifyAtomKind(atom.kind);
  return formatv("{0} {1} x {2} x {3}", kind, atom.m, atom.n, atom.k).str();
}

/// For example "4 x 4".
static std::string formatOutputTile(ArrayRef<int64_t> tile) {
  std::string text;
  for (int64_t size : tile)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// The number of products, or nothing if there is only one.
static std::string formatMatrices(const ::conv::Problem &problem) {
  std::string text;
  if (problem.products > 1)
    text += formatv("{0} products of ", problem.products);
  if (problem.batch > 1)
    text += formatv("{0} matrices of ", problem.batch);
  return text;
}

/// Prints the problem, the target, and the products of the algorithms.
static void printProblem(ConvolutionOpInterface op,
                         const ::conv::ChipInfo &chip,
                         const ::conv::Problem &problem, raw_ostream &os) {
  os << "problem     " << formatProblem(op) << "\n"
     << "target      " << chip.name << " (" << chip.product << ")\n"
     << "as a GEMM   " << formatMatrices(problem) << problem.rows << " x "
     << problem.columns << ", reduced over " << problem.reduction << "\n";
}

static void printWork(const Explanation &all, raw_ostream &os) {
  const ::conv::Problem &problem = all.problem;
  os << "work        " << formatScaled(problem.usefulFlops, "flop") << ", "
     << formatScaled(problem.compulsoryBytes(), "B") << " compulsory: "
     << formatv("{0:F1} flop/B, the chip balances at {1:F1}\n",
                problem.intensity(), all.balance);
}

/// The number of workgroups that share a tile, or nothing if it is one.
static std::string formatCluster(const ::conv::Candidate &candidate) {
  return candidate.cluster > 1
             ? formatv(" in clusters of {0}", candidate.cluster).str()
             : "";
}

/// The workgroups of the last round, a line of its own, or nothing if none take
/// turns.
static std::string formatLastRound(const Explanation &all) {
  int64_t inLastRound = all.candidate.lastRound;
  return inLastRound > 0 ? formatv("last round  {0} workgroups, which take "
                                   "turns to end together\n",
                                   inLastRound)
                               .str()
                         : "";
}

/// Tiles, and the cycles of a step, of a kernel on a GPU.
static void printGrid(const Explanation &all, raw_ostream &os) {
  const ::conv::Cost &cost = all.cost;
  os << formatv(
            "grid        {0} workgroups{1} of {2} work-items on {3} compute "
            "units: {4:P0} of them busy, {5:P0} of the products needed\n",
            cost.workgroups, formatCluster(all.candidate), cost.workItems,
            all.chip.computeUnits, cost.waveEfficiency, cost.tileEfficiency)
     << formatLastRound(all)
     << formatv("occupancy   {0:F1} waves per SIMD unit: {1} registers ({2} "
                "accumulators, {3} staging, {4} fragments, {5} addresses), "
                "{6} bytes of shared memory\n",
                cost.wavesPerSimd, cost.registers.total(),
                cost.registers.accumulators, cost.registers.staging,
                cost.registers.fragments, cost.registers.addresses,
                cost.sharedBytes)
     << formatv("main loop   {0} steps of {1:F0} cycles: matrix units {2:F0}, "
                "shared memory {3:F0}, loads {4:F0}\n",
                cost.steps, cost.stepCycles, cost.matrixCycles,
                cost.sharedCycles, cost.loadCycles);
}

/// The same on a processor, where a thread computes a tile.
static void printTiles(const Explanation &all, raw_ostream &os) {
  const ::conv::Cost &cost = all.cost;
  os << formatv(
            "tiles       {0} on {1} threads: {2:P0} of them busy, {3:P0} of "
            "the products needed, {4} bytes of scratch memory each\n",
            cost.workgroups, all.chip.computeUnits, cost.waveEfficiency,
            cost.tileEfficiency, cost.sharedBytes)
     << formatv("main loop   {0} steps of {1:F0} cycles: products {2:F0}, "
                "copies {3:F0}\n",
                cost.steps, cost.stepCycles, cost.matrixCycles,
                cost.loadCycles);
}

/// What limits a kernel, in the words of its chip.
static StringRef getLimit(const Explanation &all, ::conv::Limit limit) {
  if (!all.chip.isProcessor() || limit == ::conv::Limit::Memory)
    return ::conv::getName(limit);
  return limit == ::conv::Limit::Loads ? "copies" : "products";
}

/// `schedule` is the original's; `all` explains the convolution in its form.
static void printDecision(const Explanation &all, ScheduleAttr schedule,
                          raw_ostream &os) {
  const ::conv::Cost &cost = all.cost;
  os << "schedule    " << schedule << "\n"
     << "chosen by   " << stringifyChosenBy(all.schedule.getChosenBy())
     << formatv(", {0} candidates were valid and {1} rejected\n",
                all.ranking.accepted.size(), all.ranking.rejected.size());
  if (all.chip.isProcessor())
    printTiles(all, os);
  else
    printGrid(all, os);
  os << "predicted   " << formatMicroseconds(cost.seconds) << " (compute "
     << formatMicroseconds(cost.computeSeconds) << ", memory "
     << formatMicroseconds(cost.memorySeconds) << "), limited by "
     << getLimit(all, cost.limit) << ": "
     << formatScaled(all.problem.usefulFlops / cost.seconds, "flop/s")
     << formatv(", {0:P0} of the atom's peak\n",
                all.problem.usefulFlops / cost.seconds / all.peakFlops);
}

static void printCandidates(const Explanation &all, raw_ostream &os) {
  os << "\nbest candidates\n  "
     << formatv("{0,10}  {1,-16}  {2,-10}  {3,-10}  {4,6}  {5,-17}  {6,9}\n",
                "us", "limited by", "workgroup", "subgroup", "gemm_k", "atom",
                "registers");
  for (const ::conv::RankedCandidate &ranked :
       ArrayRef(all.ranking.accepted).take_front(kListedCandidates)) {
    const ::conv::Candidate &one = ranked.candidate;
    os << formatv("  {0,10:F1}  {1,-16}  {2,-10}  {3,-10}  {4,6}  {5,-17}  "
                  "{6,9}{7}\n",
                  ranked.cost.seconds * 1e6, getLimit(all, ranked.cost.limit),
                  formatTile(one.workgroup), formatTile(one.subgroup),
                  one.gemmK, formatAtom(*one.atom),
                  ranked.cost.registers.total(), formatCluster(one));
  }
}

static void printRejected(const Explanation &all, raw_ostream &os) {
  if (all.rejected.empty())
    return;
  os << "\nrejected\n";
  for (const auto &[reason, group] : all.rejected)
    os << formatv("  {0,10}  {1,-16}  {2,-10}  {3,-10}  {4,6}  {5,-17}  {6}\n",
                  group.count, ::conv::getName(reason),
                  formatTile(group.example.workgroup),
                  formatTile(group.example.subgroup), group.example.gemmK,
                  formatAtom(*group.example.atom),
                  formatReason(all, reason, group.example));
}

/// Prints the cost of a convolution whose kernel family has no model.
static void explainListed(ConvolutionOpInterface op, ScheduleAttr schedule,
                          raw_ostream &os) {
  ::conv::ChipInfo chip = getDeviceChip(op);
  ScheduleAttr own = op.getScheduleAttr();
  ::conv::Problem problem = computeProblem(op, getPlanOptions(own));
  ::conv::Cost cost = getKernelFamily(own).predict(op, own, chip);
  printProblem(op, chip, problem, os);
  os << "schedule    " << schedule << "\n"
     << "chosen by   " << stringifyChosenBy(own.getChosenBy()) << "\n"
     << formatv("grid        {0} workgroups of {1} work-items on {2} compute "
                "units\n",
                cost.workgroups, cost.workItems, chip.computeUnits)
     << formatv("occupancy   {0} workgroups of a compute unit: {1} bytes of "
                "shared memory each\n",
                cost.residentWorkgroups, cost.sharedBytes)
     << "traffic     " << formatScaled(cost.memoryBytes, "B") << ", "
     << formatv("{0:F3} times the compulsory ",
                cost.memoryBytes / problem.compulsoryBytes())
     << formatScaled(problem.compulsoryBytes(), "B") << "\n"
     << "predicted   " << formatMicroseconds(cost.seconds) << " (compute "
     << formatMicroseconds(cost.computeSeconds) << ", memory "
     << formatMicroseconds(cost.memorySeconds) << ")\n";
}

/// Prints the kernels before and after the products.
static void printTransforms(ArrayRef<Operation *> transforms, raw_ostream &os) {
  if (transforms.empty())
    return;
  ::conv::ChipInfo chip = getDeviceChip(transforms.front());
  for (Operation *transform : transforms)
    os << "transform   " << transform->getOperand(0).getType() << " to "
       << transform->getResult(0).getType() << ", predicted "
       << formatMicroseconds(predictTransform(transform, chip)) << "\n";
}

/// Prints the cost of a convolution that is already in its schedule's form.
static void explainInForm(ConvolutionOpInterface op, ScheduleAttr schedule,
                          raw_ostream &os) {
  if (!getKernelFamily(op.getScheduleAttr()).hasModel())
    return explainListed(op, schedule, os);
  Explanation all(op);
  printProblem(op, all.chip, all.problem, os);
  printWork(all, os);
  printDecision(all, schedule, os);
  printCandidates(all, os);
  printRejected(all, os);
}

/// For example "compute 1.2 us, memory 0.4 us, transforms 2.0 us".
static std::string formatParts(const PlanChoice &plan) {
  std::string parts =
      "compute " + formatMicroseconds(plan.product.computeSeconds) +
      ", memory " + formatMicroseconds(plan.product.memorySeconds);
  if (plan.transformSeconds > 0)
    parts += ", transforms " + formatMicroseconds(plan.transformSeconds);
  return parts;
}

/// Prints the predicted cost of each family and plan, or why it has none.
static void printPlans(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                       raw_ostream &os) {
  os << "\nfamilies and plans\n";
  for (const PlanChoice &plan : listPlans(op, chip)) {
    std::string time =
        plan.schedule ? formatMicroseconds(plan.seconds()) : std::string("-");
    std::string line = formatv("  {0,12}  {1,-18}", time, plan.name);
    if (plan.schedule)
      line += "  " + formatParts(plan);
    line += "  " + plan.note;
    os << StringRef(line).rtrim() << "\n";
  }
}

void mlir::conv::explainSchedule(ConvolutionOpInterface op, raw_ostream &os) {
  ScheduleAttr schedule = op.getScheduleAttr();
  ::conv::ChipInfo chip = getDeviceChip(op);
  if (schedule.isWinograd())
    os << "winograd    tiles of " << formatOutputTile(schedule.getOutputTile())
       << " results of " << formatProblem(op) << "\n";
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        explainInForm(own, schedule, os);
        printTransforms(transforms, os);
      });
  if (schedule.isWinograd())
    os << "in all      predicted "
       << formatMicroseconds(predictSeconds(op, schedule, chip)) << "\n";
  printPlans(op, chip, os);
}
