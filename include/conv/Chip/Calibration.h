//===- Calibration.h - what was measured of kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The models in lib/Kernels count what a kernel does; this file says what that
// costs on a chip: one record for each chip, whose constants have a name, a
// unit and a source. Names end with their unit; shares and factors have none.
// All constants share one time scale, which ranks all kernels. Measurements and
// errors of predictions are in bench/calibration.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CALIBRATION_H
#define CONV_CHIP_CALIBRATION_H

#include <string_view>

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
  double pieceCycles;   ///< Cycles added for each 16 bytes that a lane loads in
                        ///< a step and locates by divisions.
  double storeCycles;   ///< Cycles to store 64 bytes of a result.
  double vectorFactor;  ///< Measured cycles of vector instructions per counted.
};

/// Registers that LLVM allocates for a lane that sums up its own elements in a
/// direct kernel on an AMD chip, fitted to 11 kinds of kernels. LLVM hoists the
/// reads and conversions of a line of taps.
struct DirectRegisters {
  double fixed;    ///< Registers that every lane has.
  double ofSum;    ///< Registers for each sum.
  double ofWindow; ///< Registers for each vector of a window: CDNA also keeps
                   ///< an f32 copy, RDNA mixes types in its instructions.
  double ofTap;    ///< Registers for each vector of the filter.
  double ofReduction; ///< Additional registers of shared reductions.
  /// Relative time per register that vector instructions cannot address,
  /// because its value moves to accumulation registers and back: filter
  /// gradients with 7x7 windows took 1.6 to 1.8 times as long for 284
  /// registers, and 7 outputs of such windows with strides 2.2 times.
  double movedCost;
  double movedFilterCost; ///< Factor if filter values move, once for all boxes:
                          ///< with 5x5 windows, it was 1.3 to 1.7.
  double mostReadAhead; ///< The most vectors of two lines of taps, one of which
                        ///< is read while the other is multiplied.
  double mostHoisted;   ///< The most filter vectors that LLVM reads before a
                        ///< loop over boxes.
};

/// Launches, and the fixed work of every kernel.
struct LaunchCalibration {
  /// From issue to use of a load that misses the nearer caches. Published
  /// measurements lie between 250 ns (RDNA) and 700 ns (CDNA).
  double loadLatencyNs;
  double setupCycles;   ///< Start of a workgroup, which locates its elements by
                        ///< divisions.
  double startSeconds;  ///< From a launch to the first load plus after the last
                        ///< store. Measured on an H200.
  double launchSeconds; ///< From the end of a kernel to the next one's work.
  double loadBytesPerClock; ///< Bytes from the first-level cache per clock.
  /// Waves of the largest tiles that fill the chip, at most, once reductions
  /// are split, and the most split-K slices. By the clock of AMD chips, summing
  /// more slices costs less than workgroups that leave units idle.
  int64_t splitWaves, mostSplits;
};

