//===- Schedule.h - what holds for a scheduled op ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a chip can run a convolution with a schedule, and how exact its
// results then are.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULE_H
#define CONV_SCHEDULE_SCHEDULE_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/DescribeProblem.h"
#include "conv/Numerics/ErrorBound.h"
#include "conv/Schedule/Heuristics.h"

namespace mlir::conv {

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

/// The bound on the error of Winograd's algorithm over that of the sum of
/// products, for operands whose elements have one magnitude: both count
/// roundings, and the former counts those of all magnitudes that its transforms
/// add up.
double getWinogradErrorFactor(ConvolutionOpInterface op,
                              ArrayRef<int64_t> outputTile);

/// The bound on the error of the op's results, or why there is none. Of a
/// schedule of Winograd's algorithm, it is about the sum of the magnitudes that
/// its transforms have.
std::variant<::conv::ErrorBound, ::conv::NoErrorBound>
computeErrorBound(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULE_H
