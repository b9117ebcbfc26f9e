//===- Models.cpp - the list of models ------------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

using namespace conv;

KernelModel::~KernelModel() = default;

std::span<const KernelModel *const> conv::getKernelModels() {
  static const KernelModel *const kModels[] = {
      &getGemmModel(),
      &getHostModel(),
      &getWarpgroupGemmModel(),
      &getLineBufferModel(),
      &getWeightStationaryModel(),
  };
  return kModels;
}

Rejection conv::checkCandidate(const Problem &problem, const ChipInfo &chip,
                               const Candidate &candidate) {
  const KernelModel &model = *candidate.model;
  std::array<int64_t, 3> tile = {1, candidate.workgroup[0],
                                 candidate.workgroup[1]};
  // A cluster of workgroups computes a tile together.
  int64_t together = model.countWorkItems(chip, candidate) * candidate.cluster;
  for (const std::vector<ResultShape> &parts : problem.launchResults)
    if (!fitsLaunch(parts, tile, together))
      return Rejection::LaunchSize;
  return model.check(problem, chip, candidate);
}

Cost conv::computeCost(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate) {
  Cost cost = candidate.model->predict(problem, chip, candidate);
  if (problem.followsTransforms && !candidate.model->startsEarly())
    cost.seconds += getWaitSeconds(chip);
  return cost;
}
