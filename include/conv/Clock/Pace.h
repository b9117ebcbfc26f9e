//===- Pace.h - how fast a chip's units are ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Speeds of a chip that `ChipInfo` does not have: a row for each chip in
// Pace.cpp, where each number has its source. All cycles are cycles of the
// shader clock. A *unit* is what the waves of a workgroup share: a compute
// unit, or both compute units of a workgroup processor.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_PACE_H
#define CONV_CLOCK_PACE_H

#include "conv/Chip/Chip.h"

namespace conv::clock {

/// The counters that wait instructions name.
enum class WaitStyle {
  Joined,      ///< vmcnt: loads and stores; lgkmcnt: LDS and scalar loads.
  StoresApart, ///< vmcnt: loads; vscnt: stores; lgkmcnt as above.
  AllApart,    ///< loadcnt, storecnt, dscnt, kmcnt.
};

/// Flops per clock of one matrix unit: multiply-adds times two.
struct MatrixRates {
  int f16, f8, i8, tf32, f32, f64;
};

struct Pace {
  const ChipInfo *chip;
  WaitStyle waits;
  int computeUnitsOfUnit; ///< 1, or 2 for a workgroup processor.
  int issueCycles;        ///< Between two instructions of a wave.
  MatrixRates matrix;
  int matrixFloor;      ///< Least cycles of a matrix instruction: m * n / this.
  int matrixReadCycles; ///< From its last pass until the result can be read.
  bool matrixTakesVector; ///< Matrix instructions keep the vector unit busy.
  int vectorCycles;       ///< A vector instruction of all lanes.
  int slowVectorFactor;   ///< Transcendental, 32-bit multiplication.
  int vectorLatency;      ///< Until the next instruction can read the result.
  int sharedPassesPerTwoClocks; ///< Passes through all LDS banks of a unit.
  int sharedWritePasses;        ///< Passes of a write for one of a read.
  int sharedLatency;      ///< From the last pass of a read to its register.
  int sharedWriteLatency; ///< Until a write counts as done.
  int vectorCacheBytesPerClock; ///< Per compute unit.
  int vectorCacheBytes;   ///< Per compute unit; `ChipInfo` has the line size.
  int hitLatency;         ///< A load that hits the cache next to the unit.
  int sharedCacheLatency; ///< A load that hits the die's cache.
  int memoryLatency;      ///< A load that misses the die's cache.
  int scalarLatency;      ///< Cycles of a scalar load.
  int queuedCycles;       ///< Work that memory units queue before waves stall.
  int branchCycles;       ///< A taken branch.
  int dispatchers;        ///< Each of them starts one wave per clock.
  int64_t sharedCacheBytes; ///< The cache of a die.
  double farCacheGBs;       ///< Bandwidth below the dies' caches; 0: no cache.

  int simds() const { return chip->simdsPerComputeUnit * computeUnitsOfUnit; }
  int units() const { return chip->computeUnits / computeUnitsOfUnit; }
};

/// The row of a chip, or null if it has no clock.
const Pace *lookupPace(std::string_view chip);

/// "gfx90a, gfx942, ...": for messages.
std::string paceNames();

/// Cycles that a matrix instruction of a wave keeps its unit busy, by its name;
/// 0 for other instructions. `flops` receives its operations.
int getMatrixCycles(const Pace &pace, std::string_view mnemonic, double &flops);

} // namespace conv::clock

#endif // CONV_CLOCK_PACE_H
