//===- WarpgroupModelTest.cpp - tests of warpgroup_gemm's candidates ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"
#include "conv/Schedule/Heuristics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace conv;

namespace {

const KernelModel &kModel = getWarpgroupGemmModel();

WarpgroupFacts &factsOf(Problem &problem) {
  auto *facts = problem.facts.get<WarpgroupFacts>();
  return facts ? *facts : problem.facts.set(WarpgroupFacts());
}

/// A layer of ResNet-50 with 64 images of 14x14 and 256 channels.
Problem createLayer() {
  Problem problem = test::forward({.n = 64,
                                   .h = 14,
                                   .w = 14,
                                   .c = 256,
                                   .k = 256,
                                   .r = 3,
                                   .s = 3,
                                   .p = 14,
                                   .q = 14});
  factsOf(problem).steps = factsOf(problem).totalSteps =
      9 * 256 / WarpgroupTile::kRowElements;
  return problem;
}

const ChipInfo &hopper() { return *lookupChip("sm_90a"); }

TEST(WarpgroupModel, CandidatesFitTheChip) {
  for (const MatrixAtom &atom : hopper().atoms) {
    if (atom.kind != AtomKind::WGMMA || atom.hasNarrowSums())
      continue;
    std::vector<Candidate> candidates =
        kModel.listCandidates(createLayer(), hopper(), atom);
    EXPECT_EQ(candidates.empty(), atom.n < 16) << atom.n;
    for (const Candidate &candidate : candidates) {
      WarpgroupTile tile = getWarpgroupTile(createLayer(), candidate);
      EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
      EXPECT_LE(tile.accumulators(), tile.maxAccumulators());
      EXPECT_GE(tile.stages, 2);
    }
  }
}

// Columns of taps and channels are copied in boxes of 64 channels.
TEST(WarpgroupModel, TilesOfGradientsAreWholeBoxes) {
  Problem problem = createLayer();
  factsOf(problem).isRightTransposed = factsOf(problem).reducesPositions = true;
  factsOf(problem).hasRowsOfColumns = true;
  for (const MatrixAtom &atom : hopper().atoms)
    if (atom.kind == AtomKind::WGMMA && !atom.hasNarrowSums()) {
      EXPECT_EQ(kModel.listCandidates(problem, hopper(), atom).empty(),
                atom.n % 64 != 0);
    }
}

// A box has 64 channels, of which a tile can use fewer, unless the channels are
// parts of a row that are too short, or that start within cache lines.
TEST(WarpgroupModel, TransposedTilesHaveWholeBoxes) {
  Problem problem = createLayer();
  factsOf(problem).isRightTransposed = true;
  for (const MatrixAtom &atom : hopper().atoms) {
    if (atom.kind != AtomKind::WGMMA || atom.hasNarrowSums())
      continue;
    problem.columns = 256;
    EXPECT_EQ(kModel.listCandidates(problem, hopper(), atom).empty(),
              atom.n % 32 != 0);
    problem.columns = 16;
    for (const Candidate &candidate :
         kModel.listCandidates(problem, hopper(), atom)) {
      WarpgroupTile tile = getWarpgroupTile(problem, candidate);
      EXPECT_EQ(tile.rightBytes(), ceilDiv(tile.columns, 64) * 64 * 128);
    }
  }
}

// Reading rows of tiles with few columns takes as long as with a few more.
TEST(WarpgroupModel, FewColumnsHaveNarrowTiles) {
  Problem problem = createLayer();
  problem.columns = 3;
  problem.rows = 512 * 512;
  EXPECT_EQ(
      rankCandidates(problem, hopper()).accepted.front().candidate.workgroup[1],
      8);
}

// 66 x 2 tiles of 192 x 128 are one round of 132 compute units; every other
// tile takes longer, also on the device.
TEST(WarpgroupModel, TilesFillWholeRounds) {
  Ranking ranking = rankCandidates(createLayer(), hopper());
  const Candidate &best = ranking.accepted.front().candidate;
  EXPECT_EQ(best.atom->kind, AtomKind::WGMMA);
  EXPECT_EQ(best.workgroup, (std::array<int64_t, 2>{192, 128}));
}

// 25 x 5 tiles of 128 x 104 are a round; 25 x 4 tiles of 128 columns leave
// compute units idle. With few steps, the stores cost more than that.
TEST(WarpgroupModel, ColumnsFillTheChip) {
  auto getColumns = [](int64_t inputs, int64_t outputs) {
    Problem problem = test::forward(
        {.n = 64, .h = 7, .w = 7, .c = inputs, .k = outputs, .p = 7, .q = 7});
    factsOf(problem).steps = factsOf(problem).totalSteps =
        inputs / WarpgroupTile::kRowElements;
    return rankCandidates(problem, hopper())
        .accepted.front()
        .candidate.workgroup[1];
  };
  EXPECT_EQ(getColumns(2048, 512), 104);
  EXPECT_EQ(getColumns(512, 2048) % 32, 0);
}

// An image of 7x7 with 2048 channels has few tiles and 32 steps, which clusters
// share as long as all clusters run at a time.
TEST(WarpgroupModel, ClustersShareTheStepsOfFewTiles) {
  Problem problem = test::forward(
      {.n = 1, .h = 7, .w = 7, .c = 2048, .k = 512, .p = 7, .q = 7});
  factsOf(problem).steps = factsOf(problem).totalSteps =
      factsOf(problem).sharers = 32;
  Ranking ranking = rankCandidates(problem, hopper());
  EXPECT_GT(ranking.accepted.front().candidate.cluster, 1);
  for (const auto &[candidate, cost] : ranking.accepted) {
    if (candidate.cluster == 1)
      continue;
    WarpgroupTile tile = getWarpgroupTile(problem, candidate);
    EXPECT_TRUE(tile.hasWholeShares());
    EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
    EXPECT_GE(tile.stagingOffset(), tile.exchangeBytes());
    EXPECT_EQ(cost.steps, ceilDiv(32, candidate.cluster));
    EXPECT_LE(cost.workgroups / candidate.cluster,
              hopper().residentClusters[candidate.cluster - 1]);
  }
  factsOf(problem).sharers = 1;
  for (const auto &[candidate, cost] :
       rankCandidates(problem, hopper()).accepted)
    EXPECT_EQ(candidate.cluster, 1);
}

// Clusters share the steps of a gradient of a filter if its operands are near,
// but not beside slices.
TEST(WarpgroupModel, ClustersShareSmallGradientsOfFilters) {
  Problem problem = test::forward(
      {.n = 1, .h = 7, .w = 7, .c = 2048, .k = 512, .p = 7, .q = 7});
  factsOf(problem).steps = factsOf(problem).totalSteps =
      factsOf(problem).sharers = 32;
  factsOf(problem).reducesPositions = true;
  auto hasClusters = [&] {
    return std::ranges::any_of(rankCandidates(problem, hopper()).accepted,
                               [](const RankedCandidate &ranked) {
                                 return ranked.candidate.cluster > 1;
                               });
  };
  EXPECT_TRUE(hasClusters());
  problem.splits = 2;
  EXPECT_FALSE(hasClusters());
  problem.splits = 1;
  problem.lhsBytes = double(hopper().cacheBytes);
  EXPECT_FALSE(hasClusters());
}

// Cache lines of split rows take less time if few units request them.
TEST(WarpgroupModel, FewUnitsCopyFaster) {
  Problem problem = createLayer();
  factsOf(problem).leftLines = 2;
  const MatrixAtom &atom =
      *std::ranges::find_if(hopper().atoms, [](const MatrixAtom &atom) {
        return atom.kind == AtomKind::WGMMA && atom.n == 64;
      });
  Candidate candidate = kModel.listCandidates(problem, hopper(), atom).front();
  candidate.model = &kModel;
  double all = kModel.predict(problem, hopper(), candidate).loadCycles;
  problem.columns = candidate.workgroup[1];
  problem.rows = 8 * candidate.workgroup[0];
  double few = kModel.predict(problem, hopper(), candidate).loadCycles;
  EXPECT_LT(few, 0.6 * all);
}

// Instructions for 8-bit floats need promoted sums, or there is no kernel; with
// promotion it is the fastest one.
TEST(WarpgroupModel, SumsOfEightBitFloatsArePromoted) {
  Problem problem = createLayer();
  problem.operand = NumericType::F8;
  factsOf(problem).steps = factsOf(problem).totalSteps = 9;
  for (const auto &[candidate, cost] :
       rankCandidates(problem, hopper()).accepted)
    EXPECT_EQ(candidate.atom->kind, AtomKind::MMASync);
  factsOf(problem).promotion = WarpgroupTile::kMaxPromotion;
  Ranking ranking = rankCandidates(problem, hopper());
  EXPECT_EQ(ranking.accepted.front().candidate.model, &kModel);
  for (const auto &[candidate, cost] : ranking.accepted) {
    if (candidate.model != &kModel)
      continue;
    EXPECT_EQ(candidate.promotion, WarpgroupTile::kMaxPromotion);
    WarpgroupTile tile = getWarpgroupTile(problem, candidate);
    EXPECT_LE(2 * tile.accumulators(), tile.workers() > 2 ? 128 : 192);
  }
}

// A slot of halo tiles takes memory from the stages.
TEST(WarpgroupModel, TilesHaveWholeHaloTiles) {
  Problem problem = createLayer();
  problem.hasHaloTiles = true;
  factsOf(problem).haloTile = {.bytes = 10 * 18 * 128, .rows = 128, .taps = 9};
  Ranking ranking = rankCandidates(problem, hopper());
  ASSERT_FALSE(ranking.accepted.empty());
  for (const RankedCandidate &ranked : ranking.accepted) {
    EXPECT_EQ(ranked.candidate.workgroup[0] % 128, 0);
    WarpgroupTile tile = getWarpgroupTile(problem, ranked.candidate);
    EXPECT_EQ(tile.haloTileBytes, ranked.candidate.workgroup[0] * 10 * 18);
    EXPECT_LE(tile.sharedBytes(), hopper().sharedMemoryBytes);
  }
}

// Lanes store sums of a slice, so that stages get the remaining memory.
TEST(WarpgroupModel, TilesHaveTheColumnsThatShareAHaloTile) {
  Problem problem = createLayer();
  factsOf(problem).isRightTransposed = true;
  problem.splits = 2;
  problem.hasHaloTiles = true;
  factsOf(problem).haloTile = {.bytes = 8 * 10 * 128, .columns = 3 * 64};
  Ranking ranking = rankCandidates(problem, hopper());
  ASSERT_FALSE(ranking.accepted.empty());
  for (const RankedCandidate &ranked : ranking.accepted) {
    EXPECT_EQ(ranked.candidate.workgroup[1], 3 * 64);
    WarpgroupTile tile = getWarpgroupTile(problem, ranked.candidate);
    EXPECT_EQ(tile.stageBytes(), (ranked.candidate.workgroup[0] + 80) * 128);
    EXPECT_EQ(tile.stagingBytes(), 0);
  }
}

// A tile has one of three lines of three taps, or all lines.
TEST(WarpgroupModel, TilesHaveWholeLinesOfTaps) {
  Problem problem = createLayer();
  factsOf(problem).isLeftTransposed = true;
  factsOf(problem).isRightTransposed = true;
  problem.splits = 2;
  problem.columns = 32;
  problem.hasHaloTiles = true;
  factsOf(problem).haloTile = {
      .bytes = 10 * 10 * 128,
      .tapRows = {.lines = 3, .taps = 3, .dilation = 1, .pitch = 10}};
  Ranking ranking = rankCandidates(problem, hopper());
  std::set<int64_t> rows;
  for (const RankedCandidate &ranked : ranking.accepted) {
    rows.insert(ranked.candidate.workgroup[0]);
    WarpgroupTile tile = getWarpgroupTile(problem, ranked.candidate);
    int64_t lines = tile.rows == 9 * 64 ? 10 : 8;
    EXPECT_EQ(tile.leftBytes(), roundUp(lines * 10 * 128, 1024));
    EXPECT_EQ(tile.rightOffset(), tile.leftBytes());
  }
  EXPECT_EQ(rows, (std::set<int64_t>{3 * 64, 9 * 64}));
}

// In a reduction over positions, each copied row takes a unit's copy engine a
// few cycles, even if few units run.
TEST(WarpgroupModel, RowsTakeTheCopyEngineTime) {
  Problem problem = createLayer();
  factsOf(problem).isLeftTransposed = true;
  factsOf(problem).isRightTransposed = true;
  factsOf(problem).reducesPositions = true;
  const Candidate candidate =
      rankCandidates(problem, hopper()).accepted.front().candidate;
  Cost cost = computeCost(problem, hopper(), candidate);
  double rows = double(candidate.workgroup[0] + candidate.workgroup[1]);
  EXPECT_GE(cost.loadCycles, hopper().calibration->warpgroup.rowCycles * rows);
}

// Copied epilogue operands replace stages, or take no memory if the stages have
// room for all of them; either way there is a candidate.
TEST(WarpgroupModel, EpiloguesTakeThePlaceOfStages) {
  Problem problem = createLayer();
  problem.epilogueBytes = problem.resultBytes;
  std::array<int64_t, 2> workgroup = {256, 128}, subgroup = {128, 128};
  auto list = [&] {
    std::vector<RankedCandidate> found;
    for (const RankedCandidate &one :
         rankCandidates(problem, hopper()).accepted)
      if (one.candidate.workgroup == workgroup &&
          one.candidate.subgroup == subgroup && one.candidate.columnsFastest &&
          one.candidate.cluster == 1)
        found.push_back(one);
    return found;
  };
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list().front().candidate.stages, 4);
  factsOf(problem).hasEpilogueBoxes = true;
  ASSERT_EQ(list().size(), 2u);
  WarpgroupTile tile = getWarpgroupTile(problem, list().front().candidate);
  tile.copyEpilogue(hopper().sharedMemoryBytes);
  EXPECT_EQ(tile.stages, 3);
  EXPECT_EQ(tile.countEpilogueChunks(), 4);
  EXPECT_EQ(tile.stagingBytes(), 128 * 128 * 2);
  EXPECT_EQ(tile.sharedBytes(), tile.epilogueBarrierOffset() + 2 * 2 * 4 * 8);
  tile = getWarpgroupTile(problem, list().back().candidate);
  tile.copyEpilogue(hopper().sharedMemoryBytes);
  EXPECT_EQ(tile.stages, 4);
  EXPECT_FALSE(tile.isEpilogueCopied);
  tile.cluster = 2;
  EXPECT_FALSE(tile.canCopyEpilogue());
}

