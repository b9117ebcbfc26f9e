//===- DirectSchedule.h - when and how to compute directly --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DIRECTSCHEDULE_H
#define CONV_SCHEDULE_DIRECTSCHEDULE_H

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h"

#include <variant>

namespace mlir::conv {

/// The best direct schedule, or why there is none: for people.
std::variant<ScheduleAttr, std::string>
selectDirectSchedule(ConvolutionOpInterface op, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_DIRECTSCHEDULE_H
