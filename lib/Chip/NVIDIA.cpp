//===- NVIDIA.cpp - one row per NVIDIA chip ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of the facts:
//   * atoms and their lane layouts: PTX ISA, "Matrix Fragments for mma.m16n8k16
//     with floating point type", "... mma.m16n8k8", "... mma.m16n8k32";
//   * cycles on sm_80: the data sheet's peak, as on AMD chips. On sm_90a only
//     wgmma reaches the data sheet's 4 cycles; mma.sync gets about 63 % of that
//     rate (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU
//     Architecture via Microbenchmarking", 2024), so it counts 7. A wgmma of n
//     columns keeps four matrix units busy for n / 2 cycles, or for 16 + n / 4
//     if reading 64 rows and n columns from shared memory takes longer.
//     mma.sync of 8-bit floats becomes f16 instructions (seen in the assembled
//     code), at half the rate;
//   * shared memory, registers, warps: CUDA C++ programming guide, "Technical
//     Specifications per Compute Capability";
//   * compute units, clock, bandwidth, cache: data sheets of the A100 80GB SXM,
//     the H200 SXM and the HGX B200, whose mma.sync is assumed to be Hopper's.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include "conv/Chip/Sectors.h"

using namespace conv;
using enum NumericType;
using enum AtomKind;

// As on AMD chips without a matrix instruction for f32: each lane multiplies
// its own row with 16 columns that all lanes read from the same address.
// kind, operand, accumulator, m, n, k, kPerLane, accRun, cycles
static constexpr MatrixAtom kAtomsSm80[] = {
    {MMASync, F16, F32, 16, 8, 16, 4, 1, 8},
    {MMASync, BF16, F32, 16, 8, 16, 4, 1, 8},
    {FMA, F32, F32, 16, 32, 4, 4, 16, 128},
    {MMASync, TF32, F32, 16, 8, 8, 2, 1, 8},
    {MMASync, I8, I32, 16, 8, 32, 8, 1, 8},
};