TEST(WarpgroupModel, HaloTilesAreSharedBySteps) {
  Problem problem = createLayer();
  Candidate candidate =
      rankCandidates(problem, hopper()).accepted.front().candidate;
  candidate.workgroup[0] = candidate.subgroup[0] = 128;
  double alone = kModel.predict(problem, hopper(), candidate).loadCycles;
  problem.hasHaloTiles = true;
  factsOf(problem).haloTile = {.bytes = 10 * 18 * 128, .rows = 128, .taps = 9};
  EXPECT_LT(kModel.predict(problem, hopper(), candidate).loadCycles, alone);
}

// Copies take as long as the cache lines of their rows, and longer if rows are
// not full.
TEST(WarpgroupModel, RowsTakeTime) {
  auto getLoadCycles = [](const Problem &problem) {
    Candidate candidate{.workgroup = {128, 128},
                        .subgroup = {64, 128},
                        .gemmK = WarpgroupTile::kRowElements,
                        .stages = 6};
    for (const MatrixAtom &atom : hopper().atoms)
      if (atom.kind == AtomKind::WGMMA && atom.n == 128 &&
          atom.operand == problem.operand)
        candidate.atom = &atom;
    return kModel.predict(problem, hopper(), candidate).loadCycles;
  };
  Problem whole = createLayer();
  whole.lhsRun.elements = whole.rhsRun.elements = 256;
  Problem split = whole;
  factsOf(split).leftLines = 1.5;
  EXPECT_GT(getLoadCycles(split), getLoadCycles(whole));
  Problem partial = whole;
  partial.lhsRun.elements = 32;
  EXPECT_GT(getLoadCycles(partial), getLoadCycles(split));
  Problem volumes = whole;
  factsOf(volumes).hasVolumes = true;
  EXPECT_GT(getLoadCycles(volumes), getLoadCycles(whole));
}

