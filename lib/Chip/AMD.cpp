//===- AMD.cpp - one row per AMD chip ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of the facts:
//   * atoms and their lane layouts: AMD's instruction set manuals of CDNA2
//     (MI200), CDNA3, CDNA4, RDNA3 and RDNA4, sections on MFMA and WMMA;
//   * their cycles: the peak rates of the product data sheets, which equal
//     2*m*n*k / cycles * simdsPerComputeUnit * computeUnits * clockGHz
//     (`ChipTable.PeakRatesAreThoseOfTheDataSheets` checks it);
//   * LDS, caches, compute units: "AMD GPU specifications" of the ROCm manual;
//   * bytes of a cache line, dies, and cache bytes in a clock (for each compute
//     unit: 4096 bytes among 104 on gfx90a, 2048 among 38 and 32 on each die of
//     gfx942 and gfx950): the white papers of CDNA2 to CDNA4; for RDNA, the 64
//     bytes of a request to the level-2 cache, and two compute units to a port
//     of 64 bytes;
//   * registers, their allocation unit, waves of a SIMD unit: LLVM's AMDGPU
//     back end, which allocates them (AMDGPUBaseInfo.cpp: getTotalNumVGPRs,
//     getVGPRAllocGranule, getMaxWavesPerEU);
//   * bytes of LDS in a clock on gfx950: of reads; writes have half the rate
//     (white paper of CDNA4);
//   * copies to LDS in the order of lanes, and transposing reads of LDS: LLVM's
//     AMDGPU back end has buffer_load_dwordx4 with `lds` and ds_read_b64_tr_b16
//     for gfx950 alone;
//   * bandwidth of the last cache: AMD's peak of Infinity Cache on MI300X. Not
//     looked up, and to be checked: gfx950 (assumed equal to gfx942) and RDNA,
//     and the bytes of RDNA's level-2 caches;
//   * gfx1250 has no public data sheet: registers, LDS and instructions are
//     from LLVM; compute units, clock, bandwidth and cache are guesses that
//     only rank schedules.
//
// A wave of a CDNA chip has 256 vector and 256 accumulation registers. Within a
// table, the atoms of an operand type are sorted by instructions per flop,
// fewest first.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace conv;
using enum NumericType;
using enum AtomKind;

// kind, operand, accumulator, m, n, k, kPerLane, accRun, cycles
static constexpr MatrixAtom kAtomsGfx90a[] = {
    {MFMA, F16, F32, 32, 32, 8, 4, 4, 64},
    {MFMA, F16, F32, 16, 16, 16, 4, 4, 32},
    {MFMA, BF16, F32, 32, 32, 8, 4, 4, 64},
    {MFMA, BF16, F32, 16, 16, 16, 4, 4, 32},
    {MFMA, F32, F32, 32, 32, 2, 1, 4, 64},
    {MFMA, F32, F32, 16, 16, 4, 1, 4, 32},
    {MFMA, I8, I32, 32, 32, 8, 4, 4, 64},
    {MFMA, I8, I32, 16, 16, 16, 4, 4, 32},
};

static constexpr MatrixAtom kAtomsGfx942[] = {
    {MFMA, F16, F32, 32, 32, 8, 4, 4, 32},
    {MFMA, F16, F32, 16, 16, 16, 4, 4, 16},
    {MFMA, BF16, F32, 32, 32, 8, 4, 4, 32},
    {MFMA, BF16, F32, 16, 16, 16, 4, 4, 16},
    {MFMA, F32, F32, 32, 32, 2, 1, 4, 64},
    {MFMA, F32, F32, 16, 16, 4, 1, 4, 32},
    {MFMA, TF32, F32, 32, 32, 4, 2, 4, 32},
    {MFMA, TF32, F32, 16, 16, 8, 2, 4, 16},
    {MFMA, F8FNUZ, F32, 32, 32, 16, 8, 4, 32},
    {MFMA, F8FNUZ, F32, 16, 16, 32, 8, 4, 16},
    {MFMA, I8, I32, 32, 32, 16, 8, 4, 32},
    {MFMA, I8, I32, 16, 16, 32, 8, 4, 16},
};

