//===- UnitCalibration.h - costs of AMD compute units -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the model of an AMD compute unit (`Gemm/UnitModel`) assumes. No other
// chip uses these records.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_UNITCALIBRATION_H
#define CONV_CHIP_UNITCALIBRATION_H

#include <cstdint>

namespace conv {

/// How the main loop shares an AMD compute unit: one fit for loops that overlap
/// steps, one for loops that keep the phases of a step apart.
struct LoopFit {
  double partsNorm;     ///< Exponent of the norm that joins the busy times of a
                        ///< unit; larger means closer to the longest time.
  double chainNorm;     ///< Exponent that joins all parts and the least step.
  double exposedWrites; ///< Share of LDS writes that a lone workgroup exposes
                        ///< between the two barriers of one stage.
  double exposedPower;  ///< Power of the number of workgroups with which
                        ///< `exposedWrites` falls.
  double ownWrites;     ///< Share of LDS writes added to a workgroup's step,
                        ///< beyond its matrix instructions.
  double stepCycles;    ///< Cycles that are added to a step with two stages.
  double latencyCycles; ///< Load latency in cycles, the least length of a step.
  double setupCycles;   ///< Cycles of a workgroup before its main loop.
  double accessCycles;  ///< Cycles added for each 16 bytes that a lane loads in
                        ///< a step and locates by divisions.
  double storeCycles;   ///< Cycles to store 64 bytes of a result.
  double vectorFactor;  ///< Measured cycles of vector instructions per counted.
};

/// Compute units of AMD chips (`Gemm/UnitModel`).
struct UnitCalibration {
  LoopFit overlapped;   ///< Loops that overlap steps: MFMA.
  LoopFit phased;       ///< Loops that keep phases apart: WMMA, multiply-adds.
  LoopFit laneCopies;   ///< Loops that overlap steps and copy tiles without
                        ///< registers: set by hand, from 132 kernels of 12
                        ///< convolutions on gfx950 (bench/calibration).
  double laneCopyAtoms; ///< Matrix instructions added to a step of loops with
                        ///< lane copies.
  double missedLoads;   ///< Share of the load path's cycles that is needed: a
                        ///< unit's cache holds lines that workgroups share.
  /// Allocated over counted registers, of accumulators and of others: for
  /// matrix instructions with registers of their own and for those without.
  double matrixAccumulators;
  double matrixOthers;
  double vectorAccumulators;
  double vectorOthers;
  double transposedOthers; ///< Growth of `vectorOthers` if an operand is
                           ///< transposed in registers: its places are kept,
                           ///< and it is loaded before vectors are joined. 40
                           ///< gradients on gfx1100 and gfx1201.
  double laneOthers; ///< Allocated over counted registers of multiply-adds of
                     ///< lanes, whose accumulators are allocated as counted.
                     ///< LLVM reads ahead while there are registers: 37 kernels
                     ///< on gfx1201 differ by a factor of 1.3.
  double laneReadCycles; ///< Cycles that each read of shared memory by a wave's
                         ///< multiply-adds adds to a lone workgroup: LLVM waits
                         ///< for most of them. A lone wave waits for 40 to 65;
                         ///< 12 chose best for nine f32 layers on gfx1100 and
                         ///< gfx1201.
  double smallAtomRegisters;  ///< Registers added by atoms of 16 rows.
  double combineSeconds;      ///< Start and end of a split-K sum's kernel.
  double transposedConflicts; ///< Conflicts of writes of transposed blocks
                              ///< whose rows are shorter than all banks, as a
                              ///< multiple of the writes.
  double keptShare; ///< Share of a die's cache that data reread by later taps
                    ///< may fill before some of it is missed: 7 schedules of a
                    ///< dilated window on gfx1201.
  /// The most bytes of lines between two taps, those of all channels of a tile,
  /// that a unit's cache keeps until the next tap reads them: assumed to be
  /// half of the first-level cache, or all of gfx90a's.
  double nearTapBytes;
  double shortRunLines; ///< Share of the cache lines around short runs of a
                        ///< tile that each run loads.
  double sharedLatency; ///< Cycles from a read of shared memory to its
                        ///< register, as the clock assumes.
  /// Vector instructions as counted in assembly: of a wave's step, of a lane's
  /// load, to join several loads to 16 bytes, and of a load whose position
  /// takes divisions.
  double stepInstructions;
  double loadInstructions;
  double joinInstructions;
  double positionInstructions;
  double elementInstructions; ///< Per load of a single element with an address
                              ///< and a guard of its own, as in windows along
                              ///< rows of channels-first images. Counted in i8
                              ///< loops on gfx942.
  double elementPlaceInstructions; ///< To find the tap of each such element
                                   ///< along the reduction, once for all rows
                                   ///< of a lane. Counted in five loops of a
                                   ///< 7x7 window with 3 channels on gfx950.
  double sharedPlaceInstructions;  ///< Likewise if loads share a place, as for
                                   ///< operands that WMMA loops transpose: 0.25
                                   ///< to 0.5 in three loops on gfx1201.
  double accumulationShare; ///< Share of the accumulation registers available
                            ///< to accumulators.
  /// Registers of each of several loads that make up one access in weight
  /// gradients, as counted in assembly.
  int64_t joinedLoadRegisters;
  /// Resident workgroups that fill each other's waits: a second tile in flight
  /// must leave as many, or all that there are without it. One that leaves
  /// three of four makes a loop 1.06 times as long by the clock, and one that
  /// leaves six of seven or eight makes it shorter.
  int64_t secondTileWorkgroups;
  /// Least steps of a loop with one stage, and of one with two stages, that has
  /// a second tile in flight: by the clock, fewer take up to 1.1 times as long
  /// with it.
  int64_t secondTileSteps;
  int64_t twoStageSecondTileSteps;
  /// The longest rows of channels that gradients of inputs reduce between taps,
  /// if neither operand has channels innermost. Rows are short, so that the
  /// other taps find the same lines of the filter and of the image in the cache
  /// of a unit: 0.66 and 0.685 of the time, by the clock, of 91 random layers.
  /// 0: taps are reduced first.
  int64_t reducedRowBytes = 0;
  /// Cycles that the last writes of a step may still take when the products
  /// that hide them begin: at most as many products precede a barrier. Clock.
  int64_t writeLatencyCycles = 80;
  /// The most rounds of a loop whose first step has code of its own: by the
  /// clock, longer loops gain little from it.
  int64_t firstStepRounds = 64;
};

} // namespace conv

#endif // CONV_CHIP_UNITCALIBRATION_H
