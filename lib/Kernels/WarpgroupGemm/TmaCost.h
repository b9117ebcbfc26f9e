//===- TmaCost.h - candidates of tma and what they cost -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of the cost model share: which tiles there are, what a step
// copies, and how long that takes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_TMACOST_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_TMACOST_H

#include "conv/Kernels/Parts/Warpgroup/TmaFacts.h"

#include <vector>

namespace conv {

/// The tiles of a problem that there are kernels for, each with the most stages
/// that fit.
std::vector<Candidate> listTmaCandidates(const Problem &problem,
                                         const ChipInfo &chip,
                                         const MatrixAtom &atom);

/// The tile with the operand that it keeps, and with an operand of the epilogue
/// that comes by copies, if there is room.
KeptTile getTileWithEpilogue(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate);

int64_t countTmaTiles(const Problem &problem, const TmaTile &tile);

/// Tiles that are computed at a time, each by a cluster if it has one.
int64_t countResidentTiles(const ChipInfo &chip, const TmaTile &tile);

/// What copies bring for a step, which has a part of the halo tiles that it
/// shares.
double computeStepBytes(const Problem &problem, const KeptTile &kept);

/// Cycles until a step's operands are there, while so many compute units copy.
double computeCopyCycles(const Problem &problem, const ChipInfo &chip,
                         const KeptTile &kept, double stepBytes, double units);

} // namespace conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_TMACOST_H
