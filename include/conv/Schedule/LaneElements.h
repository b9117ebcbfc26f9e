//===- LaneElements.h - the size of a lane's code ------------- -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_LANEELEMENTS_H
#define CONV_SCHEDULE_LANEELEMENTS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The elements that the lanes of a subgroup accumulate, and those that they
/// load and read from shared memory in a step of a staged GEMM; 0 for other
/// kernels. Steps and epilogues are unrolled: the operations of 54 schedules of
/// 8 layers are nearly proportional to it among the schedules of a layer.
int64_t countLaneElements(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_LANEELEMENTS_H