// Atoms without architecture-specific features come first.
static constexpr MatrixAtom kAtomsSm90a[] = {
    {MMASync, F16, F32, 16, 8, 16, 4, 1, 7},
    {MMASync, BF16, F32, 16, 8, 16, 4, 1, 7},
    {FMA, F32, F32, 16, 32, 4, 4, 16, 64},
    {MMASync, TF32, F32, 16, 8, 8, 2, 1, 7},
    {MMASync, I8, I32, 16, 8, 32, 8, 1, 7},
    {MMASync, F8, F32, 16, 8, 32, 8, 1, 14},
    {WGMMA, F16, F32, 64, 8, 16, 16, 1, 72},
    {WGMMA, F16, F32, 64, 16, 16, 16, 1, 80},
    {WGMMA, F16, F32, 64, 32, 16, 16, 1, 96},
    {WGMMA, F16, F32, 64, 40, 16, 16, 1, 104},
    {WGMMA, F16, F32, 64, 48, 16, 16, 1, 112},
    {WGMMA, F16, F32, 64, 64, 16, 16, 1, 128},
    {WGMMA, F16, F32, 64, 80, 16, 16, 1, 160},
    {WGMMA, F16, F32, 64, 96, 16, 16, 1, 192},
    {WGMMA, F16, F32, 64, 104, 16, 16, 1, 208},
    {WGMMA, F16, F32, 64, 112, 16, 16, 1, 224},
    {WGMMA, F16, F32, 64, 128, 16, 16, 1, 256},
    {WGMMA, F16, F32, 64, 144, 16, 16, 1, 288},
    {WGMMA, F16, F32, 64, 160, 16, 16, 1, 320},
    {WGMMA, F16, F32, 64, 192, 16, 16, 1, 384},
    {WGMMA, F16, F32, 64, 208, 16, 16, 1, 416},
    {WGMMA, F16, F32, 64, 224, 16, 16, 1, 448},
    {WGMMA, F16, F32, 64, 256, 16, 16, 1, 512},
    {WGMMA, BF16, F32, 64, 8, 16, 16, 1, 72},
    {WGMMA, BF16, F32, 64, 16, 16, 16, 1, 80},
    {WGMMA, BF16, F32, 64, 32, 16, 16, 1, 96},
    {WGMMA, BF16, F32, 64, 40, 16, 16, 1, 104},
    {WGMMA, BF16, F32, 64, 48, 16, 16, 1, 112},
    {WGMMA, BF16, F32, 64, 64, 16, 16, 1, 128},
    {WGMMA, BF16, F32, 64, 80, 16, 16, 1, 160},
    {WGMMA, BF16, F32, 64, 96, 16, 16, 1, 192},
    {WGMMA, BF16, F32, 64, 104, 16, 16, 1, 208},
    {WGMMA, BF16, F32, 64, 112, 16, 16, 1, 224},
    {WGMMA, BF16, F32, 64, 128, 16, 16, 1, 256},
    {WGMMA, BF16, F32, 64, 144, 16, 16, 1, 288},
    {WGMMA, BF16, F32, 64, 160, 16, 16, 1, 320},
    {WGMMA, BF16, F32, 64, 192, 16, 16, 1, 384},
    {WGMMA, BF16, F32, 64, 208, 16, 16, 1, 416},
    {WGMMA, BF16, F32, 64, 224, 16, 16, 1, 448},
    {WGMMA, BF16, F32, 64, 256, 16, 16, 1, 512},
    {WGMMA, TF32, F32, 64, 8, 8, 8, 1, 72},
    {WGMMA, TF32, F32, 64, 16, 8, 8, 1, 80},
    {WGMMA, TF32, F32, 64, 32, 8, 8, 1, 96},
    {WGMMA, TF32, F32, 64, 40, 8, 8, 1, 104},
    {WGMMA, TF32, F32, 64, 48, 8, 8, 1, 112},
    {WGMMA, TF32, F32, 64, 64, 8, 8, 1, 128},
    {WGMMA, TF32, F32, 64, 80, 8, 8, 1, 160},
    {WGMMA, TF32, F32, 64, 96, 8, 8, 1, 192},
    {WGMMA, TF32, F32, 64, 112, 8, 8, 1, 224},
    {WGMMA, TF32, F32, 64, 128, 8, 8, 1, 256},
    {WGMMA, TF32, F32, 64, 144, 8, 8, 1, 288},
    {WGMMA, TF32, F32, 64, 160, 8, 8, 1, 320},
    {WGMMA, TF32, F32, 64, 192, 8, 8, 1, 384},
    {WGMMA, TF32, F32, 64, 224, 8, 8, 1, 448},
    {WGMMA, TF32, F32, 64, 256, 8, 8, 1, 512},
    {WGMMA, I8, I32, 64, 8, 32, 32, 1, 72},
    {WGMMA, I8, I32, 64, 16, 32, 32, 1, 80},
    {WGMMA, I8, I32, 64, 32, 32, 32, 1, 96},
    {WGMMA, I8, I32, 64, 48, 32, 32, 1, 112},
    {WGMMA, I8, I32, 64, 64, 32, 32, 1, 128},
    {WGMMA, I8, I32, 64, 80, 32, 32, 1, 160},
    {WGMMA, I8, I32, 64, 96, 32, 32, 1, 192},
    {WGMMA, I8, I32, 64, 112, 32, 32, 1, 224},
    {WGMMA, I8, I32, 64, 128, 32, 32, 1, 256},
    {WGMMA, I8, I32, 64, 144, 32, 32, 1, 288},
    {WGMMA, I8, I32, 64, 160, 32, 32, 1, 320},
    {WGMMA, I8, I32, 64, 192, 32, 32, 1, 384},
    {WGMMA, I8, I32, 64, 224, 32, 32, 1, 448},
    {WGMMA, I8, I32, 64, 256, 32, 32, 1, 512},
    {WGMMA, F8, F32, 64, 8, 32, 32, 1, 72},
    {WGMMA, F8, F32, 64, 16, 32, 32, 1, 80},
    {WGMMA, F8, F32, 64, 32, 32, 32, 1, 96},
    {WGMMA, F8, F32, 64, 40, 32, 32, 1, 104},
    {WGMMA, F8, F32, 64, 48, 32, 32, 1, 112},
    {WGMMA, F8, F32, 64, 64, 32, 32, 1, 128},
    {WGMMA, F8, F32, 64, 80, 32, 32, 1, 160},
    {WGMMA, F8, F32, 64, 96, 32, 32, 1, 192},
    {WGMMA, F8, F32, 64, 112, 32, 32, 1, 224},
    {WGMMA, F8, F32, 64, 128, 32, 32, 1, 256},
    {WGMMA, F8, F32, 64, 144, 32, 32, 1, 288},
    {WGMMA, F8, F32, 64, 160, 32, 32, 1, 320},
    {WGMMA, F8, F32, 64, 192, 32, 32, 1, 384},
    {WGMMA3xTF32, F32, F32, 64, 32, 8, 8, 1, 288},
    {WGMMA3xTF32, F32, F32, 64, 64, 8, 8, 1, 384},
    {WGMMA3xTF32, F32, F32, 64, 96, 8, 8, 1, 576},
    {WGMMA3xTF32, F32, F32, 64, 128, 8, 8, 1, 768},
    {WGMMA3xTF32, F32, F32, 64, 160, 8, 8, 1, 960},
};
static constexpr size_t kPortableAtoms = 6;

