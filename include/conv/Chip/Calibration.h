//===- Calibration.h - what was measured of kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of kernels count what a kernel does (lib/Kernels) and take from here
// what that costs on a chip: one record for each chip, whose constants have a
// name, a unit and a source. Names end with their unit; shares and factors have
// none. All constants make one time scale, in which all kernels are ranked.
// What was measured, and how far predictions are off, is in bench/calibration.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CALIBRATION_H
#define CONV_CHIP_CALIBRATION_H

#include <string_view>

namespace conv {

/// How a main loop of an AMD unit shares it: one fit for loops that overlap
/// their steps, one for loops that keep the phases of a step apart.
struct LoopFit {
  double partsNorm;     ///< Exponent of the norm that joins the busy parts of a
                        ///< unit: the larger, the closer to the longest part.
  double chainNorm;     ///< The same for all parts and the least step length.
  double exposedWrites; ///< Share of LDS writes that a workgroup alone exposes
                        ///< between the two barriers of one stage.
  double exposedPower;  ///< Power of the number of workgroups by which that
                        ///< share falls.
  double ownWrites;     ///< Share of LDS writes by which a workgroup's step is
                        ///< longer than its matrix instructions.
  double stepCycles;    ///< Cycles by which a step with two stages is longer.
  double latencyCycles; ///< Cycles of a load that no step is shorter than.
  double setupCycles;   ///< Cycles of a workgroup before its main loop.
  double pieceCycles;   ///< The same for each 16 bytes that a lane loads in a
                        ///< step, whose place takes divisions.
  double storeCycles;   ///< Cycles for each 64 bytes of a result.
  double vectorFactor;  ///< Cycles of vector instructions for one counted.
};

/// Registers of a lane that sums up elements of its own in a direct kernel of
/// an AMD chip, as LLVM allocates them: 11 kinds of kernels, by the clock. It
/// reads and converts ahead what a line of taps needs.
struct DirectRegisters {
  double fixed;    ///< Registers, whatever the lane sums up.
  double ofSum;    ///< Registers for each sum.
  double ofWindow; ///< The same for each vector that is read of windows: CDNA
                   ///< keeps it in f32, too, RDNA mixes types in an
                   ///< instruction.
  double ofTap;    ///< The same for each vector that is read of the filter.
  double ofReduction; ///< Registers of shared reductions beyond those.
  /// Share of the time that each register adds that vector instructions cannot
  /// name, since its value moves to accumulation registers and back: gradients
  /// of filters with 7x7 windows took 1.6 to 1.8 times as long for 284
  /// registers, 7 outputs of such windows with strides 2.2 times.
  double movedCost;
  double movedFilterCost; ///< Factor where values of the filter move, once for
                          ///< all boxes: 1.3 to 1.7 with 5x5 windows.
  double mostReadAhead; ///< Vectors of two lines of taps, at most, of which one
                        ///< is read while the other is multiplied.
  double mostHoisted;   ///< Vectors of the filter that are read before a loop
                        ///< over boxes, at most.
};

/// Launches, and what every kernel does around its work.
struct LaunchCalibration {
  /// From issue to use of a load that misses the nearer caches. Published
  /// measurements lie between 250 ns (RDNA) and 700 ns (CDNA).
  double loadLatencyNs;
  double setupCycles;   ///< A workgroup's start: it decodes where its elements
                        ///< lie, with divisions.
  double startSeconds;  ///< From a launch to the first load, and after the last
                        ///< store. Measured on an H200.
  double launchSeconds; ///< From the end of a kernel to the work of the next.
  double loadBytesPerClock; ///< Bytes from the first-level cache.
  /// How often tiles of the largest size fill the chip at most once reductions
  /// are split, and into how many parts they are: by the clock of AMD chips,
  /// sums of more parts cost less there than workgroups that leave units idle.
  int64_t splitWaves, mostSplits;
};

/// Tiles that work-items stage in shared memory (`Parts/StagedModel`).
struct StagedCalibration {
  /// Measured time over the model's, 1 where nothing was measured: kernels that
  /// stage tiles through registers, kernels whose copies take no registers, and
  /// kernels that transpose both operands in registers.
  double registerStagedSlowdown;
  double asyncStagedSlowdown;
  double transposedStagedSlowdown;
  /// A factor for each operand that is loaded in less than 16 bytes, or is the
  /// only one that is transposed in registers.
  double transposingSlowdown;
  /// Cycles of a compute unit for an element that a lane stores alone: next to
  /// the element of the next row, or apart. 0 where nothing was measured.
  double scatterCycles;
  double sparseScatterCycles;
  /// Seconds for an element of a sum of parts that is stored apart from its
  /// neighbours: 4 schedules of 2 layers in NCHW.
  double scatteredSumSeconds;
  /// Multiply-adds of lanes, 52 schedules of 13 layers within 13 % (root of the
  /// mean square): seconds around a kernel, and of a stored byte; bytes that a
  /// unit loads in a clock; time over that of multiply-adds and of shared
  /// memory, with many subgroups; what few ones add to that, over their number
  /// to a power; seconds of a round of workgroups; and the factor for
  /// workgroups that are alone on their unit. `laneFactor` is 0 where nothing
  /// was measured. Registers are as allocated: of a lane, and for each of its
  /// sums.
  double laneStartSeconds;
  double laneStoreSeconds;
  double laneLoadBytesPerClock;
  double laneFactor;
  double laneIdleFactor;
  double laneIdlePower;
  double laneRoundSeconds;
  double laneAloneFactor;
  double laneFixedRegisters;
  double laneSumRegisters;
  double barrierCycles;       ///< A step's barrier, waits and loop control.
  double transposedConflicts; ///< Conflicts of writes of transposed blocks
                              ///< whose rows are shorter than all banks, as a
                              ///< multiple of the writes.
  double keptShare; ///< Share of a die's cache that what taps read again may
                    ///< fill before some of it is missed: 7 schedules of a
                    ///< window with dilations on gfx1201.
  double shortRunLines; ///< Share of the lines around short runs of a tile that
                        ///< is loaded with each of them.
  /// Vector instructions as counted in assembly: of a wave's step, of a lane's
  /// load, of 16 bytes that several loads make up, and of a load whose position
  /// takes divisions.
  double stepInstructions;
  double loadInstructions;
  double joinInstructions;
  double positionInstructions;
  double elementInstructions; ///< The same of a load of one element, whose
                              ///< place and guard are its own: windows along
                              ///< rows of images with channels first, in loops
                              ///< of i8 on gfx942.
  double elementPlaceInstructions; ///< For each of these elements along the
                                   ///< reduction, once for all rows of a lane:
                                   ///< which tap it is. Five loops of a 7x7
                                   ///< window with 3 channels on gfx950.
  double sharedPlaceInstructions;  ///< The same where loads share a place: of
                                   ///< operands that WMMA loops transpose, 0.25
                                   ///< to 0.5 in three loops on gfx1201.
  double loadLanesPerClock; ///< Addresses that the first-level cache takes.
  int64_t leastLoadBytes;   ///< A lane's load is not faster for less.
  /// Registers that the compiler takes beside accumulators, as a multiple of
  /// what is counted, before it spills. Measured on kernels for all chips: up
  /// to 1.75 where there are 256 registers, since loads are hoisted.
  double temporaries;
  double accumulationShare; ///< Share of the accumulation registers that
                            ///< accumulators may take.
  /// Registers as counted in assembly: of loop counters, base addresses, lane
  /// numbers and constants; of a piece of input, its position's offset, first
  /// row and column, and a mask; of a piece of a filter; and of a load that is
  /// one of several for a piece, in weight gradients.
  int64_t fixedRegisters;
  int64_t inputPieceRegisters;
  int64_t filterPieceRegisters;
  int64_t joinedLoadRegisters;
};

/// Compute units of AMD chips (`Parts/UnitModel`).
struct UnitCalibration {
  LoopFit overlapped; ///< Loops that overlap steps: MFMA.
  LoopFit phased;     ///< Loops that keep phases apart: WMMA, multiply-adds.
  LoopFit laneCopies; ///< Loops that overlap steps, whose tiles arrive without
                      ///< registers: by hand, from 132 kernels of 12
                      ///< convolutions on gfx950 (bench/calibration).
  double laneCopyAtoms; ///< Matrix instructions by which a step of these is
                        ///< longer than its own.
  double missedLoads; ///< Share of the load path's cycles that is needed: lines
                      ///< that workgroups share are in a unit's cache.
  /// Registers that are allocated for one that is counted: accumulators and
  /// others, of matrix instructions with registers of their own and without.
  double matrixAccumulators;
  double matrixOthers;
  double vectorAccumulators;
  double vectorOthers;
  double transposedOthers;   ///< By how much `vectorOthers` grows for each
                             ///< operand that is transposed in registers, whose
                             ///< places are kept, and which is loaded before
                             ///< pieces are joined: 70 gradients on gfx1100 and
                             ///< gfx1201.
  double smallAtomRegisters; ///< Registers that atoms of 16 rows take beyond.
  double combineSeconds;     ///< Start and end of a kernel that adds up parts.
};

/// Tiles that a copy engine brings and warpgroups multiply (`WarpgroupGemm`).
/// Constants without another source were fitted together to 1344 schedules of
/// 170 layers on an H200.
struct WarpgroupCalibration {
  double matrixSlowdown; ///< Time of matrix units over the data sheet's, since
                         ///< their clock falls under load.
  /// The chip's power, in cycles in which all compute units may draw it: for a
  /// cycle of one unit's matrix units, and for a byte that is copied.
  double powerPerMatrixCycle;
  double powerPerByte;
  /// Cycles for each line of memory that a unit's copies ask for: of groups (31
  /// schedules of groups of 56 channels), and of volumes (7 layers).
  double lineCycles;
  double volumeLineCycles;
  double volumeRowCycles; ///< Cycles for each row of windows in a gradient of
                          ///< a filter of volumes.
  double rowCycles; ///< Cycles for each row of a copy that is a line, in a
                    ///< reduction over positions: 2.1 to 4 in 40 schedules that
                    ///< wait for copies.
  double splitLineCycles;  ///< Cycles for each line if rows of one group start
                           ///< within lines.
  double partialRowCycles; ///< Cycles for each row of a copy if an operand has
                           ///< fewer channels than a row: 3.6 to 5.7 in 60
                           ///< schedules of 12 layers.
  double writeShare; ///< Clocks of shared memory that a written byte takes
                     ///< from reads of operands, over what a read takes.
  double copyLatencyCycles;  ///< From the start of a copy to its end.
  double copyBytesPerClock;  ///< Bytes that the copies of all units bring.
  double stridedRowCycles;   ///< Cycles for each row of a copy that skips
                             ///< positions of images.
  double unalignedRowCycles; ///< Cycles for each row whose distance to the next
                             ///< is no whole number of sectors: 6.5 to 10.1 in
                             ///< 8 schedules of 3 layers.
  double longUnalignedShare; ///< Of that, what a run costs that is longer than
                             ///< a row of a tile: it reaches into one more
                             ///< sector. 4 schedules of the gradient of
                             ///< 112->128 1x1 whose rows have 1000 positions.
  double unalignedGroupRowCycles; ///< The same of groups, some of whose rows
                                  ///< are aligned: 2 layers of groups of 24 and
                                  ///< 56 channels.
  double transposedRowFactor; ///< Time of an unaligned row of a filter whose
                              ///< rows are of the reduction, over that of
                              ///< others: 6 layers.
  double firstSteps; ///< Steps that a kernel waits for when it starts: all
                     ///< units read memory at once.
  /// Cycles of a tile's way through registers to shared memory, for each column
  /// of a warpgroup, times the root of its atoms along the rows.
  double epilogueCyclesPerColumn;
  double storeCyclesPerRow; ///< Cycles for each row of a copy of a chunk of the
                            ///< result to memory.
  /// Added for each column, and to the chunks of a row, if chunks are not
  /// swizzled: 33 schedules with 104, 112 and 208 columns.
  double plainCyclesPerColumn;
  double plainChunks;
  double shortPipelineCycles; ///< Cycles that the only tile of a unit waits for
                              ///< memory after a short pipeline.
  double copiedEpilogueShare; ///< Share of stored cycles that an operand of the
                              ///< epilogue adds if copies bring it.
  /// Share of an epilogue's cycles during which the next tile arrives, with one
  /// consumer; or another consumer multiplies, with several.
  double hiddenOfOneConsumer;
  double hiddenEpilogue;
  double overlap; ///< Exponent of the norm that joins computing and memory: 1
                  ///< adds them up, the larger the closer to the longer one.
  double sumLaunchSeconds;  ///< From the end of products to the sum of parts.
  double partSeconds;       ///< Until a lane has one more part that it adds up.
  double intermediateShare; ///< Share of the memory's bandwidth at which parts
                            ///< go there and back.
  /// Cycles of a step, and of each of its columns, in which lanes make parts of
  /// f32 operands, joined with products' as a root of squares: within 6
  /// % of 30 kernels.
  double convertCycles;
  double convertCyclesPerColumn;
  double chainCycles; ///< Between two instructions that add to the same sums.
  /// Of a consumer whose sums are promoted, beside instructions and additions:
  /// 270 to 400 in 6 schedules of promotions of 32 to 128.
  double promotionCycles;
  double exchangeCycles; ///< From a cluster's last product until sums arrive.
  double exchangeBytesPerClock; ///< Bytes of sums that a cluster exchanges.
};

/// Lines of images (`LineBuffer`), on an H200.
struct LineBufferCalibration {
  double fragmentCycles; ///< A register of a fragment, of all four warps: its
                         ///< load and its mask.
  double tileCycles;     ///< Where a tile's rows are in the lines, and waiting.
  double epilogueCyclesPerColumn; ///< Results on their way through shared
                                  ///< memory, for each column of an atom.
  double copyCycles; ///< From the start of a copy to a stage until it is seen.
  /// Bytes that copies bring to one unit and to all: steps that wait for them
  /// took 0.9 to 1.3 times as long in 20 gradients of filters.
  double unitBytesPerClock;
  double copyBytesPerClock;
  double unalignedRowCycles;      ///< As of `WarpgroupCalibration`.
  double gradientCyclesPerColumn; ///< Sums of positions that are stored one by
                                  ///< one, for each column of an atom.
  double launchCycles; ///< From the launch until the filter is in shared
                       ///< memory, and after the last tile.
  /// Elements of the filter that a work-item loads meanwhile, and cycles of
  /// each further one: 7 layers.
  double launchElements;
  double elementCycles;
};

/// Filters that stay in shared memory (`WeightStationary`), on an H200.
struct WeightStationaryCalibration {
  double matrixSlowdown;          ///< As of `WarpgroupCalibration`.
  double copyBytesPerClock;       ///< Bytes that copies bring to one unit.
  double sliceCycles;             ///< Between the products of two slices.
  double epilogueCyclesPerColumn; ///< Results that lanes store, for each column
                                  ///< of an atom.
  double
      launchCycles; ///< From the launch to the first tile, and after the last.
  double pieceCycles; ///< Each 16 bytes of the filter that a work-item loads.
  double memoryShare; ///< Share of the memory's bandwidth that copies reach.
};

/// Small groups (`Direct`), on an H200.
struct DirectCalibration {
  /// Whether predicted times were compared with other families' times: of 61
  /// problems on an H200, the least of all predictions takes 1.076 times as
  /// long as the fastest schedule measured. Elsewhere direct schedules are
  /// taken before others.
  bool isCompared;
  /// If they were not: bytes that a kernel may move for each one that it has
  /// to. Those that move more are taken after all that do not; it is more where
  /// neighbours find halos in the cache.
  double traffic;
  /// Banded gradients of depthwise filters, 44 schedules of four layers:
  /// seconds around the steps, and the share of the bandwidth that they reach.
  double diagonalSeconds;
  double diagonalMemoryEfficiency;
  double blockMemoryEfficiency; ///< Share of the bandwidth that gradients by
                                ///< blocks reach, which only read.
  /// Share of time that each halving of runs below `longRunBytes` adds: to
  /// blocks, to other reductions in shared memory, and to queues.
  double shortRunCost;
  double longRunBytes;
  double shortReductionRunCost;
  double shortQueueRunCost;
  /// Workgroups that queue for memory and for their unit, 540 schedules of 31
  /// problems with 12 % as the root of the mean square of the error: the share
  /// of the bandwidth with nothing to wait for (above 1: part of what the
  /// kernel before wrote is in the cache); the time of a byte of a halo over
  /// one of memory; the share of a copy's cycles that it takes of the unit;
  /// what a conflict adds; how much of their work the first workgroups do in
  /// step; and seconds around a queue.
  double queueMemoryEfficiency;
  double queueHaloCost;
  double queueCopyCost;
  double queueConflictCost;
  double queueInStep;
  double queueSeconds;
  double memoryEfficiency; ///< Share of the bandwidth of kernels that read and
                           ///< write.
  /// Cycles that multiplying by lanes takes for each one that is counted, where
  /// nothing queues: of rows, 67 schedules of 10 depthwise layers on CDNA and
  /// 24 of 3 on gfx1201; of reductions that work-items share, 16 of 2 on
  /// gfx942.
  double countedCycles;
  double countedReductionCycles;
  DirectRegisters registers;
  double instructionsPerBox;    ///< Addresses and loops around a box.
  double instructionsPerStored; ///< Of an element of the result: its epilogue,
                                ///< rounding and store.
  /// The same 540 schedules. Of rows: cycles of the unit for each instruction
  /// that it may issue, of a subgroup by itself, and of the unit for a
  /// workgroup. Of matrix instructions: for each cycle of an atom, for each
  /// line that is exchanged, of the unit around these, and until each subgroup
  /// is at a barrier.
  double rowUnitCycles;
  double rowAloneCycles;
  double rowSetupCycles;
  double atomCycles;
  double lineCycles;
  double matrixUnitCycles;
  double matrixAloneCycles;
  /// Gradients by blocks: cycles of a step around its units, until a unit has
  /// its sums beside its loads, and of each load.
  double blockStepCycles;
  double blockUnitCycles;
  double blockLoadCycles;
  /// Banded gradients, within 9 % of the 44 schedules: cycles until what a step
  /// copies is there, of a step around its work, until a subgroup has
  /// transposed four vectors of 8 positions, and until work-items have added up
  /// their sums.
  double diagonalCopyCycles;
  double diagonalStepCycles;
  double transposeCycles;
  double diagonalSumCycles;
};

/// Kernels that move data (`Schedule/FormSpace`).
struct TransformCalibration {
  double efficiency;      ///< Share of the memory's bandwidth at which
                          ///< `conv.transform` reads and writes.
  double scatteredFactor; ///< Bytes of memory for each one that lanes access
                          ///< apart: a sector for an element, of which others
                          ///< find a part in a cache.
  double overlappedLaunchSeconds; ///< Around a transform that starts before the
                                  ///< kernel before it has ended: 1.2 to 3.2 us
                                  ///< in 25 schedules of 6 layers on an H200.
};

/// All that was measured for a chip, or is assumed of it.
struct Calibration {
  std::string_view source; ///< Which device or model gave the numbers.
  LaunchCalibration launch;
  StagedCalibration staged;
  UnitCalibration unit;
  WarpgroupCalibration warpgroup;
  LineBufferCalibration lineBuffer;
  WeightStationaryCalibration weightStationary;
  DirectCalibration direct;
  TransformCalibration transform;
};

} // namespace conv

#endif // CONV_CHIP_CALIBRATION_H
