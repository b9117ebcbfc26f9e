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

/// A schedule of `implicit_gemm`, as the cost model sees it.
struct RankedSchedule {
  PlanOptions options;
  ::conv::RankedCandidate ranked;
  size_t place; ///< Of equal costs, the plainest options come first.
};

/// All of them that the chip can run, the fastest by the cost model first.
std::vector<RankedSchedule> rankImplicitGemm(ConvolutionOpInterface op,
                                             const ::conv::ChipInfo &chip);

/// Whether the cost model has to compare a direct schedule with those of
/// warpgroups. Without matrix instructions, it moves each byte about once, and
/// nothing is faster.
inline bool competesWithWarpgroups(ScheduleAttr direct) {
  return direct.hasMatrixInstruction();
}

/// Whether the fastest one of `ranked` is of warpgroups, and faster than a
/// direct one that is supported.
bool areWarpgroupsFaster(ConvolutionOpInterface op,
                         ArrayRef<RankedSchedule> ranked, ScheduleAttr direct,
                         const ::conv::ChipInfo &chip);

/// Prints all schedules for a scheduled convolution, each as a JSON object with
/// the seconds that the cost model predicts: those of the algorithm that it
/// prefers, the best first, those of the other one, and then those whose
/// operands are transformed.
void printScheduleSpace(ConvolutionOpInterface op, raw_ostream &os);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULESPACE_H
