//===- Host.cpp - the CPU as a target ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code is compiled for x86-64-v3 (AVX2, FMA, F16C), the same on every
// machine, so that an artifact can travel. A "subgroup" is one thread; the
// counts and rates are those of a small machine and only rank schedules.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace conv;

// A register tile of 4 rows by 16 columns: eight 8-lane accumulators.
// Narrower operands are widened on the way into the cache tile
// (`getMultipliedType`).
static constexpr MatrixAtom kHostAtoms[] = {
    {AtomKind::FMA, NumericType::F32, NumericType::F32, 16, 4, 1, 1, 16, 4},
    {AtomKind::FMA, NumericType::I32, NumericType::I32, 16, 4, 1, 1, 16, 4},
};

/// Nothing was timed: counts are used without a correction, and all constants
/// are assumed.
constexpr Calibration conv::kHostCalibration = {
    .source = "assumed",
    .launch = {.loadLatencyNs = 400,
               .setupCycles = 400,
               .startSeconds = 0,
               .launchSeconds = 4e-6,
               .loadBytesPerClock = 64,
               .splitWaves = 4,
               .mostSplits = 64},
    .staged = {.registerStagedSlowdown = 1,
               .asyncStagedSlowdown = 1,
               .transposedStagedSlowdown = 1,
               .transposingSlowdown = 1,
               .scatterCycles = 0,
               .sparseScatterCycles = 0,
               .wholeScatterCycles = 0,
               .barrierCycles = 40,
               .loadLanesPerClock = 16,
               .leastLoadBytes = 4,
               .temporaries = 1,
               .fixedRegisters = 0,
               .inputPieceRegisters = 0,
               .filterPieceRegisters = 0},
    .direct = {.isCompared = false,
               .traffic = 4,
               .memoryEfficiency = 0.8,
               .countedCycles = 1,
               .countedReductionCycles = 1,
               .instructionsPerBox = 0,
               .instructionsPerStored = 0},
    .transform = {.efficiency = 0.8, .scatteredFactor = 4},
    .state = {.itemsPerUnit = 0, .workItems = 128, .largeWorkItems = 128},
};

static const ChipInfo kHostChips[] = {
    {.name = "host",
     .product = "x86-64-v3 processor",
     .backend = Backend::Host,
     .subgroupSize = 1,
     .maxWorkgroupSize = 1,
     .sharedMemoryBytes = 256 << 10,
     .staticSharedMemory = 256 << 10,
     .sharedMemoryOfUnit = 256 << 10,
     .sharedMemoryBanks = 1,
     .sharedMemoryBytesPerClock = 32,
     .registersPerLane = 16,
     .accumulationRegisters = 0,
     .registerFilePerLane = 16,
     .registerGranule = 1,
     .simdsPerComputeUnit = 1,
     .maxWavesPerSimd = 1,
     .computeUnits = 8,
     .clockGHz = 2.5,
     .memoryGBs = 40,
     .cacheBytes = 16 << 20,
     .fmaPerClock = 16,
     .calibration = &kHostCalibration,
     .runnable = true,
     .atoms = kHostAtoms},
};

std::span<const ChipInfo> conv::hostChips() { return kHostChips; }
