//===- KernelFamily.cpp - what most families do ---------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/KernelFamily.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/DescribeProblem.h"
#include "conv/Kernels/ExplainLimits.h"
#include "conv/Kernels/KernelModel.h"

using namespace mlir;
using namespace mlir::conv;

KernelFamily::~KernelFamily() = default;

::conv::Cost KernelFamily::predict(ConvolutionOpInterface op,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip) const {
  return ::conv::computeCost(
      computeProblem(op, getPlanOptions(schedule)), chip,
      getCandidate(schedule, chip, getOperandElementType(op)));
}

std::string KernelFamily::explainLimits(ConvolutionOpInterface op,
                                        const PlanOptions &options,
                                        const ::conv::ChipInfo &chip) const {
  return ::conv::explainLimits(*getModel(), computeProblem(op, options), chip);
}
