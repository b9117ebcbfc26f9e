//===- DirectModel.h - the cost of direct schedules -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTMODEL_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTMODEL_H

#include "conv/Kernels/Candidate.h"
#include "conv/Kernels/Direct/DirectTiling.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// The prediction for a direct schedule, summed over all products.
struct DirectCost {
  int64_t workgroups = 0, workItems = 0;
  int64_t sharedBytes = 0;        ///< The most bytes of a workgroup.
  int64_t residentWorkgroups = 0; ///< Per compute unit, at the same time.
  double memoryBytes = 0;         ///< Loaded and stored by work-items.
  double compulsoryBytes = 0;     ///< Each tensor once.
  double epilogueBytes = 0;       ///< The epilogue's part of these.
  double linesOfRuns = 1;         ///< Bytes of cache lines relative to
                                  ///< the bytes of the runs in them.
  double computeSeconds = 0, memorySeconds = 0;
  /// Time to load epilogue operands that are the same for all tiles, which adds
  /// to the total.
  double epilogueSeconds = 0;
  double launchSeconds = 0; ///< Between one kernel and the next one.
  double waitSeconds = 0;   ///< For transforms of operands.
  /// Passes over shared memory per read; 1 without bank conflicts. Twice as
  /// many take a third longer (bench/results/kernels.md, Direct).
  double conflicts = 1;
  bool isPipelined = false;     ///< The next steps' copies are in flight.
  bool isQueue = false;         ///< `computeSeconds` includes memory time.
  bool reducesOnLanes = false;  ///< Where no clock counts their instructions.
  bool addsClockedSums = false; ///< Work-items share a reduction.
  bool countsHalos = false;     ///< It also includes halos from the cache.

  /// The bytes that may be copied before halos count: `traffic` times the
  /// compulsory bytes, except for the epilogue, which has no halos.
  double getAllowedBytes(double traffic) const {
    return traffic * (compulsoryBytes - epilogueBytes) + epilogueBytes;
  }

  /// Unless its steps are pipelined, a workgroup does not compute while it
  /// waits for memory, but others do.
  double seconds() const {
    double overlapped = std::max(computeSeconds, memorySeconds);
    if (!isPipelined)
      overlapped +=
          std::min(computeSeconds, memorySeconds) / double(residentWorkgroups);
    return overlapped * (1 + (conflicts - 1) / 3) + epilogueSeconds +
           launchSeconds + waitSeconds;
  }

  /// The part of the cost that all families report.
  ::conv::Cost summarize() const;
};

/// A direct kernel computes one subproblem (D6).
PlanOptions getDirectPlanOptions(int64_t splits = 1);

/// The properties of a plan that the cost model reads.
struct DirectPlan {
  SmallVector<ViewedProduct> products;
  int64_t launches;          ///< Launches of products among them.
  double intermediateBytes;  ///< Bytes that one kernel writes for another.
  bool hasSingleSubproblems; ///< D6.
  bool followsTransforms;    ///< Which write the operands.

  static DirectPlan get(ConvolutionOpInterface op, const PlanOptions &options);
};

/// Predicts a direct schedule of a convolution with this plan. If D1 to D9 do
/// not hold, returns none, and `obstacle` says "expects ..., but got ...".
std::optional<DirectCost> computeDirectCost(ConvolutionOpInterface op,
                                            const DirectPlan &plan,
                                            ScheduleAttr schedule,
                                            const ::conv::ChipInfo &chip,
                                            std::string &obstacle);

/// The cost with the plan that the schedule asks for.
std::optional<DirectCost> computeDirectCost(ConvolutionOpInterface op,
                                            ScheduleAttr schedule,
                                            const ::conv::ChipInfo &chip,
                                            std::string &obstacle);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTMODEL_H
