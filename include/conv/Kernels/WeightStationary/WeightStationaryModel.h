//===- WeightStationaryModel.h - candidates of the weight_stationary main loop
//-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYMODEL_H
#define CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYMODEL_H

#include "conv/Kernels/Gemm/CostModel.h"

#include <vector>

namespace conv {

/// All candidates with this atom that the chip can run for the problem.
std::vector<Candidate> listWeightStationaryCandidates(const Problem &problem,
                                                      const ChipInfo &chip,
                                                      const MatrixAtom &atom);

/// Predicts a candidate of `listWeightStationaryCandidates`.
Cost computeHaloTileCost(const Problem &problem, const ChipInfo &chip,
                         const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYMODEL_H
