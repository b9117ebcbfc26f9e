//===- StagedTile.h - what a step stages ------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What registers, cycles and candidates of staged tiles are counted from: how
// a tile is copied, and by whom.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_STAGEDTILE_H
#define CONV_LIB_KERNELS_PARTS_STAGEDTILE_H

#include "conv/Kernels/Parts/StagedModel.h"

namespace conv {

inline bool isHost(const ChipInfo &chip) {
  return chip.backend == Backend::Host;
}

/// Whether the code generator leaves loads where the main loop starts them
/// (`conv.schedule_fence`).
inline bool keepsLoadsEarly(const ChipInfo &chip) {
  return chip.backend == Backend::AMDGPU;
}

/// Whether neighbours in memory are of different rows. An element alone is not
/// transposed.
inline bool isTransposed(const Run &run) {
  return run.elements > 1 && !run.isAlongReduction;
}
/// Operands of a problem that are.
inline int64_t countTransposed(const Problem &problem) {
  return isTransposed(problem.lhsRun) + isTransposed(problem.rhsRun);
}

/// 16-byte pieces of one operand's tile that a work-item copies.
int64_t piecesPerWorkItem(const ChipInfo &chip, const Candidate &candidate,
                          int64_t rows);

/// Bytes a lane holds of A and of B for one atom's rows and one granule of the
/// reduction.
int64_t fragmentBytesA(const MatrixAtom &atom);

int64_t fragmentBytesB(const MatrixAtom &atom);

/// Whether both tiles arrive in the order of lanes, without registers.
bool copiesInLaneOrder(const ChipInfo &chip, const Candidate &candidate);

/// Neighbouring elements that a lane loads at a time: along a row of the tile,
/// or of as many of its rows as a lane has pieces of.
int64_t countLoadElements(const ChipInfo &chip, const Candidate &candidate,
                          int64_t rows, const Run &run);

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_STAGEDTILE_H
