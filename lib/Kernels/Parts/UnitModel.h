//===- UnitModel.h - workgroups that share a unit ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a unit of an AMD chip takes for its workgroups, from what a step of
// one of them asks of the parts of the unit. A unit is what runs a workgroup: a
// compute unit, or a workgroup processor of RDNA.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_UNITMODEL_H
#define CONV_LIB_KERNELS_PARTS_UNITMODEL_H

#include "conv/Kernels/Candidate.h"

namespace conv {

/// What the main loop and the ends of one workgroup ask of its unit. Cycles are
/// those of a step.
struct UnitWork {
  int64_t waves = 1;
  int64_t stages = 1;      ///< Tiles of the main loop in shared memory.
  double steps = 1;        ///< On average, over products of several lengths.
  double matrixCycles = 0; ///< Of a SIMD unit's matrix unit, for one wave.
  double vectorCycles = 0; ///< Of its vector unit, the same.
  double sharedCycles = 0; ///< Of shared memory, reads and writes.
  double sharedWriteCycles = 0;
  double loadCycles = 0;  ///< Of the load path.
  double storedBytes = 0; ///< At the end.
  int64_t pieces = 0;     ///< Of a tile, that a lane loads.
  /// Loads of an overlapped step are joined before they are written.
  bool joinsLoads = false;
  /// Tiles arrive without registers, as early as there are stages.
  bool copiesInLaneOrder = false;
  double atomCycles = 0; ///< Of one matrix instruction.
  /// Steps overlap: loads and writes are between matrix instructions.
  bool overlapsSteps = false;
};

/// SIMD units of what runs a workgroup, and how many of these there are.
int64_t countSimds(const ChipInfo &chip);
int64_t countUnits(const ChipInfo &chip);

/// Registers of a lane, as the compiler usually allocates them, for so many
/// operands that are transposed on their way.
int64_t computeExpectedRegisters(const ChipInfo &chip, const MatrixAtom &atom,
                                 const RegisterCost &registers,
                                 int64_t transposed);

/// Whether a step of `resident` workgroups lasts until its loads have arrived.
bool waitsForLoads(const ChipInfo &chip, const UnitWork &work,
                   int64_t resident);

/// Cycles in which each of `resident` workgroups makes a step.
double computeUnitStep(const ChipInfo &chip, const UnitWork &work,
                       int64_t resident);

/// Cycles of `workgroups` of which `resident` run at a time.
double computeUnitCycles(const ChipInfo &chip, const UnitWork &work,
                         int64_t resident, int64_t workgroups);

/// Bytes of a second from below the dies' caches.
double computeFarBandwidth(const Problem &problem, const ChipInfo &chip);

/// Seconds of the kernel that adds up the parts of a split reduction.
double computeCombineSeconds(const Problem &problem, const ChipInfo &chip);

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_UNITMODEL_H
