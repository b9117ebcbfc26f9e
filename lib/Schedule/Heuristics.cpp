//===- Heuristics.cpp - which schedules there are, in order -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space is small and generated: powers of two of the atom for the
// subgroup's tile, and three times it on AMD chips, up to eight subgroups, up
// to 256 bytes of the reduction in a step. The smallest candidate of each atom
// fits every chip; the largest has the fewest workgroups.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Heuristics.h"

#include "conv/Kernels/LineBuffer/LineModel.h"
#include "conv/Kernels/WarpgroupGemm/TmaModel.h"
#include "conv/Kernels/WeightStationary/WeightStationaryModel.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <tuple>

using namespace conv;

/// Subgroups of a GPU's workgroup: two waves for each of four SIMD units.
static constexpr int64_t kMaxSubgroups = 8;
/// Longest row of a tile in shared memory.
static constexpr int64_t kMaxRowBytes = 256;
/// A main loop, and how many tiles it has: one is computed while the others
/// arrive.
struct Staging {
  LoopKind loop;
  int64_t stages;
};

/// The ways to stage tiles of a problem's operands in shared memory.
static std::vector<Staging> listStagings(const Problem &problem,
                                         const ChipInfo &chip) {
  std::vector<Staging> stagings = {{LoopKind::RegisterStaged, 2}};
  // Half the shared memory, so more workgroups; not measured elsewhere.
  if (chip.backend == Backend::AMDGPU)
    stagings.push_back({LoopKind::RegisterStaged, 1});
  int64_t bytes = byteSize(problem.operand);
  // With one of them in registers, the others were no faster on an H200.
  if (copiesAsync(chip, problem.lhsRun, bytes) &&
      copiesAsync(chip, problem.rhsRun, bytes))
    for (int64_t stages : {3, 4})
      stagings.push_back({LoopKind::AsyncStaged, stages});
  return stagings;
}

/// Atoms along one side of a subgroup's tile, in steps of so many bytes of the
/// reduction. Three were not measured on other chips. Where both operands are
/// transposed on their way, blocks of such tiles are loaded in shorter pieces,
/// and rows that are shorter than lines of the cache bring these twice: both
/// are slower by the clock.
static std::vector<int64_t>
listAtomCounts(const Problem &problem, const ChipInfo &chip, int64_t rowBytes) {
  bool areTransposed =
      !problem.lhsRun.isAlongReduction && !problem.rhsRun.isAlongReduction;
  if (chip.backend == Backend::AMDGPU && !areTransposed &&
      rowBytes >= chip.cacheLineBytes)
    return {1, 2, 3, 4, 8};
  return {1, 2, 4, 8};
}

/// Makes `visit` see every candidate with this atom on a GPU.
template <typename Visit>
static void forEachGpuCandidate(const Problem &problem, const ChipInfo &chip,
                                const MatrixAtom &atom, const Staging &staging,
                                Visit visit) {
  constexpr std::array<int64_t, 4> multiples = {1, 2, 4, 8};
  int64_t granule = reductionGranule(atom);
  for (int64_t gemmK = granule;
       gemmK <= 8 * granule && gemmK * byteSize(atom.operand) <= kMaxRowBytes;
       gemmK *= 2) {
    const std::vector<int64_t> atoms =
        listAtomCounts(problem, chip, gemmK * byteSize(atom.operand));
    for (int64_t atomsN : atoms)
      for (int64_t atomsM : atoms)
        for (int64_t alongRows : multiples)
          for (int64_t alongColumns : multiples) {
            if (alongRows * alongColumns > kMaxSubgroups)
              continue;
            std::array<int64_t, 2> subgroup = {atomsN * atom.n,
                                               atomsM * atom.m};
            visit(Candidate{
                .atom = &atom,
                .workgroup = {subgroup[0] * alongRows,
                              subgroup[1] * alongColumns},
                .subgroup = subgroup,
                .gemmK = gemmK,
                .stages = staging.stages,
                .loop = staging.loop,
            });
          }
  }
}

