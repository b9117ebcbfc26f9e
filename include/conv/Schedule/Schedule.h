//===- Schedule.h - between ops and candidates ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a convolution into the plain `Problem` the cost model sees, and a
// candidate into the `#conv.schedule` every later pass obeys.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULE_H
#define CONV_SCHEDULE_SCHEDULE_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Kernels/DescribeProblem.h"
#include "conv/Numerics/ErrorBound.h"
#include "conv/Schedule/Heuristics.h"

namespace mlir::conv {

/// The candidate as an attribute, with its main loop and who chose it.
ScheduleAttr getSchedule(MLIRContext *context,
                         const ::conv::Candidate &candidate,
                         const PlanOptions &options,
                         const ::conv::ChipInfo &chip, ChosenBy chosenBy);

/// The candidate that an attribute describes. The chip must have its atom.
::conv::Candidate getCandidate(ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip, Type elementType);

/// Checks S5 to S18 and D1 to D9 where they are about the chip or the
/// convolution, and that the grid can be launched, and refuses with a reason
/// code.
LogicalResult verifySupportedSchedule(ConvolutionOpInterface op,
                                      ScheduleAttr schedule,
                                      const ::conv::ChipInfo &chip);

/// The sum of a convolution by Winograd's algorithm, as the error bound counts
/// it: how often a term is rounded (docs/numerics.md).
::conv::Accumulation getWinogradAccumulation(ConvolutionOpInterface op,
                                             ArrayRef<int64_t> outputTile);

/// The bound on the error of the op's results, or why there is none. Of a
/// schedule of Winograd's algorithm, it is about the sum of the magnitudes that
/// its transforms have.
std::variant<::conv::ErrorBound, ::conv::NoErrorBound>
computeErrorBound(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULE_H