// Lanes need registers for positions, and narrow copies take longer.
TEST(WarpgroupModel, LanesCopyWhatBoxesCannot) {
  Problem problem = createLayer();
  int64_t steps = factsOf(problem).steps;
  problem.facts.clear<WarpgroupFacts>();
  auto getSeconds = [&](int64_t copyBytes) {
    GatherFacts facts;
    facts.steps = facts.totalSteps = steps;
    facts.gather.left = {.copyBytes = copyBytes, .registers = 3};
    facts.gather.right = {.copyBytes = copyBytes};
    problem.facts.set(facts);
    double seconds = 0;
    for (const RankedCandidate &ranked :
         rankCandidates(problem, hopper()).accepted) {
      const Candidate &candidate = ranked.candidate;
      if (candidate.atom->kind != AtomKind::WGMMA)
        continue;
      WarpgroupTile tile = getWarpgroupTile(problem, candidate);
      EXPECT_LE(tile.consumers, 2);
      EXPECT_LE(tile.accumulators(), 128);
      EXPECT_NE(getGatherFacts(problem, tile), nullptr);
      if (seconds == 0)
        seconds = ranked.cost.seconds;
    }
    return seconds;
  };
  EXPECT_GT(getSeconds(16), 0);
  EXPECT_GT(getSeconds(4), getSeconds(16));
}

