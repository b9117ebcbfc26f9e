//===- DirectCalibration.h - costs of direct kernels ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of small groups (`lib/Kernels/Direct`), and the registers that LLVM
// allocates for them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_DIRECTCALIBRATION_H
#define CONV_CHIP_DIRECTCALIBRATION_H

#include <cstdint>

namespace conv {

/// Registers that LLVM allocates for a lane that sums up its own elements in a
/// direct kernel on an AMD chip, fitted to 280 kernels (bench/results/
/// amd-clock.md).
struct DirectRegisters {
  double fixed;    ///< Registers that every lane has.
  double ofSum;    ///< Registers for each sum.
  double ofAhead;  ///< For each register of vectors that are read ahead.
  double ofCopied; ///< For each register of a copy's loads in flight.
};

/// Workgroups that queue for memory and for their unit: 540 schedules of 31
/// problems with 12 % root mean square error. On chips with copies that bypass
/// registers.
struct DirectQueueCalibration {
  double memoryEfficiency; ///< Share of the bandwidth if nothing waits. Above
                           ///< 1: part of what the previous kernel wrote is in
                           ///< the cache.
  double haloCost;         ///< Time of a halo byte over that of a memory byte.
  double copyCost;         ///< Share of a copy's cycles that occupies the unit.
  double conflictCost;     ///< Share of time that each conflict adds.
  double inStep;  ///< How much of their work the first workgroups do in step.
  double seconds; ///< Time around a queue.
  double shortRunCost;  ///< Share of time that each halving of runs below
                        ///< `longRunBytes` adds.
  double partStoreCost; ///< Share of a result's time that each store of a part
                        ///< of a sector adds, after the first.
  /// Rows: cycles of the unit for each instruction that it may issue, of a
  /// subgroup alone, and of the unit for a workgroup.
  double rowUnitCycles;
  double rowAloneCycles;
  double rowSetupCycles;
  /// Matrix instructions: cycles for each cycle of an atom, for each exchanged
  /// line, of the unit around both, and until each subgroup reaches a barrier.
  double atomCycles;
  double lineCycles;
  double matrixUnitCycles;
  double matrixAloneCycles;
  int64_t rowRegisters; ///< Registers of addresses and loop counters in kernels
                        ///< of rows, beside their sums.
};

/// Block gradients, which only read.
struct DirectBlockCalibration {
  double memoryEfficiency; ///< Share of the bandwidth that they reach.
  double shortRunCost;     ///< Share of time that each halving of runs below
                           ///< `longRunBytes` adds.
  double stepCycles;       ///< Cycles of a step around its units of work.
  double unitCycles; ///< Cycles until a unit has its sums, beside its loads.
  double loadCycles; ///< Cycles of each load.
};

/// Banded gradients of depthwise filters: 44 schedules of four layers, within
/// 9 %.
struct DirectBandCalibration {
  double seconds; ///< Time around the steps, also of reductions by lanes.
  double memoryEfficiency; ///< Share of the bandwidth that they reach.
  double copyCycles;       ///< Until the copies of a step arrive.
  double stepCycles;       ///< Of a step around its work.
  double transposeCycles; ///< Until a subgroup has transposed four vectors of 8
                          ///< positions.
  double sumCycles;       ///< Until work-items have added up their sums.
};

/// Gradients of depthwise filters that lanes reduce, where no clock counts
/// their instructions: 810 schedules of 92 layers on an H200, within 37 %.
struct DirectLaneCalibration {
  double seconds = 0; ///< Time around the steps, beyond that of bands.
  /// Measured over counted cycles of lanes that read along positions, in
  /// layouts with positions innermost, and the power of the channels of a
  /// workgroup by which this grows.
  double positionCycles = 1;
  double channelPower = 0;
  /// The share of time that each doubling fewer subgroups than `busySubgroups`
  /// adds to the products of a unit, and cycles in which work-items add up
  /// their sums once: 860 schedules of 60 layers with tiles of up to 248
  /// channels on an H200, within 25 %.
  double idleCost = 0, busySubgroups = 1;
  double totalCycles = 0;
};

/// Where work-items add up their sums in shared memory: cycles of a round for
/// its writes and barriers, and for each read. 3x3 gradients of 768 channels at
/// 12x12 by the clock of AMD chips.
struct DirectRoundCalibration {
  double cycles = 165;
  double readCycles = 30;
  /// Reads that take as long as the two barriers and the write of one more
  /// round, where the sums of a first round are counted.
  int64_t readsOfRound = 4;
};

/// Small groups (`Direct`). Numbers of schedules are of an H200.
struct DirectCalibration {
  /// Whether predicted times were compared with the times of other families: of
  /// 61 problems on an H200, the schedule with the least prediction takes 1.076
  /// times as long as the fastest schedule measured. On chips without a
  /// comparison, direct schedules are taken before all others.
  bool isCompared;
  /// Without a comparison: bytes that a kernel may move for each compulsory
  /// byte. Kernels that move more rank after all that do not. The limit is
  /// larger on chips whose caches hold the halos of neighbours.
  double traffic;
  double memoryEfficiency; ///< Share of the bandwidth that kernels which read
                           ///< and write reach.
  /// On chips with sectors: the length above which runs cost nothing more, and
  /// the share of time that each halving of shorter runs adds to reductions in
  /// shared memory.
  double longRunBytes = 0;
  double shortReductionRunCost = 0;
  /// What each halving below a sector adds to it: workgroups read the sector
  /// again.
  double partSectorCost = 0;
  /// Measured over counted cycles of lane multiplications where nothing
  /// queues: of rows, and of shared reductions.
  double countedCycles;
  double countedReductionCycles;
  /// Share of the shorter one of reads of shared memory and of products that
  /// is not hidden where nothing queues. Clock of AMD chips.
  double exposedShare = 0.5;
  double instructionsPerBox;    ///< Addresses and loops around a box.
  double instructionsPerStored; ///< Epilogue, rounding and store of an element
                                ///< of the result.
  /// Registers: as LLVM allocates them, on chips without copies that bypass
  /// registers; on others, registers of addresses and loop counters.
  DirectRegisters registers = {};
  int64_t fixedRegisters = 0;
  DirectQueueCalibration queue = {};
  DirectBlockCalibration blocks = {};
  DirectBandCalibration bands = {};
  DirectLaneCalibration lanes = {};
  DirectRoundCalibration rounds = {};
};

} // namespace conv

#endif // CONV_CHIP_DIRECTCALIBRATION_H
