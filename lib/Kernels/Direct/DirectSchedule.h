//===- DirectSchedule.h - candidates of direct kernels ----------*- C++ -*-===//
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

/// All direct schedules that fit, ordered by predicted seconds, then by bytes
/// moved, then by enumeration. If there are none, returns the reason, in words
/// for people.
std::variant<std::vector<PredictedSchedule>, std::string>
rankDirectSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTSCHEDULE_H
