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
// All constants share one time scale, which ranks all kernels. A chip leaves
// out the records of kernels that it cannot run. Measurements and errors of
// predictions are in bench/calibration.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CALIBRATION_H
#define CONV_CHIP_CALIBRATION_H

#include "conv/Chip/DirectCalibration.h"
#include "conv/Chip/DynamicCalibration.h"
#include "conv/Chip/StagedCalibration.h"
#include "conv/Chip/UnitCalibration.h"
#include "conv/Chip/WarpgroupCalibration.h"

#include <cstdint>
#include <string_view>

namespace conv {

/// Launches, and the fixed work of every kernel.
struct LaunchCalibration {
  double setupCycles;   ///< Start of a workgroup, which locates its elements by
                        ///< divisions.
  double startSeconds;  ///< From a launch to the first load plus after the last
                        ///< store. Measured on an H200.
  double launchSeconds; ///< From the end of a kernel to the next one's work.
  /// Bytes of its operands that a kernel prefetches into the last-level cache
  /// while the previous one ends.
  int64_t prefetchedBytes = 0;
  double prefetchSeconds = 0; ///< What that saves.
  /// Waves of the largest tiles that fill the chip, at most, once reductions
  /// are split, and the most split-K slices; of few tiles, twice as many that
  /// fill the chip. By the clock of AMD chips, summing more slices costs less
  /// than workgroups that leave units idle.
  int64_t splitWaves, mostSplits;
};

/// Accesses of lanes to memory, in the kernels of all families on GPUs. All
/// GPUs have the first three; models divide by the latter two.
struct AccessCalibration {
  /// From issue to use of a load that misses the nearer caches. Published
  /// measurements lie between 250 ns (RDNA) and 700 ns (CDNA).
  double loadLatencyNs;
  double loadBytesPerClock; ///< Bytes from the first-level cache per clock.
  double loadLanesPerClock; ///< Addresses that it takes per clock.
  /// Cycles of a compute unit for an element that a lane stores alone: adjacent
  /// to one of the next row, or scattered. 0 where nothing was measured.
  double scatterCycles = 0;
  double sparseScatterCycles = 0;
  /// `scatterCycles` if neighbouring rows fill a sector: 6 layers in f32.
  double wholeScatterCycles = 0;
};

/// Kernels that add split-K slices. A chip on which they were not measured
/// leaves this out; they then take `launchSeconds` and their bytes.
struct SplitSumCalibration {
  double launchSeconds;  ///< From the end of products to the sum.
  double sliceSeconds;   ///< Seconds for each more slice that a lane adds.
  double bandwidthShare; ///< Share of the memory bandwidth at which slices are
                         ///< written and read.
  double scatteredSeconds; ///< Seconds for each element that is not stored
                           ///< beside its neighbours.
};

/// Kernels that move data (`Schedule/FormSpace`).
struct TransformCalibration {
  double efficiency;      ///< Share of the memory bandwidth that
                          ///< `conv.transform` reaches.
  double scatteredFactor; ///< Memory bytes for each byte of a scattered access:
                          ///< a sector for each element, of which a cache holds
                          ///< a part for others.
  double overlappedLaunchSeconds = 0; ///< Launch of a transform by programmatic
                                      ///< dependent launch: 0.7 to 1.2 us in
                                      ///< 145 schedules of 40 layers (H200).
  /// What a product takes longer after transforms if it starts when they have
  /// ended (`KernelModel::startsEarly`): 1.0 and 1.6 us in two grouped layers.
  double waitSeconds = 0;
  /// The most elements between rows of a source that tiles in shared memory
  /// turn; rows that are further apart share no sectors. 1: adjacent ones only.
  int64_t mostTurnedDistance = 1;
  /// The fewest columns and rows if rows are not adjacent. With fewer channels,
  /// the elements of an unfolded window are copied one by one, and so are those
  /// of short lines: of lines of 14 on an H200, every second element took as
  /// long as all (bench/results/unlisted.md).
  int64_t fewestSkippedColumns = 1, fewestSkippedRows = 1;
};

/// Decoding steps and sequences (`lib/Kernels/State`).
struct StateCalibration {
  /// Least work-items per compute unit: fewer do not hide the latency of loads
  /// and of arithmetic. 0: items are as large as accesses allow.
  int64_t itemsPerUnit;
  int64_t workItems; ///< Work-items of a workgroup.
  /// Work-items of a workgroup of a decoding step with at least as many
  /// elements for each compute unit: the more workgroups a grid has, the longer
  /// its launch takes, and a step is too short to hide that.
  int64_t largeWorkItems;
  /// Registers of a work-item of a decoding step for addresses and sums, beside
  /// what it reads: ptxas gives steps of 36, 72 and 144 bytes 24, 32 and 41.
  int64_t fixedRegisters = 12;
};

struct HostCalibration;

/// All constants that were measured or assumed for a chip.
struct Calibration {
  std::string_view source; ///< The device or model behind the numbers.
  LaunchCalibration launch;
  AccessCalibration access = {};
  StagedCalibration staged = {};
  LaneCalibration lane = {};
  UnitCalibration unit = {};
  WarpgroupCalibration warpgroup = {};
  LineBufferCalibration lineBuffer = {};
  WeightStationaryCalibration weightStationary = {};
  DirectCalibration direct = {};
  SplitSumCalibration splitSum = {};
  TransformCalibration transform;
  StateCalibration state;
  DynamicCalibration dynamic = {};
  const HostCalibration *host = nullptr; ///< Kernels of processors.
};

} // namespace conv

#endif // CONV_CHIP_CALIBRATION_H