// Vectors of unaligned rows share sectors in the first-level cache, for which
// shared memory leaves room. Aligned rows need none.
TEST(WarpgroupModel, LanesLeaveRoomForTheCache) {
  constexpr int64_t kMaxCachedBytes = 163 << 10;
  auto getMostBytes = [](int64_t alignment) {
    Problem problem = createLayer();
    GatherFacts facts;
    static_cast<WarpgroupFacts &>(facts) = factsOf(problem);
    facts.gather.left = {.copyBytes = 16, .alignment = alignment};
    facts.gather.right = facts.gather.left;
    problem.facts.clear<WarpgroupFacts>();
    problem.facts.set(facts);
    int64_t most = 0;
    for (const RankedCandidate &ranked :
         rankCandidates(problem, hopper()).accepted) {
      WarpgroupTile tile = getWarpgroupTile(problem, ranked.candidate);
      if (tile.isGathered())
        most = std::max(most, tile.sharedBytes());
      if (tile.isGathered() && alignment == 16) {
        EXPECT_GE(tile.stages, 3);
      }
    }
    return most;
  };
  EXPECT_LE(getMostBytes(16), kMaxCachedBytes);
  EXPECT_GT(getMostBytes(32), kMaxCachedBytes);
}

// Lanes copy instead of the copy engine only unaligned rows, neither of groups
// nor of slices of a window's reduction.
TEST(WarpgroupModel, LanesAreRankedForUnalignedRows) {
  auto areRanked = [](int64_t alignment, bool hasGroups, int64_t splits) {
    Problem problem = createLayer();
    problem.splits = splits;
    GatherFacts facts;
    static_cast<WarpgroupFacts &>(facts) = factsOf(problem);
    facts.gather.left = {.copyBytes = 16, .alignment = alignment};
    facts.gather.right = facts.gather.left;
    facts.hasWholeBoxes = true;
    facts.hasGroups = hasGroups;
    problem.facts.set(facts);
    for (const RankedCandidate &ranked :
         rankCandidates(problem, hopper()).accepted)
      if (ranked.candidate.producer == Producer::AsyncCopies)
        return true;
    return false;
  };
  EXPECT_TRUE(areRanked(16, /*hasGroups=*/false, /*splits=*/1));
  EXPECT_FALSE(areRanked(32, /*hasGroups=*/false, /*splits=*/1));
  EXPECT_FALSE(areRanked(16, /*hasGroups=*/true, /*splits=*/1));
  EXPECT_FALSE(areRanked(16, /*hasGroups=*/false, /*splits=*/2));
}

