//===- DirectUnit.h - a direct kernel on an AMD compute unit ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups of one compute unit share its SIMD units and its shared memory.
// Each subgroup has a SIMD unit for itself as long as there are enough of them.
// This model was compared with conv-clock for 132 schedules of 13 depthwise
// problems (bench/results/amd-clock.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTUNIT_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTUNIT_H

#include "conv/Chip/Chip.h"

namespace mlir::conv {

/// How much of its compute unit one workgroup uses. Cycles are per step.
struct DirectDemand {
  double steps = 1;
  double latency = 0;       ///< Total cycles of waits, which others fill.
  double copyCycles = 0;    ///< Cycles of the load path.
  double sharedCycles = 0;  ///< Cycles of shared memory.
  double productCycles = 0; ///< Cycles of all SIMD units together.
  int64_t subgroups = 1;
  double lastCycles = 0; ///< Cycles after the last step, which none fill.
};

/// What a lane has in registers: sums, and 32-bit words of the vectors that it
/// reads ahead of products, and of the copies that it has in flight.
struct DirectHeld {
  double sums, ahead, copied;
};

/// Registers that LLVM allocates for a lane.
int64_t countDirectRegisters(const ::conv::ChipInfo &chip,
                             const DirectHeld &held);

/// Cycles of a compute unit that runs `resident` of `workgroups` at a time.
double getUnitCycles(const ::conv::ChipInfo &chip, const DirectDemand &demand,
                     int64_t workgroups, int64_t resident);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTUNIT_H
