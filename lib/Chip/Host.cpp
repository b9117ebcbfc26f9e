//===- Host.cpp - the CPU as a target ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code is compiled for a level of processors, the same on every machine,
// so that an artifact can travel: x86-64-v3 (AVX2, FMA, F16C), x86-64-v4
// (AVX-512), or that with dot products of bf16 (AVX512-BF16). The machines of
// each also run the former. A "subgroup" is one thread; the counts and rates
// are those of a small machine and only rank schedules.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include "conv/Chip/HostCalibration.h"
#include "conv/Chip/HostProcessor.h"

using namespace conv;

// A register tile of 4 by 16 or 8 by 32: two vectors at each of 4 or 8 places.
// These sums are enough to hide the latency of multiply-adds. With AVX-512,
// there is also one vector at 8 places, for results that are too narrow for
// two, and three vectors, whose 24 sums need the fewest loads; and one vector
// at up to 16 places, half a one at as many, or two at up to 14, for parts of
// lines of an image. Narrower operands are widened on the way into the cache
// tile (`getMultipliedType`).
static constexpr MatrixAtom kHostAtoms[] = {
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 16, 4, 1, 1, 16, 4},
    {AtomKind::FMA, NumericType::I32, NumericType::I32, 16, 4, 1, 1, 16, 4},
};
static constexpr MatrixAtom kWideAtoms[] = {
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 32, 8, 1, 1, 32, 8},
    {AtomKind::FMA, NumericType::I32, NumericType::I32, 32, 8, 1, 1, 32, 8},
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 16, 8, 1, 1, 16, 8},
    {AtomKind::FMA, NumericType::I32, NumericType::I32, 16, 8, 1, 1, 16, 8},
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 48, 8, 1, 1, 48, 8},
    {AtomKind::FMA, NumericType::I32, NumericType::I32, 48, 8, 1, 1, 48, 8},
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 16, 16, 1, 1, 16, 16},
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 8, 16, 1, 1, 8, 16},
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 32, 14, 1, 1, 32, 14},
};
// An instruction multiplies pairs of bf16 and adds both products to a sum.
static constexpr MatrixAtom kPairAtoms[] = {
    kWideAtoms[0],
    kWideAtoms[1],
    kWideAtoms[2],
    kWideAtoms[3],
    kWideAtoms[4],
    kWideAtoms[5],
    kWideAtoms[6],
    kWideAtoms[7],
    kWideAtoms[8],
    {AtomKind::FMA, NumericType::BF16, NumericType::F32, 32, 8, 2, 2, 32, 8},
    {AtomKind::FMA, NumericType::BF16, NumericType::F32, 16, 8, 2, 2, 16, 8},
    {AtomKind::FMA, NumericType::BF16, NumericType::F32, 48, 8, 2, 2, 48, 8},
};

static constexpr HostProcessor kV3 = {.level = "x86-64-v3",
                                      .features = "",
                                      .vectorLanes = 8,
                                      .vectorRegisters = 16,
                                      .firstCacheBytes = 32 << 10,
                                      .secondCacheBytes = 2 << 20,
                                      .leastMaskedBits = 32,
                                      .hasMaskedStores = false,
                                      .hasGathers = false};
static constexpr HostProcessor kV4 = {.level = "x86-64-v4",
                                      .features = "",
                                      .vectorLanes = 16,
                                      .vectorRegisters = 32,
                                      .firstCacheBytes = 32 << 10,
                                      .secondCacheBytes = 2 << 20,
                                      .leastMaskedBits = 8,
                                      .hasMaskedStores = true,
                                      .hasGathers = true};
static constexpr HostProcessor kV4Pairs = [] {
  HostProcessor processor = kV4;
  processor.features = "+avx512bf16";
  return processor;
}();

static constexpr int64_t kNarrowRows[] = {8,   16,  32,  64, 96,
                                          128, 192, 256, 384};
static constexpr int64_t kWidePanels[] = {1, 2, 4, 6, 8, 12, 16};

static constexpr HostCalibration kHostKernels = {.ports = 2,
                                                 .latencyCycles = 4,
                                                 .boxRunInstructions = 3,
                                                 .copiedRunInstructions = 12,
                                                 .registerTileInstructions = 20,
                                                 .resultRunInstructions = 25,
                                                 .resultInstructions = 8,
                                                 .copiedInstructions = 8,
                                                 .maskedInstructions = 8,
                                                 .panelInstructions = 2,
                                                 .transposedInstructions = 0.5,
                                                 .maskedLineInstructions = 2,
                                                 .gatheredInstructions = 4,
                                                 .placeInstructions = 3,
                                                 .placesTogether = 3,
                                                 .transformBytes = 24,
                                                 .farTransformBytes = 6,
                                                 .beyondFirstCache = 2,
                                                 .besideInput = 0.3,
                                                 .farRunCycles = 5,
                                                 .panelShare = 0.75,
                                                 .narrowRows = kNarrowRows,
                                                 .widePanels = kWidePanels};

/// Nothing but single kernels was timed: counts are used without a correction.
constexpr Calibration conv::kHostCalibration = {
    .source = "assumed",
    .launch = {.setupCycles = 200,
               .startSeconds = 0,
               .launchSeconds = 4e-6,
               .splitWaves = 4,
               .mostSplits = 64},
    .direct = {.isCompared = false,
               .traffic = 4,
               .memoryEfficiency = 0.8,
               .countedCycles = 1,
               .countedReductionCycles = 1,
               .instructionsPerBox = 0,
               .instructionsPerStored = 0},
    // What layers of a few megabytes move stays in the caches.
    .transform = {.efficiency = 3, .scatteredFactor = 4},
    .state = {.itemsPerUnit = 0, .workItems = 128, .largeWorkItems = 128},
    .host = &kHostKernels,
};

/// A processor of eight cores, with these register tiles.
static constexpr ChipInfo createProcessor(std::string_view name,
                                          std::string_view product,
                                          const HostProcessor &processor,
                                          std::span<const MatrixAtom> atoms) {
  return {.name = name,
          .product = product,
          .backend = Backend::Host,
          .subgroupSize = 1,
          .maxWorkgroupSize = 1,
          .sharedMemoryBytes = 256 << 10,
          .staticSharedMemory = 256 << 10,
          .sharedMemoryOfUnit = 256 << 10,
          .sharedMemoryBanks = 1,
          .sharedMemoryBytesPerClock = int(4 * processor.vectorLanes),
          .registersPerLane = 16,
          .accumulationRegisters = 0,
          .registerFilePerLane = 16,
          .registerAllocationUnit = 1,
          .simdsPerComputeUnit = 1,
          .maxWavesPerSimd = 1,
          .computeUnits = 8,
          .clockGHz = 2.5,
          .memoryGBs = 40,
          .cacheBytes = 16 << 20,
          .fmaPerClock = int(2 * processor.vectorLanes),
          .calibration = &kHostCalibration,
          .runnable = true,
          .atoms = atoms,
          .processor = &processor};
}

static const ChipInfo kHostChips[] = {
    createProcessor("host", "x86-64-v3 processor", kV3, kHostAtoms),
    createProcessor("host_v4", "x86-64-v4 processor", kV4, kWideAtoms),
    createProcessor("host_v4_bf16", "x86-64-v4 processor with AVX512-BF16",
                    kV4Pairs, kPairAtoms),
};

std::span<const ChipInfo> conv::hostChips() { return kHostChips; }
