//===- ScheduleSpace.h - all schedules of a convolution ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space of schedules that is generated for a convolution: the first one is
// the default, and a search measures the others.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULESPACE_H
#define CONV_SCHEDULE_SCHEDULESPACE_H

#include "conv/Plan/ConvolutionPlan.h"
#include "conv/Schedule/Heuristics.h"

#include <vector>

namespace mlir::conv {

/// A schedule as the cost model ranks it: a candidate with the options of its
/// plan, or a schedule that a family without a model lists.
struct RankedSchedule {
  PlanOptions options;
  ::conv::Candidate candidate;
  ScheduleAttr listed; ///< Null if it is a candidate.
  ::conv::Cost cost;
  bool isFirst; ///< See `KernelFamily::isFirst`.
  size_t place; ///< Tie break: plainer options first.

  /// The schedule attribute, marked as chosen by the heuristic.
  ScheduleAttr get(MLIRContext *context, const ::conv::ChipInfo &chip) const;
};

/// All schedules that the chip can run for the convolution in its own form, of
/// all families or of one algorithm. Families that take precedence come first,
/// then the fastest by the cost model. With a `reach`, only those of the others
/// that take up to so many times as long as the best one: they are the first
/// ones of all, in the same order, and take less time to find.
std::vector<RankedSchedule>
rankSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
              std::optional<Algorithm> only = std::nullopt,
              std::optional<double> reach = std::nullopt);

/// Why no schedule divides the reduction into slices, multiplies groups
/// together, or has channels as rows, of a convolution in its own form.
std::string explainNoSplits(ConvolutionOpInterface op,
                            const ::conv::ChipInfo &chip);
std::string explainNoMergedGroups(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip);
std::string explainNoTransposed(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip);

/// Prints all schedules of a scheduled convolution, each as a JSON object with
/// its predicted seconds: first the schedules without transforms, the best
/// first, then the schedules with transformed operands.
void printScheduleSpace(ConvolutionOpInterface op, raw_ostream &os);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULESPACE_H