/// Tiles that work-items stage in shared memory (`Parts/StagedModel`).
struct StagedCalibration {
  /// Measured over predicted time, 1 where nothing was measured: for kernels
  /// that stage tiles through registers, kernels whose copies bypass registers,
  /// and kernels that transpose both operands in registers.
  double registerStagedSlowdown;
  double asyncStagedSlowdown;
  double transposedStagedSlowdown;
  /// A factor for each operand that is loaded in accesses of less than 16
  /// bytes, or that is the only one transposed in registers.
  double transposingSlowdown;
  /// Cycles of a compute unit for an element that a lane stores alone: adjacent
  /// to one of the next row, or scattered. 0 where nothing was measured.
  double scatterCycles;
  double sparseScatterCycles;
  /// `scatterCycles` if neighbouring rows fill a sector: 6 layers in f32.
  double wholeScatterCycles;
  /// Seconds for each scattered element that the sum of split-K slices stores:
  /// 4 schedules of 2 layers in NCHW.
  double scatteredSumSeconds;
  /// Multiply-adds of lanes, 52 schedules of 13 layers within 13 % (root mean
  /// square): seconds around a kernel and per stored byte; bytes that a unit
  /// loads per clock; time over the time of multiply-adds and of shared memory
  /// with many subgroups; what few subgroups add to that factor, divided by a
  /// power of their number; seconds of a round of workgroups; and the factor
  /// for a workgroup that is alone on its unit. `laneFactor` is 0 where nothing
  /// was measured. Registers are as allocated: fixed ones of a lane, and
  /// registers for each of its sums.
  double laneStartSeconds;
  double laneStoreSeconds;
  double laneLoadBytesPerClock;
  double laneFactor;
  double laneIdleFactor;
  double laneIdlePower;
  double laneRoundSeconds;
  double laneAloneFactor;
  /// Time of lanes with four rows over that of lanes with fewer: 40 schedules
  /// of f32 on an H200, and 30 on an H100.
  double laneWideFactor;
  /// Time of async copies over that of loads through registers, if runs are
  /// shorter than a step, so that each copy has its own position: 1.3 to 2.1 in
  /// 5 pairs of schedules of 2 layers.
  double laneShortFactor;
  /// Measured time over the model's if lanes multiply a left matrix that is
  /// transposed on its way to shared memory: 7 schedules of 1x1 windows in
  /// NCHW.
  double laneTurnedSlowdown;
  double laneFixedRegisters;
  double laneSumRegisters;
  double barrierCycles;       ///< A step's barrier, waits and loop control.
  double transposedConflicts; ///< Conflicts of writes of transposed blocks
                              ///< whose rows are shorter than all banks, as a
                              ///< multiple of the writes.
  double keptShare; ///< Share of a die's cache that data reread by later taps
                    ///< may fill before some of it is missed: 7 schedules of a
                    ///< dilated window on gfx1201.
  double shortRunLines; ///< Share of the cache lines around short runs of a
                        ///< tile that each run loads.
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
  double loadLanesPerClock;        ///< Addresses the first-level cache takes.
  int64_t leastLoadBytes;          ///< Smaller loads of a lane are not faster.
  /// Registers that the compiler takes beside accumulators before it spills, as
  /// a multiple of the counted ones. Measured on kernels for all chips: up to
  /// 1.75 where there are 256 registers, since loads are hoisted.
  double temporaries;
  double accumulationShare; ///< Share of the accumulation registers available
                            ///< to accumulators.
  /// Registers as counted in assembly: of loop counters, base addresses, lane
  /// numbers and constants; of a 16-byte input access (offset of its position,
  /// first row and column, and a mask); of a filter access; and, in weight
  /// gradients, of each of several loads that make up one access.
  int64_t fixedRegisters;
  int64_t inputPieceRegisters;
  int64_t filterPieceRegisters;
  int64_t joinedLoadRegisters;
};

/// Compute units of AMD chips (`Parts/UnitModel`).
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
  double transposedOthers;   ///< Growth of `vectorOthers` for each operand that
                             ///< is transposed in registers: its places are
                             ///< kept, and it is loaded before pieces are
                             ///< joined. 70 gradients on gfx1100 and gfx1201.
  double smallAtomRegisters; ///< Registers added by atoms of 16 rows.
  double combineSeconds;     ///< Start and end of a split-K sum's kernel.
};

