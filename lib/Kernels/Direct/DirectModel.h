//===- DirectModel.h - what a direct schedule costs -------------*- C++ -*-===//
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

/// The prediction for a direct schedule, of all products together.
struct DirectCost {
  int64_t workgroups = 0, workItems = 0;
  int64_t sharedBytes = 0;        ///< Of a workgroup, at most.
  int64_t residentWorkgroups = 0; ///< On one compute unit at a time.
  double memoryBytes = 0;         ///< That work-items load and store.
  double compulsoryBytes = 0;     ///< Each tensor once.
  double epilogueBytes = 0;       ///< Of those, what the epilogue reads.
  double linesOfRuns = 1; ///< Bytes of lines that runs in memory lie in, to
                          ///< those of the runs.
  double computeSeconds = 0, memorySeconds = 0;
  /// While lanes load what the epilogue reads, which is the same for all tiles:
  /// seen on an H200 to add to the time.
  double epilogueSeconds = 0;
  double launchSeconds = 0; ///< Between one kernel and the next one.
  /// How often shared memory is read, for one time with each lane in a bank of
  /// its own. Twice was seen to take a third longer, three kernels on an H200.
  double conflicts = 1;
  bool isPipelined = false; ///< Copies of the next steps are on their way.
  bool isQueue = false;     ///< `computeSeconds` has the time of memory too.
  bool countsHalos = false; ///< And that of halos, in the cache.

  /// `traffic` times the compulsory bytes. An epilogue has no halos, and makes
  /// no room for those of others.
  double getAllowedBytes(double traffic) const {
    return traffic * (compulsoryBytes - epilogueBytes) + epilogueBytes;
  }

  /// Unless its steps are pipelined, a workgroup does not compute while it
  /// waits for memory: others do.
  double seconds() const {
    double overlapped = std::max(computeSeconds, memorySeconds);
    if (!isPipelined)
      overlapped +=
          std::min(computeSeconds, memorySeconds) / double(residentWorkgroups);
    return overlapped * (1 + (conflicts - 1) / 3) + epilogueSeconds +
           launchSeconds;
  }

  /// What of it all families tell.
  ::conv::Cost summarize() const;
};

/// What the cost model sees of a plan.
struct DirectPlan {
  SmallVector<ViewedProduct> products;
  int64_t launches;         ///< Launches of products among them.
  double intermediateBytes; ///< What one kernel writes for another one.
  bool hasSingleParts;      ///< D6.

  static DirectPlan get(ConvolutionOpInterface op, const PlanOptions &options);
};

/// Predicts a direct schedule of the convolution that has this plan; none if D1
/// to D9 do not hold, and in `obstacle` why, as "expects ..., but got ...".
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
