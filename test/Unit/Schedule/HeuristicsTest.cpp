//===- HeuristicsTest.cpp - every problem gets a schedule -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of the ranking that hold for any problem on any chip, checked on
// random problems of every size.
//
//===----------------------------------------------------------------------===//

#include "ForwardProblem.h"

#include "../../../lib/Kernels/Gemm/UnitModel.h"

#include "conv/Kernels/LineBuffer/LineFacts.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"
#include "conv/Schedule/Heuristics.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <random>

using namespace conv;
using namespace conv::test;

namespace {

std::vector<NumericType> operandTypes(const ChipInfo &chip) {
  std::vector<NumericType> types;
  for (const MatrixAtom &atom : chip.atoms)
    if (std::find(types.begin(), types.end(), atom.operand) == types.end())
      types.push_back(atom.operand);
  return types;
}

/// Sizes from 1 to large ones; each octave is equally likely.
Problem randomProblem(std::mt19937 &generator) {
  auto size = [&](double octaves) {
    std::uniform_real_distribution<double> exponent(0, octaves);
    return int64_t(std::exp2(exponent(generator)));
  };
  Sizes sizes;
  sizes.n = size(8);
  sizes.c = size(12);
  sizes.k = size(12);
  sizes.p = sizes.h = size(9);
  sizes.q = sizes.w = size(9);
  sizes.r = size(3.5);
  sizes.s = size(3.5);
  Problem problem = forward(sizes);
  problem.result = generator() % 2 ? NumericType::F32 : NumericType::F16;
  return problem;
}

/// Facts of all warpgroup families, so that these list candidates too. Every
/// second problem has halo tiles.
void addFacts(Problem &problem, std::mt19937 &generator) {
  auto coin = [&] { return generator() % 2 == 1; };
  WarpgroupFacts boxes;
  int64_t rowElements = WarpgroupTile::kRowBytes / byteSize(problem.operand);
  boxes.steps = boxes.totalSteps = ceilDiv(problem.reduction, rowElements);
  boxes.sharers = boxes.steps;
  boxes.hasEpilogueBoxes = coin();
  boxes.hasStrides = coin();
  problem.hasHaloTiles = coin();
  if (problem.hasHaloTiles)
    boxes.haloTile = {.bytes = 10 * 10 * 128, .rows = 64, .taps = 9};
  boxes.allows3xTF32 = !problem.hasHaloTiles;
  boxes.promotion = coin() ? WarpgroupTile::kMaxPromotion : 0;
  problem.facts.set(boxes);
  problem.facts.set(WeightStationaryFacts{.channels = 64,
                                          .haloTileBytes = 13 << 10,
                                          .haloTileRows = 64,
                                          .taps = 9});
  LineWindow window;
  window.images = 4;
  window.channels = 3;
  window.vertical = window.horizontal = {
      .extent = 64, .positions = 64, .taps = 3, .stride = 1, .low = 1};
  problem.facts.set(LineFacts{window});
}

/// Registers of a lane. WMMA loops count what the compiler usually allocates,
/// which is less than the sum of their parts.
int64_t computeAllocatedRegisters(const ChipInfo &chip,
                                  const RankedCandidate &best) {
  return best.candidate.atom->kind == AtomKind::WMMA
             ? computeExpectedRegisters(chip, *best.candidate.atom,
                                        best.cost.registers,
                                        /*transposes=*/false)
             : best.cost.registers.total();
}

/// S1 to S4 and S10, which the attribute's verifier checks too.
void expectWellFormed(const Candidate &candidate, const ChipInfo &chip) {
  for (int dim : {0, 1}) {
    EXPECT_GT(candidate.subgroup[dim], 0);
    EXPECT_EQ(candidate.workgroup[dim] % candidate.subgroup[dim], 0);
  }
  if (isWarpgroupAtom(candidate.atom->kind)) {
    EXPECT_EQ(candidate.subgroup[0] % candidate.atom->m, 0);
    EXPECT_EQ(candidate.subgroup[1], candidate.atom->n);
    EXPECT_LE(candidate.subgroups(), WarpgroupTile::kMaxConsumers);
    EXPECT_LE(candidate.workgroup[0], WarpgroupTile::kMaxRowsOfHaloTiles);
    EXPECT_GE(candidate.stages, 2);
  } else if (chip.backend != Backend::Host) {
    EXPECT_EQ(candidate.subgroup[0] % candidate.atom->n, 0);
    EXPECT_EQ(candidate.subgroup[1] % candidate.atom->m, 0);
  }
  EXPECT_EQ(candidate.gemmK % candidate.atom->k, 0);
  EXPECT_GT(candidate.stages, 0);
}

TEST(Heuristics, EveryProblemHasAScheduleThatFits) {
  std::mt19937 generator(1);
  for (const ChipInfo &chip : allChips())
    for (NumericType type : operandTypes(chip))
      for (int trial = 0; trial < 100; ++trial) {
        Problem problem = randomProblem(generator);
        problem.operand = type;
        Ranking ranking = rankCandidates(problem, chip);
        ASSERT_FALSE(ranking.accepted.empty()) << chip.name;
        const RankedCandidate &best = ranking.accepted.front();
        SCOPED_TRACE(chip.name);
        EXPECT_EQ(best.candidate.atom->operand, type);
        expectWellFormed(best.candidate, chip);
        EXPECT_EQ(checkCandidate(problem, chip, best.candidate),
                  Rejection::None);
        EXPECT_LE(best.cost.sharedBytes, chip.sharedMemoryBytes);
        EXPECT_LE(computeAllocatedRegisters(chip, best), chip.registersPerLane);
        EXPECT_TRUE(std::isfinite(best.cost.seconds));
        EXPECT_GT(best.cost.seconds, 0);
        EXPECT_LE(best.cost.waveEfficiency, 1);
        EXPECT_LE(best.cost.tileEfficiency, 1 + 1e-12);
        EXPECT_LE(best.cost.wavesPerSimd, chip.maxWavesPerSimd);
      }
}

// The chip can run every candidate of every family, and each family lists
// candidates on some chip.
TEST(Heuristics, AllCandidatesOfAllFamiliesFit) {
  std::mt19937 generator(5);
  std::map<std::pair<const KernelModel *, StagedLoop>, int64_t> listed;
  for (const ChipInfo &chip : allChips())
    for (NumericType type : operandTypes(chip))
      for (int trial = 0; trial < 4; ++trial) {
        SCOPED_TRACE(chip.name);
        Problem problem = randomProblem(generator);
        problem.operand = type;
        addFacts(problem, generator);
        for (const auto &[candidate, cost] :
             rankCandidates(problem, chip).accepted) {
          ++listed[{candidate.model, candidate.loop}];
          expectWellFormed(candidate, chip);
          EXPECT_LE(cost.sharedBytes, chip.sharedMemoryBytes);
          EXPECT_LE(cost.workItems, chip.maxWorkgroupSize);
          EXPECT_TRUE(std::isfinite(cost.seconds) && cost.seconds > 0);
        }
      }
  // One of the models has both loops.
  EXPECT_EQ(listed.size(), getKernelModels().size() + 1);
  for (const auto &[loop, count] : listed)
    EXPECT_GT(count, 100) << int(loop.second);
}

TEST(Heuristics, NoPredictionBeatsTheChip) {
  std::mt19937 generator(2);
  for (const ChipInfo &chip : allChips())
    for (int trial = 0; trial < 50; ++trial) {
      Problem problem = randomProblem(generator);
      problem.operand = NumericType::F32;
      const RankedCandidate best =
          rankCandidates(problem, chip).accepted.front();
      EXPECT_LE(problem.flops() / best.cost.seconds,
                peakFlops(chip, *best.candidate.atom) * (1 + 1e-9))
          << chip.name;
      EXPECT_GE(best.cost.memoryBytes, problem.compulsoryBytes() * (1 - 1e-12));
    }
}

TEST(Heuristics, TheSameProblemGetsTheSameRanking) {
  std::mt19937 generator(3);
  Problem problem = randomProblem(generator);
  for (const ChipInfo &chip : allChips()) {
    Ranking first = rankCandidates(problem, chip);
    Ranking second = rankCandidates(problem, chip);
    ASSERT_EQ(first.accepted.size(), second.accepted.size());
    for (size_t i = 0; i < first.accepted.size(); ++i) {
      EXPECT_EQ(first.accepted[i].candidate.workgroup,
                second.accepted[i].candidate.workgroup);
      EXPECT_EQ(first.accepted[i].candidate.gemmK,
                second.accepted[i].candidate.gemmK);
    }
  }
}

TEST(Heuristics, NoTwoCandidatesAreTheSame) {
  Problem problem = forward({.n = 8,
                             .h = 28,
                             .w = 28,
                             .c = 64,
                             .k = 96,
                             .r = 3,
                             .s = 3,
                             .p = 28,
                             .q = 28});
  auto key = [](const Candidate &one) {
    return std::tuple(one.model, one.loop, one.atom, one.workgroup,
                      one.subgroup, one.gemmK, one.stages);
  };
  for (const ChipInfo &chip : allChips()) {
    std::vector<decltype(key(Candidate()))> keys;
    for (const RankedCandidate &ranked : rankCandidates(problem, chip).accepted)
      keys.push_back(key(ranked.candidate));
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  }
}

TEST(Heuristics, SmallProblemsSpreadOverTheChip) {
  // 7 x 7 pixels by 512 channels are 25 thousand outputs: a single tile of the
  // largest kind, if tiles did not shrink with the problem.
  Problem problem = forward({.n = 1,
                             .h = 7,
                             .w = 7,
                             .c = 512,
                             .k = 512,
                             .r = 3,
                             .s = 3,
                             .p = 7,
                             .q = 7});
  for (const ChipInfo &chip : allChips()) {
    if (chip.backend == Backend::Host)
      continue;
    RankedCandidate best = rankCandidates(problem, chip).accepted.front();
    EXPECT_GE(best.cost.workgroups, 32) << chip.name;
  }
}

TEST(Heuristics, LargeProblemsUseLargeTiles) {
  Problem problem = forward({.n = 64,
                             .h = 28,
                             .w = 28,
                             .c = 512,
                             .k = 512,
                             .r = 3,
                             .s = 3,
                             .p = 28,
                             .q = 28});
  for (std::string_view name :
       {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    const ChipInfo &chip = *lookupChip(name);
    RankedCandidate best = rankCandidates(problem, chip).accepted.front();
    EXPECT_GE(best.candidate.workgroup[0] * best.candidate.workgroup[1],
              96 * 64)
        << name;
    EXPECT_EQ(best.cost.limit, Limit::MatrixUnits) << name;
  }
}

TEST(Heuristics, OneOutputHasTheSmallestTile) {
  Problem problem = forward({});
  for (const ChipInfo &chip : allChips())
    for (NumericType type : operandTypes(chip)) {
      problem.operand = type;
      RankedCandidate best = rankCandidates(problem, chip).accepted.front();
      EXPECT_EQ(best.cost.workgroups, 1) << chip.name;
      // Several subgroups load fewer elements each.
      const MatrixAtom &atom = *best.candidate.atom;
      EXPECT_LE(best.candidate.workgroup[0] * best.candidate.workgroup[1],
                4 * atom.m * atom.n)
          << chip.name;
    }
}

TEST(Heuristics, UnknownOperandsHaveNoCandidates) {
  Problem problem = forward({});
  problem.operand = NumericType::F8FNUZ;
  for (const char *name : {"gfx90a", "gfx950", "gfx1100", "gfx1201", "sm_80"})
    EXPECT_TRUE(rankCandidates(problem, *lookupChip(name)).accepted.empty())
        << name;
}

} // namespace
