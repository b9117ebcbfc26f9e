//===- ScheduleRemarks.h - remarks about selected schedules -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_SCHEDULEREMARKS_H
#define CONV_LIB_SCHEDULE_SCHEDULEREMARKS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Emits remarks on who chose the schedule, and on the predicted cost of its
/// product and of its transforms.
void remarkDecision(ConvolutionOpInterface op, ScheduleAttr schedule,
                    const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_SCHEDULEREMARKS_H
