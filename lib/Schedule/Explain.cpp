//===- Explain.cpp - why a schedule was chosen ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the facts once and writes them as text or as JSON. Everything comes
// from the cost model; nothing here decides.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Explain.h"

#include "FormatNumbers.h"
#include "PlanList.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Kernels/Parts/StagedModel.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Candidates that are listed.
static constexpr size_t kListed = 5;

namespace {

/// Candidates that one rule ruled out.
struct RejectedGroup {
  int64_t count = 0;
  ::conv::Candidate example;
};

/// All facts about one decision.
struct Explanation {
  explicit Explanation(ConvolutionOpInterface op);

  ConvolutionOpInterface op;
  const ::conv::ChipInfo &chip;
  ::conv::Problem problem;
  ScheduleAttr schedule;
  ::conv::Candidate candidate;
  ::conv::Cost cost;
  ::conv::Ranking ranking;
  std::map<::conv::Rejection, RejectedGroup> rejected;
  double peakFlops, balance; ///< Of the chip; flops per byte where they meet.
};

} // namespace

Explanation::Explanation(ConvolutionOpInterface op)
    : op(op), chip(TargetAttr::lookup(op).getInfo()),
      problem(computeProblem(op, getPlanOptions(op.getScheduleAttr()))),
      schedule(op.getScheduleAttr()),
      candidate(getCandidate(schedule, chip, getOperandElementType(op))),
      cost(::conv::computeCost(problem, chip, candidate)),
      ranking(::conv::rankCandidates(problem, chip)),
      peakFlops(::conv::peakFlops(chip, *candidate.atom)),
      balance(peakFlops / (chip.memoryGBs * 1e9)) {
  for (const ::conv::RejectedCandidate &one : ranking.rejected) {
    RejectedGroup &group = rejected[one.reason];
    if (group.count++ == 0)
      group.example = one.candidate;
  }
}

static std::string formatTile(const std::array<int64_t, 2> &tile) {
  return formatv("{0} x {1}", tile[0], tile[1]).str();
}

static std::string formatAtom(const ::conv::MatrixAtom &atom) {
  StringRef kind = stringifyAtomKind(atom.kind);
  return formatv("{0} {1} x {2} x {3}", kind, atom.m, atom.n, atom.k).str();
}

