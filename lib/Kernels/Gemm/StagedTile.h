//===- StagedTile.h - facts about staged tiles ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about staged tiles from which registers, cycles and candidates are
// counted: how a tile is copied, and which work-items copy it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_STAGEDTILE_H
#define CONV_LIB_KERNELS_GEMM_STAGEDTILE_H

#include "conv/Kernels/Gemm/StagedModel.h"

namespace conv {

/// Whether neighbours in memory belong to different rows. A run of a single
/// element does not count as transposed.
inline bool isTransposed(const Run &run) {
  return run.elements > 1 && !run.isAlongReduction;
}
/// Whether an operand of a problem is transposed.
inline bool hasTransposed(const Problem &problem) {
  return isTransposed(problem.lhsRun) || isTransposed(problem.rhsRun);
}

/// Number of 16-byte vectors of one operand's tile that a work-item copies.
int64_t vectorsPerWorkItem(const ChipInfo &chip, const Candidate &candidate,
                           int64_t rows);

/// Bytes of A and of B that a lane holds for the rows of one atom and one
/// round of the reduction.
int64_t fragmentBytesA(const MatrixAtom &atom);

int64_t fragmentBytesB(const MatrixAtom &atom);

/// Workgroups that fit on a unit at a time, by shared memory and by the
/// registers of a lane.
int64_t countResident(const ChipInfo &chip, const Candidate &candidate,
                      int64_t registers);

/// `computePrefetchDistance` of a candidate for a problem, which tells whether
/// loads bring 16 bytes.
int64_t getPrefetchDistance(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate);

/// Whether each load of a candidate brings 16 bytes along the reduction.
bool loadsVectors(const Problem &problem, const ChipInfo &chip,
                  const Candidate &candidate);

/// Whether both tiles are copied in lane order, without registers.
bool copiesInLaneOrder(const ChipInfo &chip, const Candidate &candidate);

/// Neighbouring elements that a lane loads at a time: along a row of the tile,
/// or across as many of its rows as the lane has vectors.
int64_t countLoadElements(const ChipInfo &chip, const Candidate &candidate,
                          int64_t rows, const Run &run);

/// Whether all lanes of a subgroup load the same element of the left operand,
/// from windows that are near each other: what the step adds to their addresses
/// takes no vector instructions then.
bool sharesElements(const Problem &problem, const ChipInfo &chip,
                    const Candidate &candidate);

/// What a lane has of a tile whose elements lanes share.
struct SharedElements {
  int64_t rows = 0;   ///< Rows of the tile.
  int64_t loads = 0;  ///< Elements of all these rows.
  int64_t places = 0; ///< Taps of its rows with guards of their own.
};
SharedElements countSharedElements(const Problem &problem, const ChipInfo &chip,
                                   const Candidate &candidate);

} // namespace conv

#endif // CONV_LIB_KERNELS_GEMM_STAGEDTILE_H
