//===- PatchModel.h - candidates of the patch_buffer main loop --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_PATCHMODEL_H
#define CONV_SCHEDULE_PATCHMODEL_H

#include "conv/Schedule/CostModel.h"

#include <vector>

namespace conv {

/// All candidates with this atom that the chip can run for the problem.
std::vector<Candidate> listPatchCandidates(const Problem &problem,
                                           const ChipInfo &chip,
                                           const MatrixAtom &atom);

/// Predicts a candidate of `listPatchCandidates`.
Cost computePatchCost(const Problem &problem, const ChipInfo &chip,
                      const Candidate &candidate);

} // namespace conv

#endif // CONV_SCHEDULE_PATCHMODEL_H
