//===- LaneModel.h - multiply-adds of lanes ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_LANEMODEL_H
#define CONV_LIB_KERNELS_PARTS_LANEMODEL_H

#include "conv/Kernels/Candidate.h"

namespace conv {

/// Whether a candidate multiplies by lanes, on a chip where that was measured,
/// and reads what was: one group, 16 bytes of the reduction at a time, at
/// positions that take no divisions.
bool isMeasuredOnLanes(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate);

/// Seconds in which compute units multiply and store the tiles of such a
/// candidate.
double computeLaneSeconds(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_LANEMODEL_H
