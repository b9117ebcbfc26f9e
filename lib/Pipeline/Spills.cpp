//===- Spills.cpp - schedules whose kernels spill ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches are in the order of the function's convolutions, one launch for each
// step of a plan.
//
//===----------------------------------------------------------------------===//

#include "Spills.h"

#include "conv/Kernels/KernelFamily.h"
#include "conv/Plan/ConvolutionPlan.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Plan/PrepackFilter.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/FormSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

static size_t countLaunches(ConvolutionOpInterface op) {
  size_t launches = 0;
  visitInForm(
      op, op.getScheduleAttr(),
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        launches = llvm::count_if(transforms,
                                  [](Operation *transform) {
                                    return !isPrepacked(transform);
                                  }) +
                   planConvolution(own, getPlanOptions(own.getScheduleAttr()))
                       .steps.size();
      });
  return launches;
}

/// The predicted seconds of a schedule that may give way, on a clocked chip.
/// Elsewhere, it was not measured whether longer kernels are worth the time
/// that their compilation takes.
static double predictOnClock(ConvolutionOpInterface op) {
  ::conv::ChipInfo chip = getDeviceChip(op);
  return chip.isClocked() &&
                 op.getScheduleAttr().getChosenBy() == ChosenBy::Heuristic
             ? predictSeconds(op, op.getScheduleAttr(), chip)
             : 0;
}

std::vector<ChosenSchedule> mlir::conv::listSchedules(func::FuncOp function) {
  std::vector<ChosenSchedule> schedules;
  size_t launchesBefore = 0;
  for (Operation &operation : function.getOps()) {
    auto op = dyn_cast<ConvolutionOpInterface>(operation);
    if (!op) {
      launchesBefore += isa<linalg::GenericOp, tensor::ConcatOp>(operation);
      continue;
    }
    ScheduleAttr schedule = op.getScheduleAttr();
    std::string text;
    llvm::raw_string_ostream(text) << schedule;
    schedules.push_back({text, schedule.getChosenBy() == ChosenBy::Heuristic,
                         getKernelFamily(schedule).countStepElements(schedule),
                         predictOnClock(op), countLaunches(op),
                         std::exchange(launchesBefore, 0)});
  }
  return schedules;
}

std::vector<Spill>
mlir::conv::findSpills(const artifact::Entry &entry,
                       const std::vector<ChosenSchedule> &schedules) {
  std::vector<Spill> spills;
  ArrayRef<artifact::Launch> rest = entry.launches;
  for (const ChosenSchedule &schedule : schedules) {
    rest = rest.drop_front(std::min(schedule.launchesBefore, rest.size()));
    size_t count = std::min(schedule.launches, rest.size());
    for (const artifact::Launch &launch : rest.take_front(count))
      if (launch.resources.spills != 0 || launch.resources.scratchBytes != 0)
        spills.push_back({schedule, launch.resources});
    rest = rest.drop_front(count);
  }
  return spills;
}

int64_t mlir::conv::countSpills(const std::vector<Spill> &spills) {
  int64_t count = 0;
  for (const Spill &spill : spills)
    count += spill.resources.spills + spill.resources.scratchBytes;
  return count;
}

std::string mlir::conv::describe(const Spill &spill) {
  return std::to_string(spill.resources.spills) + " spilled registers, " +
         std::to_string(spill.resources.scratchBytes) +
         " bytes of scratch memory";
}
