//===- WarpgroupCalibration.h - costs of warpgroups -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The families whose warpgroups multiply by `wgmma`, one record each. Chips
// without `wgmma` leave them out.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_WARPGROUPCALIBRATION_H
#define CONV_CHIP_WARPGROUPCALIBRATION_H

#include <cstdint>

namespace conv {

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
  /// `rowCycles` of windows with several taps whose operands are not near: 2.4
  /// to 3.8 in 60 schedules of 7 large layers on an H100.
  double farRowCycles;
  /// Copied bytes for each byte of an operand, up to which a single tap of its
  /// windows reads it: halfway between one tap and two. Assumed, since padding
  /// saves some copies of two taps.
  double singleTapCopies;
  /// The share of the last-level cache up to which operands are near all units:
  /// gradients of filters of 1x1 windows in NCHW with less gain from clusters,
  /// and those with more lose by them, in 40 layers on an H100.
  double nearShare;
  /// Likewise of a filter's gradient whose clusters share its steps: of 110
  /// layers, those with more bytes take split-K slices in as much time or less.
  double clusterShare;
  double splitLineCycles; ///< Cycles for each cache line if rows of one group
                          ///< start within lines.
  /// Units that were busy when `splitLineCycles` was timed with whole rows of
  /// groups, whose rate all units share: in 72 units each takes less.
  double groupLineUnits;
  double partialRowCycles; ///< Cycles for each copied row if an operand has
                           ///< fewer channels than a row holds: 3.6 to 5.7 in
                           ///< 60 schedules of 12 layers.
  double writeShare; ///< Shared-memory clocks that a written byte takes from
                     ///< operand reads, over those of a read byte.
  /// The most bytes of shared memory of a tile, and of its stages, beside which
  /// the first-level cache has room for lanes' copies of unaligned rows: it has
  /// what they leave of a unit's 256 KB. With 192 KB of stages, kernels
  /// took 1.1 to 1.6 times as long as with 128 KB (16 problems, 8 tiles); with
  /// less than 92 KB of cache, 1.2 times what others of their bytes took, on an
  /// H100.
  int64_t cachedTileBytes;
  int64_t cachedStageBytes;
  double copyLatencyCycles; ///< Cycles from start to end of a copy.
  double copyBytesPerClock; ///< Bytes per clock of the copies of all units.
  double stridedRowCycles;  ///< Cycles for each copied row that skips image
                            ///< positions.
  /// Share of the cycles of rows and lines that is left if few units copy: for
  /// the rest, they wait for caches that all units share. 160 small gradients
  /// of filters, with 4 to 132 units.
  double idleCopyShare;
  double unalignedRowCycles; ///< Cycles for each row whose stride is not a
                             ///< multiple of a sector: 6.5 to 10.1 in 8
                             ///< schedules of 3 layers.
  double longUnalignedShare; ///< Share of `unalignedRowCycles` for a run longer
                             ///< than a tile row, which reaches one more
                             ///< sector: 280 schedules of 40 1x1 windows. Boxes
                             ///< alone take 4.2 to 4.6 cycles for such a row,
                             ///< and 1.9 to 2.6 for whole lines.
  /// Cycles of the copy engine per row of a tile, and per row outside of the
  /// operand that most tiles read. A step of 2048->1024 1x1 with tiles of 128 x
  /// 112, the last of which has 96 such rows, takes 746 cycles, and one of
  /// 2048->1008 takes 526; of three layers of 8x8 images, tiles of 64 x 96 to
  /// 64 x 128 take 285 to 370.
  double engineRowCycles;
  double outsideRowCycles;
  /// Per row that starts in the middle of a cache line: 14 schedules of the
  /// gradient of 2048->1536 1x1 with 1600 positions.
  double splitRowCycles;
  double partialKeptRowCycles; ///< Per row of an operand that stays in shared
                               ///< memory and has fewer elements than a tile's
                               ///< row: 40 to 56 channels, 28x28, in NCHW.
  double unalignedGroupRowCycles; ///< `unalignedRowCycles` of groups, some of
                                  ///< whose rows are aligned: 2 layers of
                                  ///< groups of 24 and 56 channels.
  /// Time of rows that lanes copy, over that of whole sectors: of rows that
  /// start inside sectors (280 schedules of 40 1x1 windows, and 14 schedules in
  /// NCHW of reduced positions, took 1.2 to 1.4 times what was predicted), and
  /// of whole cache lines (44 schedules of images of 64 positions took 0.6 to
  /// 0.9 times).
  double unalignedGatherFactor;
  double alignedGatherFactor;
  /// Cycles of a lane that loads elements to registers, for each load, for each
  /// coordinate of it that may be outside, and for each vector that it joins
  /// and stores: 189 schedules of 46 layers on an H200, of which those of 16
  /// bits took 0.96 of the predicted times and those of 32 bits 1.14, within a
  /// factor of 1.3 (one standard deviation).
  double loadedElementCycles;
  double loadedCheckCycles;
  double loadedVectorCycles;
  double transposedRowFactor; ///< Time of an unaligned row of a filter with
                              ///< rows along the reduction, over that of other
                              ///< filters: 20 layers.
  double rereadShare; ///< Share of the memory's time per byte that a byte takes
                      ///< which adjacent tiles read again.
  double firstSteps;  ///< Steps that a kernel waits for when it starts, since
                      ///< all units read memory at once.
  /// Cycles of a tile's way through registers to shared memory, for each column
  /// of a warpgroup, times the square root of its atoms along the rows.
  double epilogueCyclesPerColumn;
  double storeCyclesPerRow; ///< Cycles for each copied row when a chunk of the
                            ///< result goes to memory.
  /// Cycles of a unit for each sector of a result with rows innermost, which
  /// lanes store from shared memory: in lines that fill sectors, and in shorter
  /// ones; and those added for each 16-bit element if some columns start within
  /// a register.
  double columnSectorCycles;
  double partColumnSectorCycles;
  double oddElementCycles;
  /// Seconds of the whole chip for each part of a sector that columns of halo
  /// tiles touch: 3 layers of 3x1 and 3x3 windows in NCHW, 16 schedules of
  /// which took up to 3.7 times as long as with rows in order on an H200.
  double partSectorSeconds;
  /// Added for each column, and to the chunks of a row, if chunks are not
  /// swizzled: 33 schedules with 104, 112 and 208 columns.
  double plainCyclesPerColumn;
  double plainChunks;
  /// Cycles that the only tile of a unit waits for memory after a pipeline of
  /// at most `shortPipelineStages`.
  double shortPipelineCycles;
  int64_t shortPipelineStages;
  double copiedEpilogueShare; ///< Share of the store cycles that an epilogue
                              ///< operand adds if it is copied.
  /// Share of an epilogue's cycles that are hidden: with one consumer, by loads
  /// of the next tile; with several, by the products of another consumer.
  double hiddenOfOneConsumer;
  double hiddenEpilogue;
  double overlap; ///< Exponent of the norm that joins compute and memory: 1
                  ///< adds them, larger is closer to the longer one.
  /// Cycles in which lanes split f32 operands into tf32 parts or transpose
  /// them: of a step, of each row of its tile, and of a warp for each column
  /// that it reads and each part of it that it writes. They are joined with the
  /// cycles of products as a root of squares. Measured of 85 problems, of the
  /// rows of 95 schedules of gradients of filters, and of 100 problems whose
  /// warps take turns, which took 0.92 (one part) and 1.00 times (two) what is
  /// predicted: bench/results/unlisted.md, "Split operands".
  double convertCycles;
  double convertCyclesPerRow;
  double convertCyclesPerColumn;
  double chainCycles; ///< Between two instructions that add to the same sums.
  /// Cycles of a consumer that promotes its sums, beside instructions and
  /// additions: 270 to 400 in 6 schedules of promotions of 32 to 128.
  double promotionCycles;
  /// The next kernel starts at the end of one whose units have at most so many
  /// tiles, with at least so many steps each: up to 2.8 % faster in 18 kernels,
  /// none slower. Shorter ones would lose up to 13 %.
  int64_t fewTilesOfUnit, longSteps;
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
  double unalignedRowCycles; ///< Cycles for each row whose stride is not a
  ///< multiple of a sector.
  double gradientCyclesPerColumn; ///< Sums over positions that are stored one
                                  ///< by one, for each column of an atom.
  double launchCycles; ///< From the launch until the filter is in shared
                       ///< memory, plus after the last tile.
  /// Loads of the filter by a work-item during `launchCycles`, and the cycles
  /// of each further load: 86 kernels.
  double launchLoads;
  double filterLoadCycles;
  /// Share of the memory's bandwidth, and time around a kernel that it limits.
  /// 67 schedules have a geometric standard deviation of 1.19 from the model.
  double memoryShare;
  double memoryStartSeconds;
};

/// Filters that stay in shared memory (`WeightStationary`), on an H200.
struct WeightStationaryCalibration {
  double matrixSlowdown; ///< Measured over data-sheet time of matrix
  ///< units.
  double copyBytesPerClock;       ///< Bytes per clock copied to one unit.
  double sliceCycles;             ///< Between the products of two slices.
  double epilogueCyclesPerColumn; ///< Results that lanes store, for each column
                                  ///< of an atom.
  double exposedStores; ///< Share of the stores that no product hides.
  double launchCycles;  ///< From launch to first tile plus after the last.
  double accessCycles;  ///< Each 16 bytes of the filter that a work-item loads.
  double memoryShare;   ///< Share of the memory's bandwidth that copies reach.
  double memoryStartSeconds; ///< Time around a kernel that memory limits.
};

} // namespace conv

#endif // CONV_CHIP_WARPGROUPCALIBRATION_H
