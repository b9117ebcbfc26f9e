//===- WeightStationaryModelTest.cpp - weight_stationary's candidates -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryTile.h"
#include "conv/Schedule/Heuristics.h"

#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

const KernelModel &kModel = getWeightStationaryModel();

/// The last layer of a decoder, 3x3 from 128 to 3 channels of 512x512.
Problem createLastLayer() {
  Problem problem = test::forward({.n = 1,
                                   .h = 512,
                                   .w = 512,
                                   .c = 128,
                                   .k = 3,
                                   .r = 3,
                                   .s = 3,
                                   .p = 512,
                                   .q = 512});
  problem.hasHaloTiles = true;
  problem.facts.set(WeightStationaryFacts{.channels = 128,
                                          .haloTileBytes = 41 * 1024,
                                          .haloTileRows = 256,
                                          .taps = 9});
  return problem;
}

const ChipInfo &hopper() { return *lookupChip("sm_90a"); }

TEST(WeightStationaryTile, FilterComesFirst) {
  WarpgroupTile sizes{.rows = 256,
                      .columns = 8,
                      .stages = 4,
                      .consumers = 2,
                      .haloTileBytes = 41 * 1024};
  WeightStationaryTile tile(sizes, /*taps=*/9, /*channels=*/72);
  // The second slice has eight channels.
  EXPECT_EQ(tile.countSlices(), 2);
  EXPECT_EQ(tile.filterBytes(), 2 * 9 * 8 * 128);
  EXPECT_EQ(tile.pipelineOffset() % WarpgroupTile::kAlignment, 0);
  EXPECT_EQ(tile.stagingOffset(), tile.pipelineOffset() + 4 * 41 * 1024);
  EXPECT_EQ(tile.sharedBytes(), 188480);
}

// A filter has all columns; the listed candidates fit the chip and have whole
// halo tiles.
TEST(WeightStationaryModel, CandidatesHaveAllColumns) {
  Problem problem = createLastLayer();
  problem.columns = 12;
  for (const MatrixAtom &atom : hopper().atoms) {
    if (atom.kind != AtomKind::WGMMA)
      continue;
    std::vector<Candidate> candidates =
        kModel.listCandidates(problem, hopper(), atom);
    if (atom.n < 12)
      EXPECT_TRUE(candidates.empty()) << atom.n;
    for (const Candidate &candidate : candidates) {
      WarpgroupTile sizes = getWarpgroupTile(problem, candidate);
      sizes.haloTileBytes = sizes.rows / 256 * 41 * 1024;
      WeightStationaryTile tile(sizes, 9, 128);
      EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
      EXPECT_LE(tile.tile.accumulators(), tile.tile.maxAccumulators());
      EXPECT_EQ(tile.tile.rows % 256, 0);
      EXPECT_GE(candidate.stages, 2);
    }
  }
}

TEST(WeightStationaryModel, LargeFiltersHaveNoCandidates) {
  Problem problem = createLastLayer();
  problem.columns = 32;
  problem.facts.get<WeightStationaryFacts>()->channels = 512;
  for (const MatrixAtom &atom : hopper().atoms)
    EXPECT_TRUE(kModel.listCandidates(problem, hopper(), atom).empty());
}

TEST(WeightStationaryModel, LastLayersHaveNarrowTiles) {
  Ranking ranking = rankCandidates(createLastLayer(), hopper());
  ASSERT_FALSE(ranking.accepted.empty());
  const Candidate &best = ranking.accepted.front().candidate;
  EXPECT_EQ(best.model, &kModel);
  EXPECT_EQ(best.workgroup, (std::array<int64_t, 2>{256, 8}));
}

// Elements that are adjacent neither along a column nor along a row are loaded
// one by one.
TEST(WeightStationaryModel, ScatteredFiltersTakeLongerToLoad) {
  Problem problem = createLastLayer();
  problem.columns = 16;
  problem.rhsBytes = double(9 * 128 * 16 * byteSize(problem.operand));
  Problem turned = problem, scattered = problem;
  turned.rhsRun = {.elements = 16, .isAlongReduction = false};
  scattered.rhsRun = {.elements = 1, .isAlongReduction = false};
  int64_t compared = 0;
  for (const MatrixAtom &atom : hopper().atoms)
    for (const Candidate &candidate :
         kModel.listCandidates(problem, hopper(), atom)) {
      ++compared;
      double adjacent =
          kModel.predict(problem, hopper(), candidate).computeSeconds;
      EXPECT_EQ(kModel.predict(turned, hopper(), candidate).computeSeconds,
                adjacent);
      EXPECT_GT(kModel.predict(scattered, hopper(), candidate).computeSeconds,
                adjacent);
    }
  EXPECT_GT(compared, 0);
}

// Channels of odd images, which start within registers, take longer to store.
TEST(WeightStationaryModel, OddColumnsTakeLongerToStore) {
  Problem problem = createLastLayer();
  problem.columns = 16;
  problem.resultRowDistance = 1;
  Problem odd = problem;
  odd.hasOddResultColumns = true;
  int64_t compared = 0;
  for (const MatrixAtom &atom : hopper().atoms)
    for (const Candidate &candidate :
         kModel.listCandidates(problem, hopper(), atom)) {
      ++compared;
      EXPECT_GT(kModel.predict(odd, hopper(), candidate).computeSeconds,
                kModel.predict(problem, hopper(), candidate).computeSeconds);
    }
  EXPECT_GT(compared, 0);
}

// What is around a kernel that memory limits adds to the time of its bytes.
TEST(WeightStationaryModel, MemoryHasAStart) {
  Problem problem = createLastLayer();
  constexpr double kMore = 1; // A second.
  Calibration calibration = *hopper().calibration;
  calibration.weightStationary.memoryStartSeconds += kMore;
  ChipInfo late = hopper();
  late.calibration = &calibration;
  int64_t compared = 0;
  for (const MatrixAtom &atom : hopper().atoms)
    for (const Candidate &candidate :
         kModel.listCandidates(problem, hopper(), atom)) {
      ++compared;
      Cost cost = kModel.predict(problem, hopper(), candidate),
           later = kModel.predict(problem, late, candidate);
      EXPECT_NEAR(later.memorySeconds - cost.memorySeconds, kMore, 1e-9);
      EXPECT_EQ(later.computeSeconds, cost.computeSeconds);
      EXPECT_EQ(later.seconds,
                later.memorySeconds -
                    hopper().calibration->launch.prefetchSeconds);
      EXPECT_EQ(later.limit, Limit::Memory);
    }
  EXPECT_GT(compared, 0);
}

TEST(WeightStationaryModel, WithoutChannelsThereAreNoCandidates) {
  Problem problem = createLastLayer();
  problem.facts.clear<WeightStationaryFacts>();
  EXPECT_TRUE(rankCandidates(problem, hopper()).accepted.empty());
}

} // namespace
