//===- ExplainLimits.cpp - which limit a family exceeds -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Families list candidates for a chip, and say nothing of what they left out.
// So they are asked again for chips that differ from this one in one resource:
// the least of it with which there is a candidate is what is needed. This is
// slow, and only done for people.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/ExplainLimits.h"

#include <algorithm>
#include <optional>

using namespace conv;

namespace {
/// A resource of a chip: what it has, and another chip with a different amount.
struct Resource {
  const char *name;
  int64_t (*get)(const ChipInfo &);
  void (*set)(ChipInfo &, int64_t);
};
} // namespace

/// More than any kernel needs of a resource, and few enough to multiply.
static constexpr int64_t kPlenty = int64_t(1) << 28;

static constexpr Resource kResources[] = {
    {"bytes of shared memory",
     [](const ChipInfo &chip) { return chip.sharedMemoryBytes; },
     [](ChipInfo &chip, int64_t amount) { chip.sharedMemoryBytes = amount; }},
    {"registers of a work-item",
     [](const ChipInfo &chip) { return int64_t(chip.registersPerLane); },
     [](ChipInfo &chip, int64_t amount) {
       // The unit has as many for each wave as before.
       int64_t ofUnit = int64_t(chip.registerFilePerLane) * amount /
                        std::max(1, chip.registersPerLane);
       chip.registerFilePerLane = int(std::min(ofUnit, 4 * kPlenty));
       chip.registersPerLane = int(amount);
     }},
    {"work-items of a workgroup",
     [](const ChipInfo &chip) { return int64_t(chip.maxWorkgroupSize); },
     [](ChipInfo &chip, int64_t amount) {
       chip.maxWorkgroupSize = int(amount);
     }},
};

/// Visits the candidates of a model until `visit` returns true. Returns whether
/// it did.
template <typename Visit>
static bool anyCandidate(const KernelModel &model, const Problem &problem,
                         const ChipInfo &chip, Visit visit) {
  NumericType multiplied = getMultipliedType(chip, problem.operand);
  for (const MatrixAtom &atom : chip.atoms) {
    if (atom.operand != multiplied)
      continue;
    for (Candidate &candidate : model.listCandidates(problem, chip, atom)) {
      candidate.model = &model;
      if (visit(candidate))
        return true;
    }
  }
  return false;
}

static bool hasCandidate(const KernelModel &model, const Problem &problem,
                         const ChipInfo &chip) {
  return anyCandidate(model, problem, chip, [&](const Candidate &candidate) {
    return checkCandidate(problem, chip, candidate) == Rejection::None;
  });
}

/// The least of a resource with which there is a candidate, if it is all that
/// the chip has too little of.
static std::optional<int64_t> findNeeded(const KernelModel &model,
                                         const Problem &problem,
                                         const ChipInfo &chip,
                                         const Resource &resource) {
  ChipInfo other = chip;
  auto suffices = [&](int64_t amount) {
    other = chip;
    resource.set(other, amount);
    return hasCandidate(model, problem, other);
  };
  if (!suffices(kPlenty))
    return std::nullopt;
  int64_t tooFew = resource.get(chip), enough = kPlenty;
  while (enough - tooFew > 1) {
    int64_t middle = tooFew + (enough - tooFew) / 2;
    (suffices(middle) ? enough : tooFew) = middle;
  }
  return enough;
}

/// The most workgroups of a launch, if every candidate has more.
static std::optional<int64_t> findMostWorkgroups(const KernelModel &model,
                                                 const Problem &problem,
                                                 const ChipInfo &chip) {
  int64_t most = 0;
  anyCandidate(model, problem, chip, [&](const Candidate &candidate) {
    if (checkCandidate(problem, chip, candidate) == Rejection::LaunchSize)
      most = std::max(
          most, computeMaxWorkgroups(model.countWorkItems(chip, candidate)));
    return false;
  });
  return most > 0 ? std::optional(most) : std::nullopt;
}

std::string conv::explainLimits(const KernelModel &model,
                                const Problem &problem, const ChipInfo &chip) {
  if (std::string obstacle = model.findObstacle(problem, chip);
      !obstacle.empty())
    return obstacle;
  for (const Resource &resource : kResources)
    if (auto needed = findNeeded(model, problem, chip, resource))
      return "the smallest tile needs " + std::to_string(*needed) + " " +
             resource.name + ", of which the chip has " +
             std::to_string(resource.get(chip));
  if (auto most = findMostWorkgroups(model, problem, chip))
    return "the result takes more than the " + std::to_string(*most) +
           " workgroups of a launch";
  return "no tile suits a product of " + std::to_string(problem.rows) + " x " +
         std::to_string(problem.columns) + ", reduced over " +
         std::to_string(problem.reduction);
}