// All units copy what they keep at the same time, unaligned rows more slowly.
TEST(WarpgroupModel, UnalignedFiltersTakeLongerToKeep) {
  auto getSeconds = [](int64_t channels) {
    Problem problem = test::forward({.n = 64,
                                     .h = 14,
                                     .w = 14,
                                     .c = 256,
                                     .k = 64,
                                     .r = 1,
                                     .s = 1,
                                     .p = 14,
                                     .q = 14});
    WarpgroupFacts &facts = factsOf(problem);
    facts.steps = facts.totalSteps = 256 / WarpgroupTile::kRowElements;
    facts.reuse = {TmaReuse::Side::Right, facts.steps, 1, problem.rows,
                   problem.columns};
    problem.lhsRun.elements = 256;
    problem.rhsRun.elements = channels;
    for (const RankedCandidate &ranked :
         rankCandidates(problem, hopper()).accepted)
      if (ranked.candidate.workgroup == std::array<int64_t, 2>{64, 64})
        return ranked.cost.seconds;
    ADD_FAILURE() << "no tile of 64 x 64";
    return 0.0;
  };
  EXPECT_GT(getSeconds(40), getSeconds(48));
}

// A tile of 8 x 8 positions has columns of several taps, which are apart in
// the gradient of a filter.
TEST(WarpgroupModel, LanesStoreHaloTilesOfGradients) {
  auto getSeconds = [](bool hasStoredPairs) {
    Problem problem = createLayer();
    WarpgroupFacts &facts = factsOf(problem);
    facts.reducesPositions = facts.hasRowsOfColumns = true;
    facts.isRightTransposed = true;
    facts.haloTile = {.bytes = 12800, .columns = 192};
    facts.hasStoredPairs = hasStoredPairs;
    problem.hasHaloTiles = true;
    std::vector<RankedCandidate> accepted =
        rankCandidates(problem, hopper()).accepted;
    EXPECT_FALSE(accepted.empty());
    return accepted.empty() ? 0 : accepted.front().cost.seconds;
  };
  EXPECT_GT(getSeconds(true), getSeconds(false));
}