static constexpr MatrixAtom kAtomsGfx950[] = {
    {MFMA, F16, F32, 32, 32, 16, 8, 4, 32},
    {MFMA, F16, F32, 16, 16, 32, 8, 4, 16},
    {MFMA, BF16, F32, 32, 32, 16, 8, 4, 32},
    {MFMA, BF16, F32, 16, 16, 32, 8, 4, 16},
    {MFMA, F32, F32, 32, 32, 2, 1, 4, 64},
    {MFMA, F32, F32, 16, 16, 4, 1, 4, 32},
    {MFMA, F8, F32, 32, 32, 64, 32, 4, 64},
    {MFMA, F8, F32, 16, 16, 128, 32, 4, 32},
    {MFMA, I8, I32, 32, 32, 32, 16, 4, 32},
    {MFMA, I8, I32, 16, 16, 64, 16, 4, 16},
};

// Chips of wave size 32 have no matrix instruction for f32: each lane
// multiplies its own row with 16 columns that all lanes read from the same
// address. Two of its multiply-adds are issued in a cycle.
static constexpr MatrixAtom kAtomsGfx11[] = {
    {WMMA, F16, F32, 16, 16, 16, 16, 1, 32},
    {WMMA, BF16, F32, 16, 16, 16, 16, 1, 32},
    {FMA, F32, F32, 16, 32, 4, 4, 16, 32},
    {WMMA, I8, I32, 16, 16, 16, 16, 1, 32},
};

static constexpr MatrixAtom kAtomsGfx12[] = {
    {WMMA, F16, F32, 16, 16, 16, 8, 8, 16},
    {WMMA, BF16, F32, 16, 16, 16, 8, 8, 16},
    {FMA, F32, F32, 16, 32, 4, 4, 16, 32},
    {WMMA, F8, F32, 16, 16, 16, 8, 8, 8},
    {WMMA, I8, I32, 16, 16, 16, 8, 8, 8},
};

static constexpr MatrixAtom kAtomsGfx1250[] = {
    {WMMA, F16, F32, 16, 16, 32, 16, 8, 16},
    {WMMA, BF16, F32, 16, 16, 32, 16, 8, 16},
    {FMA, F32, F32, 16, 32, 4, 4, 16, 32},
    {WMMA, F8, F32, 16, 16, 64, 32, 8, 16},
    {WMMA, I8, I32, 16, 16, 64, 32, 8, 16},
};

