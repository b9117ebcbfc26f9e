//===- StepElements.cpp - the code of a staged step -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/StepElements.h"

using namespace mlir;
using namespace mlir::conv;

int64_t mlir::conv::countStepElements(ScheduleAttr schedule) {
  if (!isa<StagedGemmAttr>(schedule.getKernel()))
    return 0;
  ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
  ArrayRef<int64_t> subgroup = schedule.getSubgroup();
  int64_t subgroups = workgroup[0] / subgroup[0] * (workgroup[1] / subgroup[1]);
  int64_t loaded = (workgroup[0] + workgroup[1]) * schedule.getGemmK();
  int64_t read = (subgroup[0] + subgroup[1]) * schedule.getGemmK();
  return subgroup[0] * subgroup[1] + loaded / subgroups + read;
}
