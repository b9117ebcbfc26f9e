//===- PlanList.h - every family and plan of a convolution ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_PLANLIST_H
#define CONV_LIB_SCHEDULE_PLANLIST_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include <vector>

namespace mlir::conv {

/// The best that a family of kernels has for a convolution, as it is or in
/// another form, or why it has nothing.
struct PlanChoice {
  std::string name;           ///< Its main loop, form or algorithm.
  ScheduleAttr schedule = {}; ///< Null if there is none.
  double seconds = 0;         ///< Predicted, with transforms.
  double transformSeconds = 0;
  size_t place = 0;      ///< Among those of a list that are as fast.
  std::string note = {}; ///< Why there is none, or what else there is to know.
};

/// One for each main loop, for each form with transforms that is ranked, and
/// for Winograd's algorithm.
std::vector<PlanChoice> listPlans(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_PLANLIST_H
