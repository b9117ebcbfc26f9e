//===- ExplainJson.cpp - why a schedule was chosen, for programs ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "PlanList.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/Explain.h"
#include "conv/Schedule/FormSpace.h"

using namespace mlir;
using namespace mlir::conv;

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

/// The cost of a convolution whose kernel family has no model.
static llvm::json::Object explainListedAsJson(ConvolutionOpInterface op) {
  ::conv::ChipInfo chip = getDeviceChip(op);
  ScheduleAttr schedule = op.getScheduleAttr();
  ::conv::Problem problem = computeProblem(op, getPlanOptions(schedule));
  ::conv::Cost cost = getKernelFamily(schedule).predict(op, schedule, chip);
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

/// The cost of a convolution that is already in its schedule's form.
static llvm::json::Object explainInFormAsJson(ConvolutionOpInterface op) {
  if (!getKernelFamily(op.getScheduleAttr()).hasModel())
    return explainListedAsJson(op);
  Explanation all(op);
  llvm::json::Array candidates, rejected;
  for (const ::conv::RankedCandidate &ranked :
       ArrayRef(all.ranking.accepted).take_front(kListedCandidates))
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
  for (const PlanChoice &plan : listPlans(op, getDeviceChip(op))) {
    llvm::json::Object one{{"name", plan.name}};
    if (plan.schedule) {
      one["schedule"] = printToString(plan.schedule);
      one["seconds"] = plan.seconds();
      one["compute_seconds"] = plan.product.computeSeconds;
      one["memory_seconds"] = plan.product.memorySeconds;
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
        ::conv::ChipInfo chip = getDeviceChip(op);
        for (Operation *transform : transforms)
          all.push_back(llvm::json::Object{
              {"source", printToString(TypeAttr::get(
                             transform->getOperand(0).getType()))},
              {"result",
               printToString(TypeAttr::get(transform->getResult(0).getType()))},
              {"seconds", predictTransform(transform, chip)}});
        if (!all.empty())
          json["transforms"] = std::move(all);
      });
  if (schedule.isWinograd()) {
    // The prediction for the products is already there.
    json["products"] = std::move(json["problem"]);
    json["problem"] = formatProblem(op);
    json["schedule"] = printToString(schedule);
  }
  json["plans"] = plansToJson(op);
  json["seconds"] = predictSeconds(op, schedule, getDeviceChip(op));
  return json;
}
