//===- Chip.h - facts about processors --------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `ChipInfo` row per chip. Every question about hardware is answered here;
// nobody compares chip names. A new chip is a row in AMD.cpp, Host.cpp or
// NVIDIA.cpp (docs/adding-a-chip.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CHIP_H
#define CONV_CHIP_CHIP_H

#include "conv/Chip/Calibration.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace conv {

/// Element types of operands, results and accumulators. Matrix units take any
/// two 8-bit floats of one family, so the families are distinct here, not their
/// formats: `F8` is OCP's E4M3 and E5M2, `F8FNUZ` the forms without infinity
/// and negative zero. `TF32` is an f32 of which a matrix unit keeps 11 bits of
/// the significand; no tensor has this type.
enum class NumericType { F32, TF32, F16, BF16, F8, F8FNUZ, I8, I32 };

/// "f16": the spelling of IR and artifacts; "f8" and "f8FNUZ" are the common
/// part of the spellings of a family.
std::string_view getName(NumericType type);

/// Bytes of one element.
int64_t byteSize(NumericType type);

/// Bytes of a vector: of a lane's widest access to global or shared memory, 128
/// bits.
inline constexpr int64_t kVectorBytes = 16;

/// The back end that compiles kernels for a chip.
enum class Backend { AMDGPU, Host, NVPTX };

/// Instruction class of a matrix atom. `FMA` is a lane-wise outer product of
/// scalar or packed multiply-adds, for types without a matrix instruction.
/// `WGMMA3xTF32` multiplies f32 as three products of tf32.
enum class AtomKind { MFMA, WMMA, FMA, MMASync, WGMMA, WGMMA3xTF32 };

/// All atom kinds with their spelling in schedules.
inline constexpr std::pair<AtomKind, std::string_view> kAtomKinds[] = {
    {AtomKind::MFMA, "mfma"},   {AtomKind::WMMA, "wmma"},
    {AtomKind::FMA, "fma"},     {AtomKind::MMASync, "mma_sync"},
    {AtomKind::WGMMA, "wgmma"}, {AtomKind::WGMMA3xTF32, "wgmma_3xtf32"},
};

/// Whether a warpgroup executes atoms of this kind.
constexpr bool isWarpgroupAtom(AtomKind kind) {
  return kind == AtomKind::WGMMA || kind == AtomKind::WGMMA3xTF32;
}

/// One matrix instruction: `D[m][n] += sum_k A[m][k] * B[n][k]`, executed by a
/// whole subgroup. With `rows` = m for A and n for B, lane `l` holds:
///
///   * MFMA, WMMA: row `l % rows`, and `kPerLane` consecutive values of k.
///     Lanes that share a row hold different groups of k, or copies when
///     `kPerLane == k`. A and B assign groups to lanes in the same way.
///   * FMA: all m rows of A and row `l % n` of B, for every k.
///   * MMASync: with `groups` = k / kPerLane, rows `l / groups` of B, and
///     `l / groups` and `l / groups + m / 2` of A, and group `l % groups` of k.
///
/// Accumulator register `v` of lane `l` is, with c = `accColumns()`, column
/// `l % (n / c) * c + v % c` and, with u = v / c, row
///
///   u % accRun + accRun * (g + groups * (u / accRun)),
///   g = l / (n / c), groups = subgroupSize / (n / c).
///
/// WGMMA is executed by four subgroups together, a warpgroup, and reads A and B
/// from shared memory. Subgroup `w` accumulates rows 16 w to 16 w + 15 of D, in
/// the lane layout of an MMASync with that many rows, 8 columns at a time.
/// `cycles` are the cycles of all four matrix units. WGMMA3xTF32 is three
/// WGMMAs on the parts of f32 operands; A is in registers.
///
/// Sources: the instruction set manuals of MI200, CDNA3, CDNA4, RDNA3 and RDNA4
/// (sections on MFMA and WMMA register layouts), and the PTX ISA (sections on
/// matrix fragments for mma.m16n8k8, k16 and k32).
struct MatrixAtom {
  AtomKind kind;
  NumericType operand;     ///< Element type of A and B.
  NumericType accumulator; ///< Element type of C and D.
  int m, n, k;
  int kPerLane; ///< Consecutive k values a lane holds of A and of B.
  int accRun;   ///< Consecutive accumulator registers on consecutive rows.
  int cycles;   ///< Issue cycles on one matrix unit, for the cost model.

