//===- WarpgroupCost.h - the cost model of warpgroup_gemm -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces between the files of the cost model: which tiles there are, what a
// step copies, and how long the copies take.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPCOST_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPCOST_H

#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include <vector>

namespace conv {

/// The tiles of a problem for which there are kernels, each with the most
/// stages that fit.
std::vector<Candidate> listWarpgroupCandidates(const Problem &problem,
                                               const ChipInfo &chip,
                                               const MatrixAtom &atom);

/// The candidate's tile with the operand that it keeps and, if there is room,
/// an operand of the epilogue that is copied.
KeptTile getTileWithEpilogue(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate);

/// Whether the last-level cache holds both operands near all compute units.
bool areOperandsNear(const Problem &problem, const ChipInfo &chip);

int64_t countWarpgroupTiles(const Problem &problem, const WarpgroupTile &tile);

/// Tiles that are computed at a time, each by a workgroup or a cluster.
int64_t countResidentTiles(const ChipInfo &chip, const WarpgroupTile &tile);

/// Bytes copied per step, including the step's share of the halo tiles that it
/// uses.
double computeStepBytes(const Problem &problem, const KeptTile &kept);

/// Cycles to copy a step's operands while `units` compute units copy.
double computeCopyCycles(const Problem &problem, const ChipInfo &chip,
                         const KeptTile &kept, double stepBytes, double units);

/// Cycles to copy the operand that a workgroup keeps, while all others do.
double computeKeptCycles(const Problem &problem, const ChipInfo &chip,
                         const KeptTile &kept);

} // namespace conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPCOST_H