// Lines of a halo tile are short, unless two atoms are stored together; odd
// columns touch more sectors, and lanes shift their elements.
TEST(WarpgroupModel, RowsInnermostAreStoredByColumns) {
  Problem problem = createLayer();
  WarpgroupTile one{.rows = 128, .columns = 64, .stages = 4, .consumers = 2};
  WarpgroupTile two{.rows = 256, .columns = 64, .stages = 4, .consumers = 2};
  EXPECT_FALSE(storesColumns(problem, one));
  problem.resultRowDistance = 1;
  EXPECT_TRUE(storesColumns(problem, one));
  WarpgroupTile bytes = one;
  bytes.resultBytes = 1;
  EXPECT_FALSE(storesColumns(problem, bytes));
  WarpgroupTile slices = one;
  slices.isStaged = false;
  EXPECT_FALSE(storesColumns(problem, slices));

  auto getCycles = [&](const WarpgroupTile &tile) {
    return computeColumnCycles(problem, hopper(), tile) /
           double(tile.rows * tile.columns);
  };
  double whole = getCycles(one);
  EXPECT_EQ(getCycles(two), whole);
  problem.hasOddResultColumns = true;
  double odd = getCycles(one);
  EXPECT_GT(odd, whole);
  problem.hasOddResultColumns = false;
  // Lines of halo tiles are shorter, whoever copies them.
  problem.hasHaloTiles = true;
  double line = getCycles(one);
  EXPECT_GT(line, 2 * whole);
  factsOf(problem).haloTile.emplace();
  EXPECT_EQ(getCycles(one), line);
  EXPECT_EQ(getCycles(two), whole);
  problem.hasOddResultColumns = true;
  EXPECT_GT(getCycles(two), odd);
}

