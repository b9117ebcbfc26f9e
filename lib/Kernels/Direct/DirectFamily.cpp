//===- DirectFamily.cpp - small groups, computed directly -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "DirectBody.h"
#include "DirectModel.h"
#include "DirectSchedule.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectFamily final : public KernelFamily {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<DirectAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    auto names = llvm::make_second_range(::conv::kDirectLoops);
    return {names.begin(), names.end()};
  }

  std::vector<PredictedSchedule>
  listSchedules(ConvolutionOpInterface op,
                const ::conv::ChipInfo &chip) const override {
    auto ranked = rankDirectSchedules(op, chip);
    auto *schedules = std::get_if<std::vector<PredictedSchedule>>(&ranked);
    return schedules ? std::move(*schedules) : std::vector<PredictedSchedule>();
  }

  bool isFirst(const ::conv::ChipInfo &chip) const override {
    return !chip.calibration->direct.isCompared;
  }

  ::conv::Cost predict(ConvolutionOpInterface op, ScheduleAttr schedule,
                       const ::conv::ChipInfo &chip) const override {
    std::string obstacle;
    return computeDirectCost(op, schedule, chip, obstacle)->summarize();
  }

  std::string explainAbsence(StringRef loopName, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    auto ranked = rankDirectSchedules(op, chip);
    if (auto *reason = std::get_if<std::string>(&ranked))
      return *reason;
    return "other direct kernels compute it";
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const override {
    std::string obstacle;
    computeDirectCost(op, schedule, chip, obstacle);
    return obstacle;
  }

  LogicalResult buildBody(Kernel &kernel,
                          gpu::GPUFuncOp function) const override {
    bool onHost = kernel.chip.isProcessor();
    switch (cast<DirectAttr>(kernel.form.schedule.getKernel()).getMainLoop()) {
    case DirectLoop::Reduction:
      if (onHost)
        return createDirectHostReductionBody(kernel, function);
      return createDirectReductionBody(kernel, function);
    case DirectLoop::Matrix:
      return createDirectMatrixBody(kernel, function);
    case DirectLoop::Rows:
      if (onHost)
        return createDirectHostBody(kernel, function);
      return createDirectBody(kernel, function);
    }
    llvm_unreachable("every main loop has a body");
  }
};
} // namespace

const KernelFamily &mlir::conv::getDirectFamily() {
  static const DirectFamily family;
  return family;
}