static const ChipInfo kAMDChips[] = {
    {.name = "gfx90a",
     .product = "Instinct MI210",
     .backend = Backend::AMDGPU,
     .subgroupSize = 64,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 64 << 10,
     .staticSharedMemory = 64 << 10,
     .sharedMemoryOfUnit = 64 << 10,
     .sharedAllocationUnit = 512,
     .sharedMemoryBanks = 32,
     .sharedMemoryBytesPerClock = 128,
     .registersPerLane = 512,
     .accumulationRegisters = 256,
     .registerFilePerLane = 512,
     .registerAllocationUnit = 8,
     .simdsPerComputeUnit = 4,
     .maxWavesPerSimd = 8,
     .computeUnits = 104,
     .clockGHz = 1.7,
     .memoryGBs = 1638,
     .cacheBytes = 8 << 20,
     .fmaPerClock = 128,
     .calibration = &kCDNACalibration,
     .cacheLineBytes = 64,
     .sharedCacheBytesPerClock = 39,
     .dieCacheBytes = 8 << 20,
     .runnable = true,
     .atoms = kAtomsGfx90a},
    {.name = "gfx942",
     .product = "Instinct MI300X",
     .backend = Backend::AMDGPU,
     .subgroupSize = 64,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 64 << 10,
     .staticSharedMemory = 64 << 10,
     .sharedMemoryOfUnit = 64 << 10,
     .sharedAllocationUnit = 512,
     .sharedMemoryBanks = 32,
     .sharedMemoryBytesPerClock = 128,
     .registersPerLane = 512,
     .accumulationRegisters = 256,
     .registerFilePerLane = 512,
     .registerAllocationUnit = 8,
     .simdsPerComputeUnit = 4,
     .maxWavesPerSimd = 8,
     .computeUnits = 304,
     .clockGHz = 2.1,
     .memoryGBs = 5300,
     .cacheBytes = 256 << 20,
     .cacheGBs = 17200,
     .fmaPerClock = 128,
     .calibration = &kCDNACalibration,
     .cacheLineBytes = 128,
     .sharedCacheBytesPerClock = 54,
     .dies = 8,
     .dieCacheBytes = 4 << 20,
     .runnable = true,
     .atoms = kAtomsGfx942},
    {.name = "gfx950",
     .product = "Instinct MI350X",
     .backend = Backend::AMDGPU,
     .subgroupSize = 64,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 160 << 10,
     .staticSharedMemory = 160 << 10,
     .sharedMemoryOfUnit = 160 << 10,
     .sharedAllocationUnit = 1280,
     .sharedMemoryBanks = 64,
     .sharedMemoryBytesPerClock = 256,
     .sharedWritePasses = 2,
     .registersPerLane = 512,
     .accumulationRegisters = 256,
     .registerFilePerLane = 512,
     .registerAllocationUnit = 8,
     .simdsPerComputeUnit = 4,
     .maxWavesPerSimd = 8,
     .computeUnits = 256,
     .clockGHz = 2.2,
     .memoryGBs = 8000,
     .cacheBytes = 256 << 20,
     .cacheGBs = 17200,
     .fmaPerClock = 128,
     .calibration = &kCDNACalibration,
     .cacheLineBytes = 128,
     .sharedCacheBytesPerClock = 64,
     .dies = 8,
     .dieCacheBytes = 4 << 20,
     .laneCopies = {.bytes = 16, .hasTransposingReads = true},
     .runnable = true,
     .atoms = kAtomsGfx950},
    {.name = "gfx1100",
     .product = "Radeon RX 7900 XTX",
     .backend = Backend::AMDGPU,
     .subgroupSize = 32,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 64 << 10,
     .staticSharedMemory = 64 << 10,
     .sharedMemoryOfUnit = 64 << 10,
     .sharedAllocationUnit = 512,
     .sharedMemoryBanks = 32,
     .sharedMemoryBytesPerClock = 128,
     .registersPerLane = 256,
     .accumulationRegisters = 0,
     .registerFilePerLane = 1536,
     .registerAllocationUnit = 24,
     .simdsPerComputeUnit = 2,
     .computeUnitsOfProcessor = 2,
     .maxWavesPerSimd = 16,
     .computeUnits = 96,
     .clockGHz = 2.5,
     .memoryGBs = 960,
     .cacheBytes = 96 << 20,
     .cacheGBs = 3500,
     .fmaPerClock = 128,
     .calibration = &kRDNACalibration,
     .cacheLineBytes = 64,
     .sharedCacheBytesPerClock = 32,
     .dieCacheBytes = 6 << 20,
     .runnable = true,
     .atoms = kAtomsGfx11},
    {.name = "gfx1201",
     .product = "Radeon RX 9070 XT",
     .backend = Backend::AMDGPU,
     .subgroupSize = 32,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 64 << 10,
     .staticSharedMemory = 64 << 10,
     .sharedMemoryOfUnit = 64 << 10,
     .sharedAllocationUnit = 512,
     .sharedMemoryBanks = 32,
     .sharedMemoryBytesPerClock = 128,
     .registersPerLane = 256,
     .accumulationRegisters = 0,
     .registerFilePerLane = 1536,
     .registerAllocationUnit = 24,
     .simdsPerComputeUnit = 2,
     .computeUnitsOfProcessor = 2,
     .maxWavesPerSimd = 16,
     .computeUnits = 64,
     .clockGHz = 2.97,
     .memoryGBs = 640,
     .cacheBytes = 64 << 20,
     .cacheGBs = 2300,
     .fmaPerClock = 128,
     .calibration = &kRDNACalibration,
     .cacheLineBytes = 64,
     .sharedCacheBytesPerClock = 32,
     .dieCacheBytes = 8 << 20,
     .runnable = true,
     .atoms = kAtomsGfx12},
    {.name = "gfx1250",
     .product = "(announced)",
     .backend = Backend::AMDGPU,
     .subgroupSize = 32,
     .maxWorkgroupSize = 1024,
     .sharedMemoryBytes = 320 << 10,
     .staticSharedMemory = 320 << 10,
     .sharedMemoryOfUnit = 320 << 10,
     .sharedAllocationUnit = 2048,
     .sharedMemoryBanks = 64,
     .sharedMemoryBytesPerClock = 128,
     .registersPerLane = 256,
     .accumulationRegisters = 0,
     .registerFilePerLane = 1024,
     .registerAllocationUnit = 16,
     .simdsPerComputeUnit = 4,
     .maxWavesPerSimd = 16,
     .computeUnits = 256,
     .clockGHz = 2.4,
     .memoryGBs = 8000,
     .cacheBytes = 192 << 20,
     .fmaPerClock = 128,
     .calibration = &kRDNACalibration,
     .runnable = false,
     .atoms = kAtomsGfx1250},
};

std::span<const ChipInfo> conv::amdChips() { return kAMDChips; }