/// The same for the host, whose workgroup is the cache tile of one thread.
template <typename Visit>
static void forEachHostCandidate(const Problem &problem, const MatrixAtom &atom,
                                 Visit visit) {
  // A whole number of 16-byte pieces, and no longer than the reduction.
  int64_t granule = std::max<int64_t>(8, reductionGranule(atom));
  int64_t longest = roundUp(problem.reduction, granule);
  int64_t gemmK = std::min<int64_t>(256, longest);
  for (int64_t rows : {4, 8, 16, 32, 64})
    for (int64_t columns : {16, 32, 64})
      visit(Candidate{.atom = &atom,
                      .workgroup = {rows, columns},
                      .subgroup = {rows, columns},
                      .gemmK = gemmK,
                      .stages = 1,
                      .loop = LoopKind::HostCache});
}

/// Ties are broken by larger atoms, then larger tiles, then shorter steps: a
/// fixed order that does not depend on how candidates are generated.
static auto tieBreak(const Candidate &candidate) {
  // By the clock, taller tiles of subgroups made 23 of 33 loops on gfx942
  // faster than wider ones, and one slower.
  bool prefersTall = candidate.atom->kind == AtomKind::MFMA;
  return std::tuple(-candidate.atom->m * candidate.atom->n,
                    -candidate.workgroup[0] * candidate.workgroup[1],
                    candidate.gemmK, candidate.stages, candidate.workgroup[0],
                    prefersTall ? candidate.subgroup[1] : candidate.subgroup[0],
                    candidate.subgroup[1]);
}

static bool isBetter(const RankedCandidate &a, const RankedCandidate &b) {
  if (a.cost.seconds != b.cost.seconds)
    return a.cost.seconds < b.cost.seconds;
  // Under the memory limit, whatever computes faster leaves more slack.
  if (a.cost.computeSeconds != b.cost.computeSeconds)
    return a.cost.computeSeconds < b.cost.computeSeconds;
  return tieBreak(a.candidate) < tieBreak(b.candidate);
}

/// Whether neighbours share columns if both raster orders move the same bytes.
/// Tiles of `tma` that all run at a time follow the side that has fewer: of 28
/// kernels on an H200, that made 13 faster, by 1 to 23 %, and one slower, by
/// 0.8 %. Of four with more tiles, two were 9 and 18 % slower.
static bool prefersRows(const Problem &problem, const ChipInfo &chip,
                        const Candidate &candidate) {
  int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
  int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
  return candidate.loop == LoopKind::Tma && 1 < rowTiles &&
         rowTiles < columnTiles &&
         problem.products * problem.batch * rowTiles * columnTiles <=
             chip.computeUnits;
}

/// Sets the raster order that moves fewer bytes.
static void selectRaster(const Problem &problem, const ChipInfo &chip,
                         Candidate &candidate) {
  Candidate other = candidate;
  candidate.columnsFastest = !prefersRows(problem, chip, candidate);
  other.columnsFastest = !candidate.columnsFastest;
  if (computeMemoryBytes(problem, chip, other) <
      computeMemoryBytes(problem, chip, candidate))
    candidate = other;
}

Ranking conv::rankCandidates(const Problem &problem, const ChipInfo &chip) {
  Ranking ranking;
  auto visit = [&](Candidate candidate) {
    if (Rejection reason = checkCandidate(problem, chip, candidate);
        reason != Rejection::None) {
      ranking.rejected.push_back({candidate, reason});
      return;
    }
    selectRaster(problem, chip, candidate);
    ranking.accepted.push_back(
        {candidate, computeCost(problem, chip, candidate)});
  };
  NumericType multiplied = getMultipliedType(chip, problem.operand);
  for (const MatrixAtom &atom : chip.atoms) {
    if (atom.operand != multiplied ||
        ((problem.haloTile || problem.hasChannelRows) &&
         !isWarpgroupAtom(atom.kind)) ||
        (atom.kind == AtomKind::WGMMA3xTF32 && !problem.allows3xTF32))
      continue;
    if (isWarpgroupAtom(atom.kind)) {
      std::ranges::for_each(listTmaCandidates(problem, chip, atom), visit);
      std::ranges::for_each(listLineCandidates(problem, chip, atom), visit);
      std::ranges::for_each(listWeightStationaryCandidates(problem, chip, atom),
                            visit);
    } else if (chip.backend == Backend::Host) {
      forEachHostCandidate(problem, atom, visit);
    } else {
      for (const Staging &staging : listStagings(problem, chip))
        forEachGpuCandidate(problem, chip, atom, staging, visit);
    }
  }
  std::sort(ranking.accepted.begin(), ranking.accepted.end(), isBetter);
  return ranking;
}
