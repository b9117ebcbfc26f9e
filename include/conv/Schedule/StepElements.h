//===- StepElements.h - the code of a staged step ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_STEPELEMENTS_H
#define CONV_SCHEDULE_STEPELEMENTS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The elements that a subgroup accumulates, and those that it loads and reads
/// from shared memory in a step of a staged GEMM; 0 for other kernels. Steps
/// and epilogues are unrolled: among the schedules of a layer, the operations
/// of the code are nearly proportional to this (`bench/results/README.md`, how
/// long compiling takes).
int64_t countStepElements(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_STEPELEMENTS_H
