//===- ScheduleSpace.h - all schedules of a convolution ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space of schedules that is generated for a convolution: the default is
// the first of them, and a search measures others.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULESPACE_H
#define CONV_SCHEDULE_SCHEDULESPACE_H

#include "conv/Plan/ConvolutionPlan.h"
#include "conv/Schedule/Heuristics.h"

#include <vector>

namespace mlir::conv {

/// A schedule, as the cost model sees it: a candidate and how its matrices are
/// formed, or one that a family without a model lists.
struct RankedSchedule {
  PlanOptions options;
  ::conv::Candidate candidate;
  ScheduleAttr listed; ///< Null if it is a candidate.
  ::conv::Cost cost;
  bool isFirst; ///< Its family comes before others (`KernelFamily::isFirst`).
  size_t place; ///< Of equal costs, the plainest options come first.

  /// The schedule, as the heuristic chooses it.
  ScheduleAttr get(MLIRContext *context, const ::conv::ChipInfo &chip) const;
};

/// All schedules of all families that the chip can run, or those of one
/// algorithm, for the convolution in the form that it has: the fastest by the
/// cost model first, after those of families that come before others.
std::vector<RankedSchedule>
rankSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
              std::optional<Algorithm> only = std::nullopt);

/// Prints all schedules for a scheduled convolution, each as a JSON object with
/// the seconds that the cost model predicts: those of the convolution as it is,
/// the best first, and then those whose operands are transformed.
void printScheduleSpace(ConvolutionOpInterface op, raw_ostream &os);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULESPACE_H
