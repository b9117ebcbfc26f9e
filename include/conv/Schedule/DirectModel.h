//===- DirectModel.h - what a direct schedule costs ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DIRECTMODEL_H
#define CONV_SCHEDULE_DIRECTMODEL_H

#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"
#include "conv/Dialect/Conv/IR/DirectTiling.h"

namespace mlir::conv {

/// The prediction for a direct schedule, of all products together.
struct DirectCost {
  int64_t workgroups = 0, workItems = 0;
  int64_t sharedBytes = 0;        ///< Of a workgroup, at most.
  int64_t residentWorkgroups = 0; ///< On one compute unit at a time.
  double memoryBytes = 0;         ///< That work-items load and store.
  double compulsoryBytes = 0;     ///< Each tensor once.
  double linesOfRuns = 1; ///< Bytes of lines that runs in memory lie in, to
                          ///< those of the runs.
  double computeSeconds = 0, memorySeconds = 0;

  /// A workgroup does not compute while it waits for memory: others do.
  double seconds() const {
    return std::max(computeSeconds, memorySeconds) +
           std::min(computeSeconds, memorySeconds) / double(residentWorkgroups);
  }
};

/// The products of a convolution that is computed with these options.
SmallVector<ViewedProduct> getViewedProducts(ConvolutionOpInterface op,
                                             const PlanOptions &options);

/// Predicts a direct schedule of the convolution that has these products; none
/// if D1 to D5 do not hold, and in `obstacle` why, as "expects ..., but got
/// ...".
std::optional<DirectCost> computeDirectCost(ConvolutionOpInterface op,
                                            ArrayRef<ViewedProduct> products,
                                            ScheduleAttr schedule,
                                            const ::conv::ChipInfo &chip,
                                            std::string &obstacle);

/// The same, with the products that the schedule asks for.
std::optional<DirectCost> computeDirectCost(ConvolutionOpInterface op,
                                            ScheduleAttr schedule,
                                            const ::conv::ChipInfo &chip,
                                            std::string &obstacle);

/// The same, of a schedule that is supported.
DirectCost predictDirectSchedule(ConvolutionOpInterface op,
                                 ScheduleAttr schedule,
                                 const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_DIRECTMODEL_H
