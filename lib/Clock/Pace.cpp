//===- Pace.cpp - one row of speeds per AMD chip --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of the numbers:
//   * waits, units of a workgroup processor: the instruction set manuals of
//     CDNA2 to CDNA4, RDNA3 and RDNA4;
//   * matrix rates: peak rates of the data sheets over compute units, clock
//     and SIMD units, as in ChipInfo's atoms; the floor and the four passes
//     until a result can be read: LLVM's scheduling models (SISchedule.td:
//     4, 8 and 16 passes of 4 clocks, latency 4 passes more);
//   * issue: a SIMD unit of CDNA has its turn every fourth clock and works four
//     clocks on 64 lanes; of RDNA, every clock on 32 lanes (white papers of
//     CDNA and RDNA). Latency of vector instructions on RDNA: LLVM's model;
//   * LDS: `ChipInfo::sharedMemoryBytesPerClock`; a workgroup processor has
//     twice that;
//   * caches: bytes of lines and sizes from the white papers; 64 bytes a clock
//     and compute unit on all chips;
//   * numbers that the cost model needs too are in ChipInfo, with their
// sources. Not looked up, and to be checked: dispatchers, scalar latency.
// Assumed, not published, and equal for all chips: latencies of memory (500
// clocks from the die's cache under load, 840 from below it; 120 next to the
// unit; 110 of LDS on CDNA), the queue of memory units, the cost of a taken
// branch. docs/amd-kernels.md says how results depend on them.
//
//===----------------------------------------------------------------------===//

#include "conv/Clock/Pace.h"

#include <algorithm>
#include <array>
#include <charconv>

using namespace conv;
using namespace conv::clock;

/// The common part of CDNA chips.
static Pace makeCdna(std::string_view name) {
  const ChipInfo &chip = *lookupChip(name);
  return {.chip = &chip,
          .waits = WaitStyle::Joined,
          .computeUnitsOfUnit = chip.computeUnitsOfProcessor,
          .issueCycles = 4,
          .matrix = {},
          .matrixFloor = 32,
          .matrixReadCycles = 16,
          .matrixTakesVector = false,
          .vectorCycles = 4,
          .slowVectorFactor = 4,
          .vectorLatency = 4,
          .sharedPassesPerTwoClocks = 2,
          .sharedWritePasses = chip.sharedWritePasses,
          .sharedLatency = 110,
          .sharedWriteLatency = 40,
          .vectorCacheBytesPerClock = 64,
          .vectorCacheBytes = 32 << 10,
          .hitLatency = 120,
          .sharedCacheLatency = 500,
          .memoryLatency = 840,
          .scalarLatency = 200,
          .queuedCycles = 256,
          .branchCycles = 16,
          .dispatchers = 8,
          .sharedCacheBytes = chip.dieCacheBytes,
          .farCacheGBs = chip.cacheGBs};
}

/// The common part of RDNA chips.
static Pace makeRdna(std::string_view chip) {
  Pace pace = makeCdna(chip);
  pace.waits = WaitStyle::StoresApart;
  pace.issueCycles = 1;
  pace.matrixFloor = 16;
  pace.matrixReadCycles = 4;
  pace.matrixTakesVector = true;
  pace.vectorCycles = 1;
  pace.vectorLatency = 5;
  pace.sharedPassesPerTwoClocks = 4;
  pace.branchCycles = 8;
  pace.dispatchers = 4;
  return pace;
}

static const std::array<Pace, 5> &getRows() {
  static const std::array<Pace, 5> rows = [] {
    Pace gfx90a = makeCdna("gfx90a");
    gfx90a.matrix = {256, 0, 256, 0, 64, 64};
    gfx90a.vectorCacheBytes = 16 << 10;
    gfx90a.dispatchers = 4;
    Pace gfx942 = makeCdna("gfx942");
    gfx942.matrix = {512, 1024, 1024, 256, 64, 64};
    Pace gfx950 = makeCdna("gfx950");
    gfx950.matrix = {1024, 2048, 2048, 0, 64, 32};
    Pace gfx1100 = makeRdna("gfx1100");
    gfx1100.matrix = {256, 0, 256, 0, 0, 0};
    gfx1100.matrixFloor = 8;
    Pace gfx1201 = makeRdna("gfx1201");
    gfx1201.waits = WaitStyle::AllApart;
    gfx1201.matrix = {512, 1024, 1024, 0, 0, 0};
    gfx1201.matrixFloor = 32;
    return std::array<Pace, 5>{gfx90a, gfx942, gfx950, gfx1100, gfx1201};
  }();
  return rows;
}

const Pace *clock::lookupPace(std::string_view chip) {
  for (const Pace &pace : getRows())
    if (pace.chip->name == chip)
      return &pace;
  return nullptr;
}

std::string clock::paceNames() {
  std::string names;
  for (const Pace &pace : getRows())
    names += (names.empty() ? "" : ", ") + std::string(pace.chip->name);
  return names;
}

/// Reads the number at the start of `text` and an x after it, and removes both.
static int takeNumber(std::string_view &text) {
  int value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(end - text.data());
  if (text.starts_with('x'))
    text.remove_prefix(1);
  return value;
}

/// The rate for the part of the name after the shape: f16, 8f16, bf16_1k, ...
static int getRate(const MatrixRates &rates, std::string_view type) {
  if (type.starts_with("f8") || type.starts_with("fp8") ||
      type.starts_with("bf8"))
    return rates.f8;
  if (type.starts_with("f16") || type.starts_with("bf16"))
    return rates.f16;
  if (type.starts_with("i8") || type.starts_with("iu8"))
    return rates.i8;
  if (type.starts_with("xf32"))
    return rates.tf32;
  return type.starts_with("f64") ? rates.f64 : rates.f32;
}

int clock::getMatrixCycles(const Pace &pace, std::string_view mnemonic,
                           double &flops) {
  flops = 0;
  if (!mnemonic.starts_with("v_mfma_") && !mnemonic.starts_with("v_wmma_"))
    return 0;
  // v_mfma_f32_32x32x8_f16, v_mfma_f32_32x32x8f16, v_wmma_f32_16x16x16_f16.
  std::string_view rest = mnemonic.substr(7);
  rest.remove_prefix(std::min(rest.size(), rest.find('_') + 1));
  int m = takeNumber(rest), n = takeNumber(rest), k = takeNumber(rest);
  if (rest.starts_with('_'))
    rest.remove_prefix(1);
  int rate = getRate(pace.matrix, rest);
  if (m * n * k == 0 || rate == 0)
    return 0;
  flops = 2.0 * m * n * k;
  return std::max(2 * m * n * k / rate, m * n / pace.matrixFloor);
}