/// "4 x 4".
static std::string formatOutputTile(ArrayRef<int64_t> tile) {
  std::string text;
  for (int64_t size : tile)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// What one candidate needs and the chip has, for the rule that it breaks.
static std::string formatReason(const Explanation &all,
                                ::conv::Rejection reason,
                                const ::conv::Candidate &candidate) {
  int64_t workItems = ::conv::getKernelModel(candidate.loop)
                          .countWorkItems(all.chip, candidate);
  switch (reason) {
  case ::conv::Rejection::SharedMemory:
    return formatv("{0} bytes of {1}", ::conv::computeSharedBytes(candidate),
                   all.chip.sharedMemoryBytes);
  case ::conv::Rejection::WorkgroupSize:
    return formatv("{0} work-items of {1}", workItems,
                   all.chip.maxWorkgroupSize);
  case ::conv::Rejection::UnevenCopy:
    return formatv("{0} work-items", workItems);
  case ::conv::Rejection::Registers:
    return formatv(
        "up to {0} registers of {1}",
        ::conv::computeNeededRegisters(
            ::conv::computeRegisters(all.problem, all.chip, candidate)),
        ::conv::computeAvailableRegisters(all.chip, candidate.subgroups()));
  case ::conv::Rejection::LaunchSize:
    return formatv("more than {0} workgroups",
                   ::conv::computeMaxWorkgroups(workItems));
  case ::conv::Rejection::None:
    break;
  }
  return "";
}

/// How many products there are, or nothing if it is one.
static std::string formatMatrices(const ::conv::Problem &problem) {
  std::string text;
  if (problem.products > 1)
    text += formatv("{0} products of ", problem.products);
  if (problem.batch > 1)
    text += formatv("{0} matrices of ", problem.batch);
  return text;
}

/// The problem, the target, and the products that the algorithms compute.
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

/// How many workgroups share a tile, or nothing if it is one.
static std::string formatCluster(const ::conv::Candidate &candidate) {
  return candidate.cluster > 1
             ? formatv(" in clusters of {0}", candidate.cluster).str()
             : "";
}

/// `schedule` is that of the convolution whose form this is.
static void printDecision(const Explanation &all, ScheduleAttr schedule,
                          raw_ostream &os) {
  const ::conv::Cost &cost = all.cost;
  os << "schedule    " << schedule << "\n"
     << "chosen by   " << stringifyChosenBy(all.schedule.getChosenBy())
     << formatv(", {0} candidates were valid and {1} rejected\n",
                all.ranking.accepted.size(), all.ranking.rejected.size())
     << formatv(
            "grid        {0} workgroups{1} of {2} work-items on {3} compute "
            "units: {4:P0} of them busy, {5:P0} of the products needed\n",
            cost.workgroups, formatCluster(all.candidate), cost.workItems,
            all.chip.computeUnits, cost.waveEfficiency, cost.tileEfficiency)
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
                cost.sharedCycles, cost.loadCycles)
     << "predicted   " << formatMicroseconds(cost.seconds) << " (compute "
     << formatMicroseconds(cost.computeSeconds) << ", memory "
     << formatMicroseconds(cost.memorySeconds) << "), limited by "
     << ::conv::getName(cost.limit) << ": "
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
       ArrayRef(all.ranking.accepted).take_front(kListed)) {
    const ::conv::Candidate &one = ranked.candidate;
    os << formatv("  {0,10:F1}  {1,-16}  {2,-10}  {3,-10}  {4,6}  {5,-17}  "
                  "{6,9}{7}\n",
                  ranked.cost.seconds * 1e6, ::conv::getName(ranked.cost.limit),
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

/// The same of a family without a model of candidates.
static void explainListed(ConvolutionOpInterface op, ScheduleAttr schedule,
                          raw_ostream &os) {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  ScheduleAttr own = op.getScheduleAttr();
  ::conv::Problem problem = computeProblem(op, getPlanOptions(own));
  ::conv::Cost cost = getKernelFamily(own.getMainLoop()).predict(op, own, chip);
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

/// The kernels in front of products and behind them.
static void printTransforms(ArrayRef<Operation *> transforms, raw_ostream &os) {
  for (Operation *transform : transforms) {
    const ::conv::ChipInfo &chip = TargetAttr::lookup(transform).getInfo();
    os << "transform   " << transform->getOperand(0).getType() << " to "
       << transform->getResult(0).getType() << ", predicted "
       << formatMicroseconds(predictTransform(transform, chip)) << "\n";
  }
}

/// What a convolution that has the form of its schedule takes.
static void explainInForm(ConvolutionOpInterface op, ScheduleAttr schedule,
                          raw_ostream &os) {
  if (!getKernelFamily(op.getScheduleAttr().getMainLoop()).hasModel())
    return explainListed(op, schedule, os);
  Explanation all(op);
  printProblem(op, all.chip, all.problem, os);
  printWork(all, os);
  printDecision(all, schedule, os);
  printCandidates(all, os);
  printRejected(all, os);
}

/// What each family and plan would take, or why it has nothing.
static void printPlans(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                       raw_ostream &os) {
  os << "\nfamilies and plans\n";
  for (const PlanChoice &plan : listPlans(op, chip)) {
    std::string time =
        plan.schedule ? formatMicroseconds(plan.seconds) : std::string("-");
    std::string line = formatv("  {0,12}  {1,-18}", time, plan.name);
    if (plan.transformSeconds > 0)
      line += "  " + formatMicroseconds(plan.transformSeconds) +
              " of it in transforms";
    line += "  " + plan.note;
    os << StringRef(line).rtrim() << "\n";
  }
}

void mlir::conv::explainSchedule(ConvolutionOpInterface op, raw_ostream &os) {
  ScheduleAttr schedule = op.getScheduleAttr();
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
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

static std::string printToString(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

static llvm::json::Value toJson(const Explanation &all,
                                const ::conv::Candidate &candidate,
                                const ::conv::Cost &cost) {
  Attribute schedule =
      getSchedule(all.schedule.getContext(), candidate,
                  getPlanOptions(all.schedule), all.chip, ChosenBy::Heuristic);
  return llvm::json::Object{{"schedule", printToString(schedule)},
                            {"seconds", cost.seconds},
                            {"limit", std::string(::conv::getName(cost.limit))},
                            {"registers", cost.registers.total()},
                            {"waves_per_simd", cost.wavesPerSimd}};
}

static llvm::json::Value predictionToJson(const Explanation &all) {
  const ::conv::Cost &cost = all.cost;
  return llvm::json::Object{
      {"seconds", cost.seconds},
      {"compute_seconds", cost.computeSeconds},
      {"memory_seconds", cost.memorySeconds},
      {"limit", std::string(::conv::getName(cost.limit))},
      {"workgroups", cost.workgroups},
      {"wave_efficiency", cost.waveEfficiency},
      {"tile_efficiency", cost.tileEfficiency},
      {"waves_per_simd", cost.wavesPerSimd},
      {"registers", cost.registers.total()},
      {"shared_bytes", cost.sharedBytes},
      {"steps", cost.steps},
      {"step_cycles", cost.stepCycles},
      {"matrix_cycles", cost.matrixCycles},
      {"shared_cycles", cost.sharedCycles},
      {"load_cycles", cost.loadCycles},
      {"memory_bytes", cost.memoryBytes},
  };
}

/// The same of a family without a model of candidates.
static llvm::json::Object explainListedAsJson(ConvolutionOpInterface op) {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  ScheduleAttr schedule = op.getScheduleAttr();
  ::conv::Problem problem = computeProblem(op, getPlanOptions(schedule));
  ::conv::Cost cost =
      getKernelFamily(schedule.getMainLoop()).predict(op, schedule, chip);
  return llvm::json::Object{
      {"problem", formatProblem(op)},
      {"target", std::string(chip.name)},
      {"compute_units", chip.computeUnits},
      {"flops", problem.usefulFlops},
      {"compulsory_bytes", problem.compulsoryBytes()},
      {"schedule", printToString(schedule)},
      {"chosen_by", stringifyChosenBy(schedule.getChosenBy()).str()},
      {"predicted", llvm::json::Object{{"seconds", cost.seconds},
                                       {"compute_seconds", cost.computeSeconds},
                                       {"memory_seconds", cost.memorySeconds},
                                       {"workgroups", cost.workgroups},
                                       {"shared_bytes", cost.sharedBytes},
                                       {"memory_bytes", cost.memoryBytes}}}};
}

/// What a convolution that has the form of its schedule takes.
static llvm::json::Object explainInFormAsJson(ConvolutionOpInterface op) {
  if (!getKernelFamily(op.getScheduleAttr().getMainLoop()).hasModel())
    return explainListedAsJson(op);
  Explanation all(op);
  llvm::json::Array candidates, rejected;
  for (const ::conv::RankedCandidate &ranked :
       ArrayRef(all.ranking.accepted).take_front(kListed))
    candidates.push_back(toJson(all, ranked.candidate, ranked.cost));
  for (const auto &[reason, group] : all.rejected)
    rejected.push_back(llvm::json::Object{
        {"reason", std::string(::conv::getName(reason))},
        {"candidates", group.count},
        {"example", formatReason(all, reason, group.example)}});
  return llvm::json::Object{
      {"problem", formatProblem(op)},
      {"target", std::string(all.chip.name)},
      {"compute_units", all.chip.computeUnits},
      {"flops", all.problem.usefulFlops},
      {"compulsory_bytes", all.problem.compulsoryBytes()},
      {"intensity", all.problem.intensity()},
      {"chip_balance", all.balance},
      {"schedule", printToString(all.schedule)},
      {"chosen_by", stringifyChosenBy(all.schedule.getChosenBy()).str()},
      {"predicted", predictionToJson(all)},
      {"candidates", std::move(candidates)},
      {"rejected", std::move(rejected)},
  };
}

static llvm::json::Value plansToJson(ConvolutionOpInterface op) {
  llvm::json::Array all;
  for (const PlanChoice &plan :
       listPlans(op, TargetAttr::lookup(op).getInfo())) {
    llvm::json::Object one{{"name", plan.name}};
    if (plan.schedule) {
      one["schedule"] = printToString(plan.schedule);
      one["seconds"] = plan.seconds;
      one["transform_seconds"] = plan.transformSeconds;
    }
    if (!plan.note.empty())
      one["note"] = plan.note;
    all.push_back(std::move(one));
  }
  return all;
}

llvm::json::Object
mlir::conv::explainScheduleAsJson(ConvolutionOpInterface op) {
  llvm::json::Object json;
  ScheduleAttr schedule = op.getScheduleAttr();
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        json = explainInFormAsJson(own);
        llvm::json::Array all;
        for (Operation *transform : transforms)
          all.push_back(llvm::json::Object{
              {"source", printToString(TypeAttr::get(
                             transform->getOperand(0).getType()))},
              {"result",
               printToString(TypeAttr::get(transform->getResult(0).getType()))},
              {"seconds",
               predictTransform(transform,
                                TargetAttr::lookup(transform).getInfo())}});
        if (!all.empty())
          json["transforms"] = std::move(all);
      });
  if (schedule.isWinograd()) {
    // What is predicted of the products is there already.
    json["products"] = std::move(json["problem"]);
    json["problem"] = formatProblem(op);
    json["schedule"] = printToString(schedule);
  }
  json["plans"] = plansToJson(op);
  json["seconds"] =
      predictSeconds(op, schedule, TargetAttr::lookup(op).getInfo());
  return json;
}
