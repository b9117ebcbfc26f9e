//===- StagedKernelModel.h - families that stage tiles ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the models of families whose work-items stage tiles. Such
// a family lists its own candidates.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_STAGEDKERNELMODEL_H
#define CONV_KERNELS_PARTS_STAGEDKERNELMODEL_H

#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/Parts/StagedModel.h"

namespace conv {

class StagedKernelModel : public KernelModel {
public:
  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const final {
    return candidate.subgroups() * chip.subgroupSize;
  }

  Rejection check(const Problem &problem, const ChipInfo &chip,
                  const Candidate &candidate) const final {
    return checkStaged(problem, chip, candidate);
  }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const final {
    return computeStagedCost(problem, chip, candidate);
  }

  bool isSlower(const Problem &problem, const ChipInfo &chip,
                const Candidate &candidate, double seconds) const final {
    return isStagedSlower(problem, chip, candidate, seconds);
  }
};

} // namespace conv

#endif // CONV_KERNELS_PARTS_STAGEDKERNELMODEL_H