  /// Rows of A that a lane holds, m / rowsOfA() apart.
  constexpr int rowsOfA() const {
    return kind == AtomKind::FMA ? m : kind == AtomKind::MMASync ? 2 : 1;
  }
  /// Neighbouring columns that a lane's accumulators belong to.
  constexpr int accColumns() const { return kind == AtomKind::MMASync ? 2 : 1; }
  /// Groups of lanes that hold different k of the same row.
  constexpr int groupsOfK() const { return k / kPerLane; }
  /// Whether stored elements of `type` enter the atom without conversion.
  constexpr bool takes(NumericType type) const {
    return operand == type ||
           (operand == NumericType::TF32 && type == NumericType::F32);
  }
  /// Whether the atom truncates addends to 14 bits, as Hopper's instructions
  /// for 8-bit floats do (docs/numerics.md). Sums must be promoted to f32.
  constexpr bool hasNarrowSums() const {
    return kind == AtomKind::WGMMA && operand == NumericType::F8;
  }
  /// Whether neighbouring lanes hold different k of one row, rather than one k
  /// of different rows.
  constexpr bool splitsRows() const { return kind == AtomKind::MMASync; }
};

/// Copies from global memory to LDS that bypass registers ("direct to LDS").
/// Lanes cannot choose a destination: the data of a subgroup's lanes is
/// contiguous, in lane order, from an address that they share. Lanes whose
/// source is out of range write zeros.
struct LaneCopies {
  int bytes = 0; ///< Bytes of a lane; 0 without such copies.
  /// Whether LDS reads can transpose blocks of 16-bit elements, so that tiles
  /// need not have the reduction innermost.
  bool hasTransposingReads = false;
};

struct HostProcessor;

/// One processor. Sizes are of a compute unit (half of a workgroup processor)
/// unless their name says otherwise.
struct ChipInfo {
  std::string_view name;    ///< "gfx942"; what `--target` takes.
  std::string_view product; ///< A product with this chip.
  Backend backend;
  int subgroupSize;                 ///< Lanes of a wave.
  int maxWorkgroupSize;             ///< Work-items of a workgroup.
  int64_t sharedMemoryBytes;        ///< Shared memory a workgroup can have.
  int64_t staticSharedMemory;       ///< Shared memory a kernel can declare; a
                                    ///< launch has to request more.
  int64_t sharedMemoryOfUnit;       ///< All resident workgroups share it.
  int64_t sharedAllocationUnit = 1; ///< What a workgroup has is a multiple.
  int sharedMemoryBanks;            ///< 4-byte banks.
  int sharedMemoryBytesPerClock;    ///< LDS accesses without bank conflicts.
  int sharedWritePasses = 1;        ///< Time of a write over that of a read.
  int registersPerLane;       ///< 32-bit vector registers one wave can have.
  int accumulationRegisters;  ///< Registers that only matrix units can use.
  int registerFilePerLane;    ///< Registers of all waves of one SIMD unit.
  int registerAllocationUnit; ///< A wave's register count is a multiple.
  int simdsPerComputeUnit;
  int computeUnitsOfProcessor = 1; ///< Units that run a workgroup together.
  int maxWavesPerSimd;
  int computeUnits;
  double clockGHz;
  double memoryGBs;    ///< Datasheet bandwidth in 10^9 bytes a second.
  int64_t cacheBytes;  ///< The last level that all compute units share.
  double cacheGBs = 0; ///< Bandwidth of that level if the units share a nearer
                       ///< cache too; else 0.
  int fmaPerClock;     ///< f32 multiply-adds of a compute unit in a clock.
  const Calibration *calibration; ///< The costs of kernels on this chip.
  /// Bytes of a sector, the part of a cache line that is moved alone; 0 if
  /// lines are moved whole.
  int sectorBytes = 0;
  /// Bytes of a line of the cache next to a compute unit, which a load moves
  /// whole; 0 if no number was measured or published.
  int cacheLineBytes = 0;
  /// Bytes that one prefetch brings to the cache that all units share: a line
  /// of that cache. 0 if kernels do not prefetch.
  int prefetchBytes = 0;
  /// Bytes that a compute unit receives per clock when all units read from the
  /// cache that they share on their die.
  double sharedCacheBytesPerClock = 64;
  /// Dies with a cache of their own; workgroups are assigned to dies in turn.
  int dies = 1;
  int64_t dieCacheBytes = 0; ///< Cache bytes of each die; 0 if unknown.
  /// Least bytes of a copy from global to shared memory that bypasses
  /// registers: powers of two from there to 16. 0 if there are no such copies.
  int asyncCopyBytes = 0;
  /// Copies of 4 bytes (gfx9) are left out: they take four times the
  /// instructions.
  LaneCopies laneCopies = {};
  bool runnable; ///< Whether the simulator executes it.
  std::span<const MatrixAtom> atoms;
  /// How many clusters of 1, 2 and more workgroups, each on a compute unit of
  /// its own, run at a time. Empty without clusters.
  std::span<const int> residentClusters = {};
  int ptxVersion = 0; ///< Oldest usable PTX version: 80 is 8.0.
  const HostProcessor *processor = nullptr; ///< Of the host only.

