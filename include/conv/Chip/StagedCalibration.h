//===- StagedCalibration.h - costs of staged tiles --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose work-items stage tiles in shared memory, and those of them in
// which lanes multiply without matrix instructions.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_STAGEDCALIBRATION_H
#define CONV_CHIP_STAGEDCALIBRATION_H

#include <cstdint>

namespace conv {

/// Tiles that work-items stage in shared memory (`Gemm/StagedModel`).
struct StagedCalibration {
  /// Measured over predicted time, 1 where nothing was measured: for kernels
  /// that stage tiles through registers, kernels whose copies bypass registers,
  /// and kernels that transpose both operands of 2-byte elements in registers.
  double registerStagedSlowdown;
  double asyncStagedSlowdown;
  double transposedStagedSlowdown;
  /// A factor if an operand is loaded in accesses of less than 16 bytes.
  double transposingSlowdown;
  double barrierCycles;   ///< A step's barrier, waits and loop control.
  int64_t leastLoadBytes; ///< Smaller loads of a lane are not faster.
  /// Cycles of a unit in which a lane divides a reduced position into the
  /// coordinates of what it loads.
  double divisionCycles = 0;
  /// The most waves of a SIMD unit of which each hides more of the shorter
  /// activities of a step: half of them are hidden with one wave, and two
  /// thirds with two. Assumed for all chips.
  double overlappingWaves = 2;
  /// Registers that the compiler takes beside accumulators before it spills, as
  /// a multiple of the counted ones. Measured on kernels for all chips: up to
  /// 1.75 where there are 256 registers, since loads are hoisted.
  double temporaries;
  /// Registers as counted in assembly: of loop counters, base addresses, lane
  /// numbers and constants; of a 16-byte input access (offset of its position,
  /// first row and column, and a mask); and of a filter access.
  int64_t fixedRegisters;
  int64_t inputAccessRegisters;
  int64_t filterAccessRegisters;
};

/// Multiply-adds of lanes (`Gemm/LaneModel`): 609 schedules of 97 layers in f32
/// on an H200, whose times are off by a factor of 1.31 (one standard
/// deviation); the choice takes 1.048 times the fastest.
struct LaneCalibration {
  double startSeconds;      ///< Time around a kernel.
  double storeSeconds;      ///< Time for each stored byte.
  double loadBytesPerClock; ///< Bytes that a unit loads per clock.
  /// Time over the time of multiply-adds and of shared memory, with many
  /// subgroups. 0 where nothing was measured: the other constants are not used.
  double factor;
  double norm; ///< Exponent of the norm that joins these two times.
  /// What few subgroups add to `factor`, and the power of their number by which
  /// it is divided.
  double idleFactor;
  double idlePower;
  double roundSeconds; ///< Time of a round of workgroups.
  double aloneFactor;  ///< Factor for a workgroup that is alone on its unit.
  /// Time of lanes with at least `wideRows` rows over that of lanes with fewer:
  /// 40 schedules of f32 on an H200, and 30 on an H100.
  double wideFactor;
  int64_t wideRows;
  /// Time of async copies over that of loads through registers, if runs are
  /// shorter than a step, so that each copy has its own position.
  double shortFactor;
  /// Time of loads through registers over that of async copies otherwise: both
  /// took about the same time, but async copies use fewer registers.
  double stagedFactor;
  /// Measured time over that of the model of staged tiles, for kernels on lanes
  /// to which the model of lanes does not apply (`isMeasuredOnLanes`).
  double otherSlowdown;
  /// What replaces it for kernels on lanes whose left matrix is transposed on
  /// its way to shared memory: 1x1 windows in NCHW.
  double turnedSlowdown;
  double fixedRegisters; ///< Registers of a lane, as allocated.
  double sumRegisters;   ///< Registers for each sum of a lane, as allocated.
};

} // namespace conv

#endif // CONV_CHIP_STAGEDCALIBRATION_H