/// Tiles that the copy engine loads and warpgroups multiply (`WarpgroupGemm`).
/// Constants without another source were fitted together to 1344 schedules of
/// 170 layers on an H200.
struct WarpgroupCalibration {
  double matrixSlowdown; ///< Measured over data-sheet time of matrix units:
                         ///< their clock falls under load.
  /// The chip's power, in cycles in which all compute units may draw it: for
  /// each cycle of one unit's matrix units, and for each copied byte.
  double powerPerMatrixCycle;
  double powerPerByte;
  /// Cycles for each cache line that a unit's copies request: of groups (31
  /// schedules of groups of 56 channels), and of volumes (7 layers).
  double lineCycles;
  double volumeLineCycles;
  double volumeRowCycles; ///< Cycles for each row of windows in a filter
                          ///< gradient of volumes.
  double rowCycles;       ///< Cycles for each copied row of one cache line in a
                    ///< reduction over positions: 2.1 to 4 in 40 schedules that
                    ///< wait for copies.
  double splitLineCycles;  ///< Cycles for each cache line if rows of one group
                           ///< start within lines.
  double partialRowCycles; ///< Cycles for each copied row if an operand has
                           ///< fewer channels than a row holds: 3.6 to 5.7 in
                           ///< 60 schedules of 12 layers.
  double writeShare; ///< Shared-memory clocks that a written byte takes from
                     ///< operand reads, over those of a read byte.
  double copyLatencyCycles;  ///< Cycles from start to end of a copy.
  double copyBytesPerClock;  ///< Bytes per clock of the copies of all units.
  double stridedRowCycles;   ///< Cycles for each copied row that skips image
                             ///< positions.
  double unalignedRowCycles; ///< Cycles for each row whose stride is not a
                             ///< multiple of a sector: 6.5 to 10.1 in 8
                             ///< schedules of 3 layers.
  double longUnalignedShare; ///< Share of `unalignedRowCycles` for a run longer
                             ///< than a tile row, which reaches one more
                             ///< sector: 4 schedules of the gradient of
                             ///< 112->128 1x1 with rows of 1000 positions.
  double unalignedGroupRowCycles; ///< `unalignedRowCycles` of groups, some of
                                  ///< whose rows are aligned: 2 layers of
                                  ///< groups of 24 and 56 channels.
  double transposedRowFactor;     ///< Time of an unaligned row of a filter with
                              ///< rows along the reduction, over that of other
                              ///< filters: 6 layers.
  double rereadShare; ///< Share of the memory's time per byte that a byte takes
                      ///< which adjacent tiles read again.
  double firstSteps;  ///< Steps that a kernel waits for when it starts, since
                      ///< all units read memory at once.
  /// Cycles of a tile's way through registers to shared memory, for each column
  /// of a warpgroup, times the square root of its atoms along the rows.
  double epilogueCyclesPerColumn;
  double storeCyclesPerRow; ///< Cycles for each copied row when a chunk of the
                            ///< result goes to memory.
  /// Added for each column, and to the chunks of a row, if chunks are not
  /// swizzled: 33 schedules with 104, 112 and 208 columns.
  double plainCyclesPerColumn;
  double plainChunks;
  double shortPipelineCycles; ///< Cycles that the only tile of a unit waits for
                              ///< memory after a short pipeline.
  double copiedEpilogueShare; ///< Share of the store cycles that an epilogue
                              ///< operand adds if it is copied.
  /// Share of an epilogue's cycles that are hidden: with one consumer, by loads
  /// of the next tile; with several, by the products of another consumer.
  double hiddenOfOneConsumer;
  double hiddenEpilogue;
  double overlap; ///< Exponent of the norm that joins compute and memory: 1
                  ///< adds them, larger is closer to the longer one.
  double sumLaunchSeconds;  ///< From the end of products to the split-K sum.
  double partSeconds;       ///< Seconds for each more slice that a lane adds.
  double intermediateShare; ///< Share of the memory bandwidth at which split-K
                            ///< slices are written and read.
  /// Cycles of a step, and of each of its columns, in which lanes split f32
  /// operands into tf32 parts; joined with the cycles of products as a root of
  /// squares. Measured of 85 problems: bench/results/unlisted.md, "Split
  /// operands".
  double convertCycles;
  double convertCyclesPerColumn;
  double chainCycles; ///< Between two instructions that add to the same sums.
  /// Cycles of a consumer that promotes its sums, beside instructions and
  /// additions: 270 to 400 in 6 schedules of promotions of 32 to 128.
  double promotionCycles;
  double exchangeCycles; ///< From a cluster's last product until sums arrive.
  double exchangeBytesPerClock; ///< Bytes of sums a cluster exchanges.
};

/// Image rows in a line buffer (`LineBuffer`), on an H200.
struct LineBufferCalibration {
  double fragmentCycles; ///< Load and mask of one register of a fragment, for
                         ///< all four warps.
  double tileCycles;     ///< Locating a tile's rows in the lines, and waiting.
  double epilogueCyclesPerColumn; ///< Results on their way through shared
                                  ///< memory, for each column of an atom.
  double copyCycles; ///< From the start of a copy until its stage is visible.
  /// Bytes per clock that copies bring to one unit and to all units: steps that
  /// wait for copies took 0.9 to 1.3 times as long in 20 filter gradients.
  double unitBytesPerClock;
  double copyBytesPerClock;
  double unalignedRowCycles;      ///< As in `WarpgroupCalibration`.
  double gradientCyclesPerColumn; ///< Sums over positions that are stored one
                                  ///< by one, for each column of an atom.
  double launchCycles; ///< From the launch until the filter is in shared
                       ///< memory, plus after the last tile.
  /// Elements of the filter that a work-item loads during `launchCycles`, and
  /// the cycles of each further element: 7 layers.
  double launchElements;
  double elementCycles;
};

