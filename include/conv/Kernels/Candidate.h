//===- Candidate.h - one way to run a main loop -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// A candidate, what it is predicted to cost, and why it cannot be used. Every
// term of a cost is kept, so that `--explain` can show it. A prediction ranks
// candidates; it is not a measurement.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_CANDIDATE_H
#define CONV_KERNELS_CANDIDATE_H

#include "conv/Dialect/Conv/IR/MainLoop.h"
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
  bool columnsFastest = true; ///< Raster: neighbours share their rows.
  int64_t cluster = 1;   ///< Workgroups that share the reduction of a tile.
  int64_t promotion = 0; ///< Products whose sum is promoted to f32; 0: none is.
  MainLoop loop = MainLoop::RegisterStaged;
  const KernelModel *model = nullptr; ///< The model that knows what it costs.

  int64_t subgroups() const {
    return (workgroup[0] / subgroup[0]) * (workgroup[1] / subgroup[1]);
  }
};

/// What bounds the predicted time.
enum class Limit { MatrixUnits, SharedMemory, Loads, Latency, Memory };

/// "matrix units": for people.
std::string_view getName(Limit limit);

/// 32-bit registers of one lane, by use.
struct RegisterCost {
  int64_t accumulators = 0; ///< The subgroup's part of the output.
  int64_t staging = 0;      ///< The next tile, on its way to shared memory.
  int64_t fragments = 0;    ///< Operands of the matrix instructions.
  int64_t addresses = 0;    ///< Offsets and bounds of what is loaded.

  int64_t total() const {
    return accumulators + staging + fragments + addresses;
  }
};

/// The prediction for one candidate. Cycles are of one compute unit.
struct Cost {
  RegisterCost registers;
  int64_t sharedBytes = 0;        ///< Shared memory of a workgroup.
  int64_t workgroups = 0;         ///< Of the whole grid.
  int64_t workItems = 0;          ///< Of a workgroup.
  int64_t residentWorkgroups = 0; ///< On one compute unit at a time.
  double wavesPerSimd = 0;        ///< Resident on one SIMD unit.
  double waveEfficiency = 0;      ///< Busy share of all units over the rounds.
  double tileEfficiency = 0;      ///< Useful share of the multiplications.
  int64_t steps = 0;              ///< Iterations of the main loop.
  double matrixCycles = 0;        ///< Matrix units, one step of one workgroup.
  double sharedCycles = 0;        ///< Shared memory, the same.
  double loadCycles = 0;  ///< Load units and first-level cache, the same.
  double stepCycles = 0;  ///< The three, partly overlapped.
  double memoryBytes = 0; ///< To and from device memory, all workgroups.
  double computeSeconds = 0, memorySeconds = 0;
  double seconds = 0; ///< Both, overlapped, and all launches but the first.
  Limit limit = Limit::MatrixUnits;
};

/// Why a candidate cannot be used.
enum class Rejection {
  None,
  SharedMemory,  ///< S6: its tiles do not fit.
  WorkgroupSize, ///< S7: more work-items than the chip allows.
  UnevenCopy,    ///< S8: 16-byte pieces do not divide evenly over work-items.
  Registers,     ///< It might spill.
  LaunchSize,    ///< A launch has more workgroups than can be counted.
};

/// "S6 shared memory": for people.
std::string_view getName(Rejection rejection);

/// Workgroups of so many work-items that a launch can have.
int64_t computeMaxWorkgroups(int64_t workItems);

/// Whether a launch for all of those has no more, with tiles of so many
/// matrices, rows and columns.
bool fitsLaunch(std::span<const ResultShape> parts,
                const std::array<int64_t, 3> &tile, int64_t workItems);

/// Bytes to and from device memory for either raster order.
double computeMemoryBytes(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

/// Cycles in which lanes store a tile element by element, which nothing hides;
/// 0 if they do not.
double computeScatterCycles(const Problem &problem, const ChipInfo &chip,
                            int64_t rows, int64_t columns);

} // namespace conv

#endif // CONV_KERNELS_CANDIDATE_H
