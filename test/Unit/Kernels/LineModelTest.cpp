//===- LineModelTest.cpp - tests of the line_buffer main loop's candidates ===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/LineBuffer/LineFacts.h"

#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"
#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/LineBuffer/LineGradientTile.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Schedule/Heuristics.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

const KernelModel &kModel = getLineBufferModel();

LineFacts &factsOf(Problem &problem) { return *problem.facts.get<LineFacts>(); }

/// The first layer of ResNet-50 with 64 images.
Problem createStem() {
  Problem problem = test::forward({.n = 64,
                                   .h = 224,
                                   .w = 224,
                                   .c = 3,
                                   .k = 64,
                                   .r = 7,
                                   .s = 7,
                                   .p = 112,
                                   .q = 112});
  LineWindow window;
  window.images = 64;
  window.channels = 3;
  window.vertical = window.horizontal = {
      .extent = 224, .positions = 112, .taps = 7, .stride = 2, .low = 3};
  problem.facts.set(LineFacts{window});
  return problem;
}

const ChipInfo &hopper() { return *lookupChip("sm_90a"); }

// A filter has all columns; the listed candidates fit the chip.
TEST(LineModel, CandidatesHaveAllColumns) {
  Problem problem = createStem();
  problem.columns = 96;
  for (const MatrixAtom &atom : hopper().atoms) {
    if (atom.kind != AtomKind::WGMMA)
      continue;
    std::vector<Candidate> candidates =
        kModel.listCandidates(problem, hopper(), atom);
    EXPECT_EQ(candidates.empty(), atom.n < 96) << atom.n;
    for (const Candidate &candidate : candidates) {
      LineTile tile{getWarpgroupTile(problem, candidate),
                    factsOf(problem).window};
      EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
      EXPECT_LE(tile.tile.accumulators(), tile.tile.maxAccumulators());
      EXPECT_GE(candidate.stages, 2);
    }
  }
}

// Three warpgroups of one atom each, which were also fastest on the device.
TEST(LineModel, WarpgroupsTakeTurns) {
  Ranking ranking = rankCandidates(createStem(), hopper());
  const Candidate &best = ranking.accepted.front().candidate;
  EXPECT_EQ(best.model, &kModel);
  EXPECT_EQ(best.workgroup, (std::array<int64_t, 2>{192, 64}));
  EXPECT_EQ(best.subgroup, (std::array<int64_t, 2>{64, 64}));
}

// With 64 channels, eight rows of a fragment share banks.
TEST(LineModel, ManyChannelsHaveConflicts) {
  Problem problem = createStem();
  Candidate candidate = rankCandidates(problem, hopper()).accepted[0].candidate;
  double few = kModel.predict(problem, hopper(), candidate).sharedCycles;
  factsOf(problem).window.channels = 64;
  factsOf(problem).window.vertical.taps =
      factsOf(problem).window.horizontal.taps = 1;
  factsOf(problem).window.vertical.low =
      factsOf(problem).window.horizontal.low = 0;
  EXPECT_GT(kModel.predict(problem, hopper(), candidate).sharedCycles, 2 * few);
}

// The gradient of the stem's filter, in slices of one line of each image.
Problem createGradient() {
  Problem problem = createStem();
  problem.batch = 112;
  problem.rows = 64;
  problem.columns = 147;
  problem.reduction = 64 * 112;
  problem.launches = 2;
  factsOf(problem).segments = 64;
  factsOf(problem).segmentPositions = 112;
  return problem;
}

// One warpgroup multiplies all groups of the window.
TEST(LineModel, GradientsHaveOneConsumer) {
  for (const MatrixAtom &atom : hopper().atoms) {
    if (atom.kind != AtomKind::WGMMA)
      continue;
    Problem problem = createGradient();
    for (const Candidate &candidate :
         kModel.listCandidates(problem, hopper(), atom)) {
      LineGradientTile tile(getWarpgroupTile(problem, candidate),
                            factsOf(problem).window,
                            factsOf(problem).segmentPositions);
      EXPECT_EQ(candidate.subgroups(), 1);
      EXPECT_TRUE(tile.hasColumns(problem.columns));
      EXPECT_EQ(tile.tile.stages % tile.kIm2colWarpgroups, 0);
      EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
      EXPECT_LE(tile.tile.accumulators(), tile.tile.maxAccumulators());
    }
  }
}

// Lines are copied whole, even if 64 positions see few of their elements: lines
// three times as long take longer to copy than windows take to gather.
TEST(LineModel, LinesTakeTimeToCopy) {
  Problem problem = createGradient();
  Candidate best = rankCandidates(problem, hopper()).accepted[0].candidate;
  Cost cost = kModel.predict(problem, hopper(), best);
  EXPECT_LT(cost.loadCycles, cost.stepCycles);
  factsOf(problem).window.horizontal.extent *= 3;
  Cost wide = kModel.predict(problem, hopper(), best);
  EXPECT_GT(wide.loadCycles, 2 * cost.loadCycles);
  EXPECT_EQ(wide.stepCycles, wide.loadCycles);
}

// Measured: 74 us, and 154 us with two stages.
TEST(LineModel, GradientsWaitForStages) {
  Problem problem = createGradient();
  Candidate best = rankCandidates(problem, hopper()).accepted[0].candidate;
  EXPECT_EQ(best.model, &kModel);
  EXPECT_EQ(best.workgroup, (std::array<int64_t, 2>{64, 192}));
  EXPECT_EQ(best.stages, 4);
  double four = kModel.predict(problem, hopper(), best).stepCycles;
  best.stages = 2;
  EXPECT_EQ(kModel.predict(problem, hopper(), best).stepCycles, 2 * four);
}

// What is around a kernel that memory limits adds to the time of its bytes.
TEST(LineModel, MemoryHasAStart) {
  Problem problem = createStem();
  Candidate best = rankCandidates(problem, hopper()).accepted[0].candidate;
  Cost cost = kModel.predict(problem, hopper(), best);
  EXPECT_GT(cost.memorySeconds,
            hopper().calibration->lineBuffer.memoryStartSeconds);
  constexpr double kMore = 1; // A second.
  Calibration calibration = *hopper().calibration;
  calibration.lineBuffer.memoryStartSeconds += kMore;
  ChipInfo late = hopper();
  late.calibration = &calibration;
  Cost later = kModel.predict(problem, late, best);
  EXPECT_NEAR(later.memorySeconds - cost.memorySeconds, kMore, 1e-9);
  EXPECT_EQ(later.computeSeconds, cost.computeSeconds);
  EXPECT_EQ(later.seconds,
            later.memorySeconds - hopper().calibration->launch.prefetchSeconds);
  EXPECT_EQ(later.limit, Limit::Memory);
}

TEST(LineModel, WithoutLinesThereAreNoCandidates) {
  Problem problem = createStem();
  problem.facts.clear<LineFacts>();
  for (const RankedCandidate &ranked :
       rankCandidates(problem, hopper()).accepted)
    EXPECT_NE(ranked.candidate.model, &kModel);
}

} // namespace
