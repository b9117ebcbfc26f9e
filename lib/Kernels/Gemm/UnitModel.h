//===- UnitModel.h - the cost of workgroups on an AMD unit ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a unit of an AMD chip takes for its workgroups, given how long a
// step of one workgroup occupies the parts of the unit. A unit is what runs a
// workgroup: a compute unit, or on RDNA a workgroup processor.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_UNITMODEL_H
#define CONV_LIB_KERNELS_GEMM_UNITMODEL_H

#include "conv/Kernels/Candidate.h"

#include <array>
#include <vector>

namespace conv {

/// How much of its unit one workgroup uses, in the main loop and at its ends.
/// Cycles are per step.
struct UnitWork {
  int64_t waves = 1;
  int64_t stages = 1;      ///< Tiles of the main loop in shared memory.
  double steps = 1;        ///< Of the longest product.
  double rounds = 1;       ///< Of a step: reads that are waited for together.
  double matrixCycles = 0; ///< Cycles of a wave on a SIMD's matrix unit.
  double vectorCycles = 0; ///< Cycles of a wave on a SIMD's vector unit.
  double sharedCycles = 0; ///< Cycles of shared memory: reads and writes.
  double sharedWriteCycles = 0;
  double loadCycles = 0;  ///< Cycles of the load path.
  double storedBytes = 0; ///< At the end of the kernel.
  int64_t accesses = 0;   ///< Vectors of a tile, per lane.
  /// Loads of an overlapped step are joined before they are written.
  bool joinsLoads = false;
  /// Tiles arrive without registers, up to `stages` - 1 steps ahead.
  bool copiesInLaneOrder = false;
  double atomCycles = 0; ///< Cycles of a matrix instruction.
  /// Reads of shared memory by a wave's multiply-adds; 0 with matrix
  /// instructions.
  double laneReads = 0;
  int64_t prefetchDistance = 1; ///< Steps from loads to their writes.
  /// Steps overlap: loads and writes are between matrix instructions.
  bool overlapsSteps = false;
};

/// SIMD units of the unit that runs a workgroup, and units of the chip.
int64_t countSimds(const ChipInfo &chip);
int64_t countUnits(const ChipInfo &chip);

/// Registers that the compiler usually allocates for a lane, in a kernel that
/// transposes an operand on its way to shared memory or that does not.
int64_t computeExpectedRegisters(const ChipInfo &chip, const MatrixAtom &atom,
                                 const RegisterCost &registers,
                                 bool transposes);

/// Workgroups that run together on a unit, with others before or after them or
/// without.
enum class Round { OfSeveral, Only };

/// Workgroups that have a `share` of the steps of the longest ones.
struct UnitWorkgroups {
  int64_t count = 0;
  double share = 1;
};

/// The steps of workgroups that do the same work on a unit. A candidate's
/// prediction asks for the same steps again and again, so each is computed
/// once: powers take most of the time of a ranking.
class UnitSteps {
public:
  UnitSteps(const ChipInfo &chip, const UnitWork &work)
      : chip(chip), work(work) {}

  /// Cycles in which each of `resident` workgroups does one step.
  double compute(int64_t resident, Round round = Round::OfSeveral);

  /// Whether loads determine how long a step of `resident` workgroups takes.
  bool waitsForLoads(int64_t resident);

  const ChipInfo &chip;
  const UnitWork work;

private:
  struct Step {
    int64_t resident = -1; ///< None.
    bool isEven = false;
    double busyCycles = 0, cycles = 0;
  };
  const Step &get(int64_t resident, Round round);
  double computeLeast() const;

  std::array<Step, 4> known; ///< The last ones.
  size_t next = 0;
  double leastPower = -1; ///< Of what no other workgroup changes, once known.
};

/// Cycles of `workgroups`, the longest first, if `resident` of them run at a
/// time.
double computeUnitCycles(UnitSteps &steps, int64_t resident,
                         const std::vector<UnitWorkgroups> &workgroups);

/// Cycles that `computeUnitCycles` never falls below: of the part of the unit
/// that workgroups keep busy longest, if all of them have the share of the
/// shortest ones. Of `work`, only waves, steps and cycles of matrix units,
/// shared memory and loads are needed.
double computeLeastUnitCycles(const ChipInfo &chip, const UnitWork &work,
                              double workgroups, double share);

/// Bytes per second from below the dies' caches.
double computeFarBandwidth(const Problem &problem, const ChipInfo &chip);

/// Seconds of the kernel that adds up the split-K slices.
double computeCombineSeconds(const Problem &problem, const ChipInfo &chip);

} // namespace conv

#endif // CONV_LIB_KERNELS_GEMM_UNITMODEL_H
