//===- Schedule.h - checks and error bounds of a schedule -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks whether a chip can run a convolution with a schedule, and bounds the
// error of its results.
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

/// Checks the constraints S5 to S18 and D1 to D9 that depend on the chip or
/// the convolution, and that the grid can be launched. Refuses with a reason
/// code.
LogicalResult verifySupportedSchedule(ConvolutionOpInterface op,
                                      ScheduleAttr schedule,
                                      const ::conv::ChipInfo &chip);

/// Checks that the transforms of the schedule's form can be launched. Refuses
/// with a reason code.
LogicalResult verifyTransforms(ConvolutionOpInterface op, ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip);

/// The sum that Winograd's algorithm computes with a schedule, as the error
/// bound counts it: how often a term is rounded (docs/numerics.md).
::conv::Accumulation getWinogradAccumulation(ConvolutionOpInterface op,
                                             ScheduleAttr schedule);

/// In which order a schedule adds up the products of Winograd's algorithm:
/// those of a slice of the reduction, `unordered` neighbours of it at a time in
/// an order of their own, then the slices. With 0 `unordered`, instructions do
/// not round as additions of f32 do, and there is no such order.
struct SumOrder {
  int64_t unordered = 0, slice = 1;
};
SumOrder getWinogradOrder(ConvolutionOpInterface op, ScheduleAttr schedule);

/// An error bound of Winograd's algorithm divided by that of a direct sum of
/// products, for operands whose elements all have one magnitude. It counts all
/// operations on a term, and the magnitudes that the transforms add up. The
/// bound of results is narrower; this one is what callers choose `max-error`
/// by.
double getWinogradErrorFactor(ConvolutionOpInterface op,
                              ArrayRef<int64_t> outputTile);

/// The error bound of the op's results, or why there is none.
std::variant<::conv::ErrorBound, ::conv::NoErrorBound>
computeErrorBound(ConvolutionOpInterface op);

/// The error bound of the op's sums of products, before the epilogue.
::conv::ErrorBound computeSumBound(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULE_H