/// Filters that stay in shared memory (`WeightStationary`), on an H200.
struct WeightStationaryCalibration {
  double matrixSlowdown;          ///< As in `WarpgroupCalibration`.
  double copyBytesPerClock;       ///< Bytes per clock copied to one unit.
  double sliceCycles;             ///< Between the products of two slices.
  double epilogueCyclesPerColumn; ///< Results that lanes store, for each column
                                  ///< of an atom.
  double launchCycles; ///< From launch to first tile plus after the last.
  double pieceCycles;  ///< Each 16 bytes of the filter that a work-item loads.
  double memoryShare;  ///< Share of the memory's bandwidth that copies reach.
};

/// Small groups (`Direct`), on an H200.
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
  /// Banded gradients of depthwise filters, 44 schedules of four layers:
  /// seconds around the steps, and the share of the bandwidth that they reach.
  double diagonalSeconds;
  double diagonalMemoryEfficiency;
  double blockMemoryEfficiency; ///< Share of the bandwidth that block
                                ///< gradients, which only read, reach.
  /// Share of time that each halving of runs below `longRunBytes` adds: to
  /// block gradients, to other reductions in shared memory, and to queues.
  double shortRunCost;
  double longRunBytes;
  double shortReductionRunCost;
  double shortQueueRunCost;
  /// Workgroups that queue for memory and for their unit, 540 schedules of 31
  /// problems with 12 % root mean square error: the share of the bandwidth if
  /// nothing waits (above 1: part of what the previous kernel wrote is in the
  /// cache); the time of a halo byte over that of a memory byte; the share of a
  /// copy's cycles that occupies the unit; the cost of a conflict; how much of
  /// their work the first workgroups do in step; and the seconds around a
  /// queue.
  double queueMemoryEfficiency;
  double queueHaloCost;
  double queueCopyCost;
  double queueConflictCost;
  double queueInStep;
  double queueSeconds;
  double memoryEfficiency; ///< Share of the bandwidth that kernels which read
                           ///< and write reach.
  /// Measured over counted cycles of lane multiplications where nothing
  /// queues. Rows: 67 schedules of 10 depthwise layers on CDNA and 24 of 3 on
  /// gfx1201; shared reductions: 16 schedules of 2 layers on gfx942.
  double countedCycles;
  double countedReductionCycles;
  DirectRegisters registers;
  double instructionsPerBox;    ///< Addresses and loops around a box.
  double instructionsPerStored; ///< Epilogue, rounding and store of an element
                                ///< of the result.
  /// The same 540 schedules. For rows: cycles of the unit for each instruction
  /// that it may issue, of a subgroup alone, and of the unit for a workgroup.
  /// For matrix instructions: cycles for each cycle of an atom, for each
  /// exchanged line, of the unit around both, and until each subgroup reaches a
  /// barrier.
  double rowUnitCycles;
  double rowAloneCycles;
  double rowSetupCycles;
  double atomCycles;
  double lineCycles;
  double matrixUnitCycles;
  double matrixAloneCycles;
  /// Block gradients: cycles of a step around its units of work, until a unit
  /// has its sums in addition to its loads, and of each load.
  double blockStepCycles;
  double blockUnitCycles;
  double blockLoadCycles;
  /// Banded gradients, within 9 % of the 44 schedules: cycles until the copies
  /// of a step arrive, of a step around its work, until a subgroup has
  /// transposed four vectors of 8 positions, and until work-items have added up
  /// their sums.
  double diagonalCopyCycles;
  double diagonalStepCycles;
  double transposeCycles;
  double diagonalSumCycles;
};

/// Kernels that move data (`Schedule/FormSpace`).
struct TransformCalibration {
  double efficiency;      ///< Share of the memory bandwidth that
                          ///< `conv.transform` reaches.
  double scatteredFactor; ///< Memory bytes for each byte of a scattered access:
                          ///< a sector for each element, of which a cache holds
                          ///< a part for others.
  double overlappedLaunchSeconds; ///< Launch of a transform by programmatic
                                  ///< dependent launch: 1.2 to 3.2 us in 25
                                  ///< schedules of 6 layers on an H200.
};

/// All constants that were measured or assumed for a chip.
struct Calibration {
  std::string_view source; ///< The device or model behind the numbers.
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
