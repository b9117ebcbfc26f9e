//===- StagedModel.h - the cost of tiles that are staged --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Predicts registers, shared memory, occupancy and time of kernels whose
// work-items stage tiles in shared memory, from a handful of counts.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_GEMM_STAGEDMODEL_H
#define CONV_KERNELS_GEMM_STAGEDMODEL_H

#include "conv/Kernels/Candidate.h"

#include <string>
#include <utility>
#include <vector>

namespace conv {

/// The smallest step of the reduction that reads whole 16-byte fragments.
int64_t reductionOfRound(const MatrixAtom &atom);

/// Whether copies that bypass registers can load an operand with elements of
/// `elementBytes` bytes for `async_staged`.
bool copiesAsync(const ChipInfo &chip, const Run &run, int64_t elementBytes);

/// Registers a lane can have when `subgroups` share a compute unit.
int64_t computeAvailableRegisters(const ChipInfo &chip, int64_t subgroups);

/// Registers that a kernel may take, including the compiler's temporaries.
int64_t computeNeededRegisters(const ChipInfo &chip,
                               const RegisterCost &registers);

/// The registers that the schedule itself needs, without temporaries.
RegisterCost computeRegisters(const Problem &problem, const ChipInfo &chip,
                              const Candidate &candidate);

/// Tiles on their way to registers while one is multiplied. A second one hides
/// twice the latency, but takes registers, and steps that pay for its start.
/// With one stage, only loops whose steps do not overlap have one, where each
/// load brings a whole vector.
int64_t computePrefetchDistance(const ChipInfo &chip,
                                const Candidate &candidate, int64_t steps,
                                bool loadsVectors = true);

/// Workgroups that are expected to share a unit, as far as that can be told
/// without the problem. `distance` tiles are in registers on their way to
/// shared memory; 0 if copies take none.
int64_t computeExpectedResident(const ChipInfo &chip,
                                const Candidate &candidate, int64_t distance,
                                bool transposes);

/// Bytes of shared memory a workgroup takes.
int64_t computeSharedBytes(const Candidate &candidate);

/// Whether the chip can run a candidate whose launch fits, and if not, why.
Rejection checkStaged(const Problem &problem, const ChipInfo &chip,
                      const Candidate &candidate);

/// Predicts a candidate that `checkStaged` accepts.
Cost computeStagedCost(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate);

/// Whether `computeStagedCost` certainly gives more than `seconds`, since
/// memory or the busiest part of a unit takes longer.
bool isStagedSlower(const Problem &problem, const ChipInfo &chip,
                    const Candidate &candidate, double seconds);

/// The terms of a staged kernel's prediction, by name: the work, how many
/// workgroups share a unit, how many the unit has in all, and what is added to
/// its cycles. For `bench/calibration`.
std::vector<std::pair<std::string, double>>
describeUnit(const Problem &problem, const ChipInfo &chip,
             const Candidate &candidate, const Cost &cost);

} // namespace conv

#endif // CONV_KERNELS_GEMM_STAGEDMODEL_H
