//===- HostModel.cpp - candidates of the host -----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup is the cache tile of one thread.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "conv/Kernels/Parts/StagedKernelModel.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>

using namespace conv;

namespace {
class HostModel final : public StagedKernelModel {
public:
  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    std::vector<Candidate> candidates;
    if (chip.backend != Backend::Host)
      return candidates;
    // A multiple of 16-byte pieces, at most the reduction rounded up.
    int64_t granule = std::max<int64_t>(8, reductionGranule(atom));
    int64_t longest = roundUp(problem.reduction, granule);
    int64_t gemmK = std::min<int64_t>(256, longest);
    for (int64_t rows : {4, 8, 16, 32, 64})
      for (int64_t columns : {16, 32, 64})
        candidates.push_back(Candidate{.atom = &atom,
                                       .workgroup = {rows, columns},
                                       .subgroup = {rows, columns},
                                       .gemmK = gemmK,
                                       .stages = 1});
    return candidates;
  }
};
} // namespace

const KernelModel &conv::getHostModel() {
  static const HostModel model;
  return model;
}
