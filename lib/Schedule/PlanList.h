//===- PlanList.h - the best schedule of each plan --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_PLANLIST_H
#define CONV_LIB_SCHEDULE_PLANLIST_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Kernels/Candidate.h"

#include <vector>

namespace mlir::conv {

/// The best schedule of a kernel family for a convolution, in its own form or
/// another one, or why the family has none.
struct PlanChoice {
  std::string name;           ///< Its main loop, form or algorithm.
  ScheduleAttr schedule = {}; ///< Null if there is none.
  ::conv::Cost product = {};  ///< Predicted, without transforms.
  double transformSeconds = 0;
  size_t place = 0;      ///< Tie break among equally fast plans.
  std::string note = {}; ///< Why there is no schedule, or a remark.

  double seconds() const { return product.seconds + transformSeconds; }
};

/// One choice for each main loop, for split-K, merged groups and transposed
/// products, for each ranked form with transforms, and for Winograd's
/// algorithm.
std::vector<PlanChoice> listPlans(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_PLANLIST_H