static constexpr ChipInfo kSm80 = {
    .name = "sm_80",
    .product = "A100 80GB",
    .backend = Backend::NVPTX,
    .subgroupSize = 32,
    .maxWorkgroupSize = 1024,
    .sharedMemoryBytes = 163 << 10,
    .staticSharedMemory = 48 << 10,
    .sharedMemoryOfUnit = 164 << 10,
    .sharedMemoryBanks = 32,
    .sharedMemoryBytesPerClock = 128,
    .registersPerLane = 255,
    .accumulationRegisters = 0,
    .registerFilePerLane = 512,
    .registerAllocationUnit = 8,
    .simdsPerComputeUnit = 4,
    .maxWavesPerSimd = 16,
    .computeUnits = 108,
    .clockGHz = 1.41,
    .memoryGBs = 2039,
    .cacheBytes = 40 << 20,
    .fmaPerClock = 64,
    .calibration = &kAmpereCalibration,
    .sectorBytes = kNvidiaSectorBytes,
    .prefetchBytes = 128,
    .asyncCopyBytes = 4,
    .runnable = false,
    .atoms = kAtomsSm80,
    .ptxVersion = 80,
};

/// Measured with workgroups that take more than half of a unit's shared memory.
static constexpr int kHopperClusters[] = {132, 66, 39, 30, 22, 17, 15, 15};

static constexpr ChipInfo createHopper(std::string_view name,
                                       std::span<const MatrixAtom> atoms) {
  ChipInfo chip = kSm80;
  chip.name = name;
  chip.product = "H200";
  chip.sharedMemoryBytes = 227 << 10;
  chip.sharedMemoryOfUnit = 228 << 10;
  chip.computeUnits = 132;
  chip.clockGHz = 1.98;
  chip.memoryGBs = 4800;
  chip.cacheBytes = 50 << 20;
  chip.fmaPerClock = 128;
  chip.calibration = &kHopperCalibration;
  chip.atoms = atoms;
  chip.residentClusters = kHopperClusters;
  chip.ptxVersion = 84; // 8-bit floats.
  return chip;
}

/// sm_90 kernels that also run on Blackwell: without tcgen05.
static constexpr ChipInfo createBlackwell() {
  ChipInfo chip =
      createHopper("sm_100a", std::span(kAtomsSm90a).first(kPortableAtoms));
  chip.product = "B200";
  chip.computeUnits = 148;
  chip.clockGHz = 1.85;
  chip.memoryGBs = 8000;
  chip.cacheBytes = 126 << 20;
  chip.ptxVersion = 86;
  return chip;
}

static const ChipInfo kNVIDIAChips[] = {
    kSm80,
    createHopper("sm_90", std::span(kAtomsSm90a).first(kPortableAtoms)),
    createHopper("sm_90a", kAtomsSm90a),
    createBlackwell(),
};

std::span<const ChipInfo> conv::nvidiaChips() { return kNVIDIAChips; }