// Where both producers bring the operands, tiles of both are ranked, and the
// fewer bytes lanes copy at a time, the later theirs come.
TEST(WarpgroupModel, ProducersAreRankedTogether) {
  Problem problem = createLayer();
  auto getBest = [&](int64_t copyBytes, Producer producer) {
    GatherFacts facts;
    static_cast<WarpgroupFacts &>(facts) = factsOf(problem);
    facts.gather.left = {.copyBytes = copyBytes, .registers = 1};
    facts.gather.right = {.copyBytes = copyBytes};
    problem.facts.set(facts);
    for (const RankedCandidate &ranked :
         rankCandidates(problem, hopper()).accepted)
      if (ranked.candidate.atom->kind == AtomKind::WGMMA &&
          ranked.candidate.producer == producer)
        return ranked.cost.seconds;
    ADD_FAILURE() << "no candidate with this producer";
    return 0.0;
  };
  double boxes = getBest(16, Producer::CopyEngine);
  EXPECT_EQ(getBest(4, Producer::CopyEngine), boxes);
  EXPECT_GT(getBest(4, Producer::AsyncCopies),
            getBest(16, Producer::AsyncCopies));
  EXPECT_GT(getBest(4, Producer::AsyncCopies), boxes);
}

// Copies that skip positions of volumes are slow, so lanes are ranked beside
// them.
TEST(WarpgroupModel, LanesAreRankedForStridedVolumes) {
  auto isRanked = [](bool hasVolumes, bool hasStrides) {
    Problem problem = createLayer();
    WarpgroupFacts &boxes = factsOf(problem);
    boxes.hasVolumes = hasVolumes;
    boxes.hasStrides = hasStrides;
    GatherFacts facts;
    static_cast<WarpgroupFacts &>(facts) = boxes;
    facts.hasWholeBoxes = true;
    facts.gather.left = {.copyBytes = 16, .alignment = 128};
    facts.gather.right = facts.gather.left;
    problem.facts.set(facts);
    std::vector<RankedCandidate> accepted =
        rankCandidates(problem, hopper()).accepted;
    return std::any_of(
        accepted.begin(), accepted.end(), [](const RankedCandidate &ranked) {
          return ranked.candidate.producer == Producer::AsyncCopies;
        });
  };
  EXPECT_TRUE(isRanked(true, true));
  EXPECT_FALSE(isRanked(true, false));
  EXPECT_FALSE(isRanked(false, true));
}

TEST(WarpgroupModel, WithoutBoxesThereAreNoCandidates) {
  Problem problem = createLayer();
  problem.facts.clear<WarpgroupFacts>();
  for (const RankedCandidate &ranked :
       rankCandidates(problem, hopper()).accepted)
    EXPECT_NE(ranked.candidate.atom->kind, AtomKind::WGMMA);
}

} // namespace
