//===- DirectWork.h - what a step of a direct kernel does -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTWORK_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTWORK_H

#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

/// What one step of a workgroup does: boxes of products in registers.
struct DirectWork {
  double steps = 1;
  double boxes = 1;       ///< Of products.
  double boxesOfItem = 1; ///< That a work-item has one after the other: lines
                          ///< of taps.
  double cycles = 0;      ///< Of a compute unit that multiplies one.
  double vectors = 0;     ///< Read from shared memory for a box.
  double waits = 0;       ///< Cycles of barriers and such, of a workgroup; of
                          ///< diagonals, all cycles of a step.
  /// If results are not those of a reduction that work-items share: cycles of
  /// the compute unit for a workgroup, and those that it takes by itself,
  /// whatever else the unit does.
  double unit = 0, alone = 0;
  double shared = 0;    ///< Of diagonals, cycles of shared memory in a step,
  double ends = 0;      ///< and cycles after all steps.
  double conflicts = 1; ///< Of reads.
  int64_t stages = 1;   ///< Of them, copies of all but one are not waited for.
  /// Of a work-item, as compilers were seen to take for its sums and what it
  /// reads ahead.
  int64_t registers = 0;
  bool spills = false; ///< More than a lane has are needed at a time.
  bool isLong = false; ///< Its code is so long that it compiles for seconds.
};

/// What the main loop of the schedule does for a product.
DirectWork computeDirectWork(const DirectTiling &tiling, ScheduleAttr schedule,
                             const ViewedProduct &product,
                             const ::conv::ChipInfo &chip);

/// Cycles of a compute unit for diagonals: workgroups that it has at a time
/// share its shared memory, and hide each other's waits.
double getDiagonalCycles(const DirectWork &work, int64_t workgroups,
                         int64_t resident, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTWORK_H
