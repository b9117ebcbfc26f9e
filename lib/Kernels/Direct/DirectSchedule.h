//===- DirectSchedule.h - when and how to compute directly ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTSCHEDULE_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTSCHEDULE_H

#include "conv/Kernels/KernelFamily.h"

#include <variant>
#include <vector>

namespace mlir::conv {

/// All direct schedules, or for people the reason why there are none. Where
/// predictions were not compared with other families, schedules that move much
/// more than they have to come last; otherwise the fastest comes first.
std::variant<std::vector<PredictedSchedule>, std::string>
rankDirectSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTSCHEDULE_H
