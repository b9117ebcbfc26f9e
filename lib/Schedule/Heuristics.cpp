//===- Heuristics.cpp - candidates ranked by the cost model -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the candidates of all kernel families and sorts them by predicted
// time.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Heuristics.h"

#include "conv/Kernels/KernelModel.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

using namespace conv;

/// Breaks ties by larger atoms, then larger tiles, then shorter steps: a fixed
/// order that does not depend on how candidates are generated.
static auto tieBreak(const Candidate &candidate) {
  // By the clock of gfx942, taller tiles of subgroups made 23 of 33 loops
  // faster than wider ones, and one slower.
  bool prefersTall = candidate.atom->kind == AtomKind::MFMA;
  return std::tuple(-candidate.atom->m * candidate.atom->n,
                    -candidate.workgroup[0] * candidate.workgroup[1],
                    candidate.gemmK, candidate.stages, candidate.workgroup[0],
                    prefersTall ? candidate.subgroup[1] : candidate.subgroup[0],
                    candidate.subgroup[1]);
}

/// Which of two candidates of the same seconds is better.
static bool breaksTie(const RankedCandidate &a, const RankedCandidate &b) {
  // If memory is the limit, the faster computation leaves more slack.
  if (a.cost.computeSeconds != b.cost.computeSeconds)
    return a.cost.computeSeconds < b.cost.computeSeconds;
  return tieBreak(a.candidate) < tieBreak(b.candidate);
}

/// Candidates are long, so their numbers are sorted, beside the seconds, which
/// decide nearly always.
static void sortByCost(std::vector<RankedCandidate> &candidates) {
  std::vector<std::pair<double, uint32_t>> order;
  order.reserve(candidates.size());
  for (const RankedCandidate &candidate : candidates)
    order.push_back({candidate.cost.seconds, uint32_t(order.size())});
  std::sort(order.begin(), order.end(), [&](const auto &a, const auto &b) {
    if (a.first != b.first)
      return a.first < b.first;
    const RankedCandidate &first = candidates[a.second];
    const RankedCandidate &second = candidates[b.second];
    if (breaksTie(first, second) || breaksTie(second, first))
      return breaksTie(first, second);
    return a.second < b.second;
  });
  std::vector<RankedCandidate> sorted;
  sorted.reserve(candidates.size());
  for (auto [seconds, number] : order)
    sorted.push_back(std::move(candidates[number]));
  candidates = std::move(sorted);
}

/// Sets the raster order that moves fewer bytes.
static void selectRaster(const Problem &problem, const ChipInfo &chip,
                         Candidate &candidate) {
  bool preferred = !candidate.model->prefersRows(problem, chip, candidate);
  candidate.columnsFastest = preferred;
  double bytes = computeMemoryBytes(problem, chip, candidate);
  candidate.columnsFastest = !preferred;
  if (computeMemoryBytes(problem, chip, candidate) >= bytes)
    candidate.columnsFastest = preferred;
}

Ranking conv::rankCandidates(const Problem &problem, const ChipInfo &chip,
                             RankingCut *cut) {
  Ranking ranking;
  auto visit = [&](Candidate &candidate) {
    bool raster = candidate.columnsFastest;
    selectRaster(problem, chip, candidate);
    if (cut &&
        candidate.model->isSlower(problem, chip, candidate, cut->limit()))
      return;
    if (Rejection reason = checkCandidate(problem, chip, candidate);
        reason != Rejection::None) {
      candidate.columnsFastest = raster;
      if (!cut)
        ranking.rejected.push_back({candidate, reason});
      return;
    }
    Cost cost = computeCost(problem, chip, candidate);
    if (cut)
      cut->note(cost.seconds);
    ranking.accepted.push_back({candidate, cost});
  };
  NumericType multiplied = getMultipliedType(chip, problem.operand);
  for (const MatrixAtom &atom : chip.atoms) {
    if (atom.operand != multiplied)
      continue;
    for (const KernelModel *model : getKernelModels())
      for (std::vector<Candidate> candidates =
               model->listCandidates(problem, chip, atom);
           Candidate &candidate : candidates) {
        candidate.model = model;
        visit(candidate);
      }
  }
  sortByCost(ranking.accepted);
  return ranking;
}
