//===- TmaModel.h - candidates of the tma main loop -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles there are for warpgroups that multiply what the copy engine
// brings, and what they cost. Everything about such a kernel is decided by its
// tile: how much the copies bring in a step, and how many rounds of tiles the
// compute units run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_WARPGROUPGEMM_TMAMODEL_H
#define CONV_KERNELS_WARPGROUPGEMM_TMAMODEL_H

#include "conv/Dialect/Conv/IR/TmaTile.h"
#include "conv/Kernels/Gemm/CostModel.h"

#include <vector>

namespace conv {

/// The tile of a candidate whose atom is WGMMA.
TmaTile getTmaTile(const Problem &problem, const Candidate &candidate);

/// All candidates with this atom that the chip can run for the problem.
std::vector<Candidate> listTmaCandidates(const Problem &problem,
                                         const ChipInfo &chip,
                                         const MatrixAtom &atom);

/// Predicts a candidate of `listTmaCandidates`.
Cost computeTmaCost(const Problem &problem, const ChipInfo &chip,
                    const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_WARPGROUPGEMM_TMAMODEL_H
