//===- LaneModel.h - the cost of multiply-adds by lanes ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_LANEMODEL_H
#define CONV_LIB_KERNELS_GEMM_LANEMODEL_H

#include "conv/Kernels/Candidate.h"

namespace conv {

/// Whether a candidate multiplies by lanes on a chip where that was measured,
/// and reads what was measured: one group, with 16 bytes of the reduction at a
/// time, at positions that need no divisions.
bool isMeasuredOnLanes(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate);

/// Seconds that compute units take to multiply and store the tiles of a
/// candidate for which `isMeasuredOnLanes` holds.
double computeLaneSeconds(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

} // namespace conv

#endif // CONV_LIB_KERNELS_GEMM_LANEMODEL_H
