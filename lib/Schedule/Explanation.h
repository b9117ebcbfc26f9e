//===- Explanation.h - the facts of one decision ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `--explain` says, as text and as JSON, about a convolution whose
// schedule is a candidate of a family with a model. All values come from the
// cost model; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_EXPLANATION_H
#define CONV_LIB_SCHEDULE_EXPLANATION_H

#include "conv/Schedule/Schedule.h"

#include <map>

namespace mlir::conv {

/// The number of candidates that are listed.
inline constexpr size_t kListedCandidates = 5;

/// The candidates that one rule excluded.
struct RejectedGroup {
  int64_t count = 0;
  ::conv::Candidate example;
};

/// All facts about one decision.
struct Explanation {
  explicit Explanation(ConvolutionOpInterface op);

  ConvolutionOpInterface op;
  ::conv::ChipInfo chip;
  ::conv::Problem problem;
  ScheduleAttr schedule;
  ::conv::Candidate candidate;
  ::conv::Cost cost;
  ::conv::Ranking ranking;
  std::map<::conv::Rejection, RejectedGroup> rejected;
  double peakFlops, balance; ///< The chip's; flops per byte at the ridge.
};

/// What a candidate needs and what the chip has, for the rule that it violates.
std::string formatReason(const Explanation &all, ::conv::Rejection reason,
                         const ::conv::Candidate &candidate);

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_EXPLANATION_H
