//===- DirectWork.h - work of a step of a direct kernel ---------*- C++ -*-===//
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
  double boxes = 1;       ///< Boxes of products.
  double boxesOfItem = 1; ///< Boxes (lines of taps) that a work-item computes
                          ///< in sequence.
  double cycles = 0;      ///< Cycles of a compute unit for one box.
  double vectors = 0;     ///< Read from shared memory, per box.
  double waits = 0;       ///< Cycles of barriers etc. of a workgroup; with
                          ///< banded matrices, all cycles of a step.
  /// For results that are not a reduction shared by work-items: the compute
  /// unit's cycles for a workgroup, and the cycles that a workgroup takes
  /// however busy the unit is. For blocks, the cycles of `waits` in which other
  /// workgroups of the unit wait as well.
  double unit = 0, alone = 0;
  double shared = 0;    ///< Banded: cycles of shared memory per step,
  double ends = 0;      ///< and cycles after all steps.
  double conflicts = 1; ///< Passes over shared memory per read.
  int64_t stages = 1;   ///< Copies of all stages but one overlap.
  /// Registers of a work-item, as compilers were seen to allocate them for its
  /// sums and the reads they hoist.
  int64_t registers = 0;
  bool spills = false; ///< A lane has fewer registers than needed.
  bool isLong = false; ///< The code would take seconds to compile.
};

/// The work of the schedule's main loop for a product.
DirectWork computeDirectWork(const DirectTiling &tiling, ScheduleAttr schedule,
                             const ViewedProduct &product,
                             const ::conv::ChipInfo &chip);

/// Cycles of a compute unit for banded matrices: resident workgroups share the
/// unit's shared memory, and hide each other's waits.
double getBandedCycles(const DirectWork &work, int64_t workgroups,
                       int64_t resident, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTWORK_H
