//===- Candidate.h - one way to run a main loop -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// A candidate, its predicted cost, and why it cannot be used. Every term of a
// cost is kept, so that `--explain` can show it. A prediction ranks candidates;
// it is not a measurement.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_CANDIDATE_H
#define CONV_KERNELS_CANDIDATE_H

#include "conv/Dialect/Conv/IR/Producer.h"
#include "conv/Dialect/Conv/IR/StagedLoop.h"
#include "conv/Kernels/Problem.h"

#include <array>
#include <span>

namespace conv {

class KernelModel;

/// One way to run a main loop. Tiles are `[rows, columns]`, as in
/// `#conv.schedule`.
struct Candidate {
  const MatrixAtom *atom = nullptr;
  std::array<int64_t, 2> workgroup{}, subgroup{};
  int64_t gemmK = 0;
  int64_t stages = 0;
  bool columnsFastest = true; ///< Raster order: neighbours share rows.
  int64_t cluster = 1;   ///< Workgroups that share the reduction of a tile.
  int64_t promotion = 0; ///< Products per sum promoted to f32; 0: none.
  Producer producer = Producer::CopyEngine; ///< Of a warpgroup family.
  StagedLoop loop = StagedLoop::Registers;  ///< For `staged_gemm` only.
  int64_t lastRound = 0; ///< The last workgroups, which take turns.
  const KernelModel *model = nullptr; ///< The model that predicts the cost.

  int64_t subgroups() const {
    return (workgroup[0] / subgroup[0]) * (workgroup[1] / subgroup[1]);
  }
};

/// The resource that bounds the predicted time.
enum class Limit { MatrixUnits, SharedMemory, Loads, Latency, Memory };

/// The limit for people: "matrix units".
std::string_view getName(Limit limit);

/// 32-bit registers of one lane, by purpose.
struct RegisterCost {
  int64_t accumulators = 0; ///< The subgroup's tile of the output.
  int64_t staging = 0;      ///< The next tile, on its way to shared memory.
  int64_t fragments = 0;    ///< Operands of the matrix instructions.
  int64_t addresses = 0;    ///< Offsets and bounds of loads.

  int64_t total() const {
    return accumulators + staging + fragments + addresses;
  }
};

/// The prediction for one candidate. Cycles are cycles of one compute unit.
struct Cost {
  RegisterCost registers;
  int64_t sharedBytes = 0;        ///< Bytes of a workgroup.
  int64_t workgroups = 0;         ///< All workgroups of the grid.
  int64_t workItems = 0;          ///< Work-items of a workgroup.
  int64_t residentWorkgroups = 0; ///< At a time on one compute unit.
  double wavesPerSimd = 0;        ///< Waves resident on one SIMD unit.
  double waveEfficiency = 0;      ///< Busy share of all units, over all waves.
  double tileEfficiency = 0;      ///< Useful share of the multiplications.
  int64_t steps = 0;              ///< Iterations of the main loop.
  double matrixCycles = 0;        ///< Matrix units, one step of one workgroup.
  double sharedCycles = 0;        ///< Shared memory, one step of one workgroup.
  double loadCycles = 0;  ///< Load units and first-level cache, likewise.
  double stepCycles = 0;  ///< The three above, partly overlapped.
  double memoryBytes = 0; ///< Device memory traffic of all workgroups.
  double computeSeconds = 0, memorySeconds = 0;
  double seconds = 0; ///< Both, overlapped, and all launches but the first.
  Limit limit = Limit::MatrixUnits;
};

/// The reason why a candidate cannot be used.
enum class Rejection {
  None,
  SharedMemory,  ///< S6: its tiles do not fit.
  WorkgroupSize, ///< S7: more work-items than the chip allows.
  UnevenCopy,    ///< S8: 16-byte accesses do not divide evenly over work-items.
  Registers,     ///< Registers might spill.
  LaunchSize,    ///< A launch has more workgroups than the device can count.
};

/// Whether the chip has matrix instructions of warpgroups.
bool hasWarpgroups(const ChipInfo &chip);

/// What a kernel that starts when the previous one has ended adds to transforms
/// before it: their launches overlap only with kernels that start early. A
/// launch that overlaps with nothing has its whole time already.
double getWaitSeconds(const ChipInfo &chip);

/// The reason for people: "S6 shared memory".
std::string_view getName(Rejection rejection);

/// The most workgroups of `workItems` work-items that a launch can have.
int64_t computeMaxWorkgroups(int64_t workItems);

/// Whether one launch for all `results` has no more workgroups than that, with
/// tiles of this many matrices, rows and columns.
bool fitsLaunch(std::span<const ResultShape> results,
                const std::array<int64_t, 3> &tile, int64_t workItems);

/// Bytes to and from device memory with either raster order.
double computeMemoryBytes(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

/// Exposed cycles in which lanes store a tile element by element; 0 if lanes do
/// not store it so.
double computeScatterCycles(const Problem &problem, const ChipInfo &chip,
                            int64_t rows, int64_t columns);

/// Exposed cycles in which lanes store an element of a result pair by pair of
/// columns: row by row (`areRows`), which fills sectors but for the ends of
/// rows, or eight rows at a time, which fills parts of sectors and takes memory
/// as long as whole ones. Row by row, lanes also store odd rows. 0 if lanes
/// store single elements or sums of slices.
double getPairCycles(const Problem &problem, const ChipInfo &chip,
                     bool areRows);
/// Those cycles for all elements that a unit stores.
double computePairCycles(const Problem &problem, const ChipInfo &chip,
                         bool areRows);

} // namespace conv

#endif // CONV_KERNELS_CANDIDATE_H