  /// The copies to LDS that bypass registers; null without them.
  const LaneCopies *getLaneCopies() const {
    return laneCopies.bytes > 0 ? &laneCopies : nullptr;
  }

  bool isProcessor() const { return backend == Backend::Host; }

  /// Whether predictions add up the instructions of a kernel, as the clock of
  /// its code object does (`conv-clock`), because no times were measured.
  bool isClocked() const { return backend == Backend::AMDGPU; }

  /// Whether an instruction adds an offset that lanes share to the offsets of
  /// lanes, and reads zeros beyond the end of a buffer.
  bool hasBufferInstructions() const { return backend == Backend::AMDGPU; }

  /// Whether the code generator issues loads and products in the order of the
  /// kernel (`conv.schedule_fence`).
  bool obeysScheduleFences() const { return backend == Backend::AMDGPU; }

  /// Whether the code generator makes packed instructions of a lane's products
  /// of vectors.
  bool hasPackedProducts() const { return backend == Backend::AMDGPU; }

  /// Whether the code generator makes one instruction of a shuffle of four
  /// bytes.
  bool permutesBytes() const { return backend == Backend::AMDGPU; }

  /// Whether a subgroup can say which of those on its unit go first.
  bool hasSubgroupPriorities() const { return backend == Backend::AMDGPU; }

  /// Whether copies of `bytes` bytes to shared memory bypass registers.
  bool copiesWithoutRegisters(int64_t bytes) const {
    return asyncCopyBytes > 0 && bytes >= asyncCopyBytes;
  }

  /// The most work-items that are resident on a compute unit.
  int64_t maxResidentWorkItems() const {
    return int64_t(maxWavesPerSimd) * simdsPerComputeUnit * subgroupSize;
  }

  /// Whether a kernel can start before the previous kernel of the stream has
  /// ended, and wait itself for that: programmatic dependent launch.
  bool hasDependentLaunch() const {
    return backend == Backend::NVPTX && maxCluster() > 1;
  }

  /// Workgroups of the largest cluster.
  int64_t maxCluster() const {
    return std::max<int64_t>(1, std::ssize(residentClusters));
  }
};

/// The type in which a chip's atoms multiply elements that are stored as
/// `stored`: the host widens 16-bit and 8-bit types to 32 bits first.
NumericType getMultipliedType(const ChipInfo &chip, NumericType stored);

/// The row of `name`, or null.
const ChipInfo *lookupChip(std::string_view name);

/// All rows, in the order of the documentation.
std::span<const ChipInfo> allChips();

/// "gfx90a, gfx942, ...": for messages.
std::string chipNames();

/// Peak flop/s with this atom on all compute units.
double peakFlops(const ChipInfo &chip, const MatrixAtom &atom);

} // namespace conv

#endif // CONV_CHIP_CHIP_H
