//===- DynamicCalibration.h - blocks of dynamic convolutions ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much of a dynamic convolution one work-item takes (`Plan/DynamicBlocks`):
// budgets of registers and of code that leave enough work-items to hide the
// latency of loads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_DYNAMICCALIBRATION_H
#define CONV_CHIP_DYNAMICCALIBRATION_H

#include <cstdint>

namespace conv {

/// Work-items that stream: each has a run of blocks, loads, computes and stores
/// position by position, and takes what two blocks read from one to the next
/// one in registers. Registers then do not limit the length of a block. All
/// numbers are of AMD chips, by their clock.
struct StreamCalibration {
  int64_t positions = 0; ///< The most of a block. 0: no work-item streams.
  int64_t runPositions;  ///< The most of all blocks of a run.
  /// How many times what two runs both read a run moves, if there are enough
  /// work-items, and at least.
  int64_t idealShare, leastShare;
  /// Least work-items per compute unit: two waves have enough bytes in flight.
  int64_t itemsPerUnit;
  /// The most products of a block. Each has about ten bytes of code, which
  /// caches of instructions hold (32 KiB at least).
  int64_t products;
  /// Bytes of a work-item's registers for one kernel of all tokens, as f32.
  int64_t filterBytes;
  /// Bytes of the sums, or inputs, that a work-item keeps for its next block:
  /// beside kernels of each channel, and of groups, which have fewer kernels.
  int64_t keptBytes, keptOfGroups;
  /// The divisor of the part of its registers that a work-item keeps at most,
  /// of groups, too, even if its accesses are not whole words then.
  int64_t keptPart;
  int64_t waveBytes; ///< Least bytes that a wave accesses together.
  /// Kernels of a line of a tile, so that their taps are whole cache lines, and
  /// columns that are enough in any case.
  int64_t kernelsOfLine, columns;
};

/// Blocks of adjacent positions of a sequence, one for each work-item or run.
struct DynamicCalibration {
  /// Bytes of a work-item's registers for the kernels of its positions, which
  /// are also the bytes that it has in flight.
  int64_t kernelBytes = 512;
  /// Bytes of its registers for sums over the channels of groups.
  int64_t sumBytes = 300;
  /// The most positions of a block: a longer block would save less than a tenth
  /// of the input reads.
  int64_t positions = 8;
  /// The most positions of a short block, whose work-item has much else in
  /// registers.
  int64_t fewPositions = 4;
  /// Bytes of an access of a work-item with one kernel for all tokens that has
  /// much else in registers.
  int64_t narrowBytes = 8;
  /// The most groups of a work-item if kernels are normalized. Normalization
  /// takes about fifty instructions per kernel; with more kernels, the code of
  /// a block exceeds the instruction cache.
  int64_t normalizedGroups = 2;
  /// Whether blocks whose taps stay in registers are short in any case, so that
  /// more workgroups fit into a unit: the second cache has what neighbouring
  /// blocks read again (NVIDIA, bench/results/token_mixing_h100.json).
  bool prefersWorkgroups = false;
  StreamCalibration stream = {};
};

} // namespace conv

#endif // CONV_CHIP_DYNAMICCALIBRATION_H
