//===- DirectSchedule.h - when and how to compute directly ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_DIRECTSCHEDULE_H
#define CONV_KERNELS_DIRECT_DIRECTSCHEDULE_H

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h"

#include <variant>
#include <vector>

namespace mlir::conv {

/// All direct schedules, the fastest by the cost model first but for those that
/// move much more than they have to, which come last; or why there are none:
/// for people.
std::variant<std::vector<ScheduleAttr>, std::string>
rankDirectSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip);

/// The best one of them.
std::variant<ScheduleAttr, std::string>
selectDirectSchedule(ConvolutionOpInterface op, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_DIRECTSCHEDULE_H
