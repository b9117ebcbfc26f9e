//===- Pace.h - how fast a chip's units are ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the clock has to know of a chip beyond `ChipInfo`: a row for each one in
// Pace.cpp, where each number has its source. All cycles are those of the
// shader clock. A *unit* is what a workgroup's waves share: a compute unit, or
// the two of a workgroup processor.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_PACE_H
#define CONV_CLOCK_PACE_H

#include "conv/Chip/Chip.h"

namespace conv::clock {

/// How waits name what they count.
enum class WaitStyle {
  Joined,      ///< vmcnt: loads and stores; lgkmcnt: LDS and scalar loads.
  StoresApart, ///< vmcnt: loads; vscnt: stores; lgkmcnt as above.
  AllApart,    ///< loadcnt, storecnt, dscnt, kmcnt.
};

/// Multiply-adds of one matrix unit in a clock, times two.
struct MatrixRates {
  int f16, f8, i8, tf32, f32, f64;
};

struct Pace {
  const ChipInfo *chip;
  WaitStyle waits;
  int computeUnitsOfUnit; ///< 1, or 2 for a workgroup processor.
  int issueCycles;        ///< Between two instructions of one SIMD unit's wave.
  MatrixRates matrix;
  int matrixFloor;      ///< A matrix instruction takes m * n / this, at least.
  int matrixReadCycles; ///< After its last pass until others read the result.
  bool matrixTakesVector; ///< Matrix instructions keep the vector unit busy.
  int vectorCycles;       ///< A vector instruction of all lanes.
  int slowVectorFactor;   ///< Transcendental, 32-bit multiplication.
  int vectorLatency;      ///< Until the next instruction may read the result.
  int sharedPassesPerTwoClocks; ///< Passes through all banks of a unit.
  int sharedWritePasses;        ///< Passes of a write where a read has one.
  int sharedLatency;      ///< From the last pass of a read to its register.
  int sharedWriteLatency; ///< Until a write counts as done.
  int sharedGranule;      ///< A workgroup's LDS is a multiple of so many bytes.
  int vectorCacheBytesPerClock; ///< Of a compute unit.
  int vectorCacheBytes;         ///< Of a compute unit; lines are ChipInfo's.
  int hitLatency;         ///< Of a load that finds its lines next to the unit.
  int sharedCacheLatency; ///< Of one that the die's cache answers.
  int memoryLatency;      ///< Of one that goes below it.
  int scalarLatency;      ///< Of a scalar load.
  int queuedCycles;       ///< Work that memory units take before waves stall.
  int branchCycles;       ///< A taken branch.
  int dispatchers;        ///< Each starts a wave in a clock.
  int64_t sharedCacheBytes; ///< The cache of a die.
  double farCacheGBs; ///< Of the cache below the dies' own; 0: there is none.

  int simds() const { return chip->simdsPerComputeUnit * computeUnitsOfUnit; }
  int units() const { return chip->computeUnits / computeUnitsOfUnit; }
};

/// The row of a chip, or null if it has no clock.
const Pace *lookupPace(std::string_view chip);

/// "gfx90a, gfx942, ...": for messages.
std::string paceNames();

/// Cycles that a matrix instruction of a wave keeps its unit busy, from its
/// name; 0 if it is none. `flops` is what it computes.
int getMatrixCycles(const Pace &pace, std::string_view mnemonic, double &flops);

} // namespace conv::clock

#endif // CONV_CLOCK_PACE_H
