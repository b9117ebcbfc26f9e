//===- DirectTilingTest.cpp - boxes of digits -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectTiling.h"
#include "../../../lib/Kernels/Direct/LaneReads.h"

#include <gtest/gtest.h>

using namespace mlir::conv;

static std::vector<int64_t> getSizes(llvm::ArrayRef<int64_t> digits,
                                     int64_t tile) {
  std::optional<DigitBox> box = DigitBox::compute(digits, tile);
  return box ? std::vector<int64_t>(box->sizes.begin(), box->sizes.end())
             : std::vector<int64_t>();
}

using Sizes = std::vector<int64_t>;

TEST(DigitBox, TakesDigitsFromTheInnermostOn) {
  EXPECT_EQ(getSizes({2, 8, 6}, 1), Sizes({1, 1, 1}));
  EXPECT_EQ(getSizes({2, 8, 6}, 3), Sizes({1, 1, 3}));
  EXPECT_EQ(getSizes({2, 8, 6}, 6), Sizes({1, 1, 6}));
  EXPECT_EQ(getSizes({2, 8, 6}, 24), Sizes({1, 4, 6}));
  EXPECT_EQ(getSizes({2, 8, 6}, 48), Sizes({1, 8, 6}));
}

TEST(DigitBox, ATileBeyondTheEndIsTheWholeSpace) {
  EXPECT_EQ(getSizes({2, 8, 6}, 1000), Sizes({2, 8, 6}));
}

TEST(DigitBox, TilesDoNotStraddle) {
  EXPECT_EQ(getSizes({2, 8, 6}, 4), Sizes());     // Does not divide 6.
  EXPECT_EQ(getSizes({2, 8, 6}, 9), Sizes());     // One and a half times 6.
  EXPECT_EQ(getSizes({2, 8, 6}, 5 * 6), Sizes()); // 5 of 8, twice.
  EXPECT_EQ(getSizes({1, 8, 6}, 5 * 6), Sizes({1, 5, 6}));
  EXPECT_EQ(getSizes({7}, 4), Sizes({4}));
}

TEST(DigitBox, EnumeratesPartsOfOneDigitWithAllDigitsInside) {
  auto tiles = DigitBox::enumerateTiles({2, 6});
  EXPECT_EQ(Sizes(tiles.begin(), tiles.end()), Sizes({1, 2, 3, 6, 12}));
}

TEST(DigitBox, CountsTilesAndWholeRuns) {
  DigitBox box = *DigitBox::compute({1, 8, 6}, 5 * 6, /*run=*/4);
  EXPECT_EQ(box.getNumTiles(), 2);
  EXPECT_EQ(box.getPadded(1), 5);
  EXPECT_EQ(box.getPadded(2), 8);
  EXPECT_TRUE(box.mayExceed(1)); // 2 * 5 of 8.
  EXPECT_TRUE(box.mayExceed(2)); // 8 of 6.
  EXPECT_FALSE(box.mayExceed(0));
}

TEST(DigitBox, TheInnermostDigitHasNeighbours) {
  EXPECT_EQ(DigitBox::compute({3, 3, 1}, 9)->innermost, 1u);
  EXPECT_EQ(DigitBox::compute({1, 1}, 1)->innermost, 1u);
}

// 64 sums are read one after the other, or 8 and then 8; a few sums are not
// worth a round, and work-items have to be there for it.
TEST(DirectTiling, ManySumsAreAddedInTwoRounds) {
  auto count = [](int64_t slices, int64_t units,
                  const ::conv::DirectRoundCalibration &fit = {}) {
    return DirectTiling::countRemainingSums(slices, units, /*workItems=*/256,
                                            fit);
  };
  EXPECT_EQ(count(64, /*units=*/1), 8);
  EXPECT_EQ(count(8, /*units=*/1), 1);
  EXPECT_EQ(count(64, /*units=*/16), 4);
  EXPECT_EQ(count(64, /*units=*/64), 1);
  // The dearer a round is, the more sums are worth one.
  EXPECT_EQ(count(64, /*units=*/1, {.readsOfRound = 64}), 1);
}

static int64_t countPasses(llvm::SmallVector<int64_t> counts,
                           llvm::SmallVector<int64_t> distances) {
  return LaneReads{counts, distances}.countPasses();
}

// Eight lanes read 16 bytes each, from all 32 banks if the distance is an odd
// number of vectors.
TEST(LaneReads, VectorsAtEvenDistancesShareBanks) {
  EXPECT_EQ(countPasses({32}, {16}), 1);
  EXPECT_EQ(countPasses({32}, {5 * 16}), 1);
  EXPECT_EQ(countPasses({32}, {4 * 16}), 4);
  EXPECT_EQ(countPasses({32}, {8 * 16}), 8);  // Every second row of 4 vectors,
  EXPECT_EQ(countPasses({32}, {10 * 16}), 2); // and of 4 vectors and one more.
  EXPECT_EQ(countPasses({4}, {8 * 16}), 4);   // There are no more lanes.
}

// As many lanes as fill all banks read together.
TEST(LaneReads, ShorterReadsAreOfMoreLanes) {
  EXPECT_EQ(countPasses({32}, {28}), 1);
  EXPECT_EQ(countPasses({32}, {8}), 1);
  EXPECT_EQ(countPasses({32}, {2}), 1);
  EXPECT_EQ(countPasses({8, 4}, {128, 4}), 8);
}

TEST(LaneReads, ThereIsOnePassForTheSamePlace) {
  EXPECT_EQ(countPasses({16, 2}, {16, 0}), 1);
  EXPECT_EQ(countPasses({}, {}), 1);
}

TEST(FilterBlocks, ExchangedPairsLieInDifferentBanks) {
  // Four pairs of one position lie in four different parts of all banks.
  int64_t distance = FilterBlocks::getPairDistance(/*positions=*/64);
  EXPECT_EQ(distance % FilterBlocks::kBanks, FilterBlocks::kBanks / 4);
  // So do the vectors of four subgroups, which are read side by side.
  int64_t sums =
      FilterBlocks::getExchangedSums(/*positions=*/64, /*vectors=*/4);
  EXPECT_EQ(sums % FilterBlocks::kBanks, FilterBlocks::kBanks / 4);
}

// Subgroups store pairs of sums: an odd distance between subgroups, as 32 banks
// over 3 or 5 vectors would give, faults.
TEST(FilterBlocks, ExchangedPairsAreAligned) {
  for (int64_t positions : {16, 32, 64})
    for (int64_t vectors = 1; vectors <= FilterBlocks::kBanks; ++vectors)
      EXPECT_EQ(FilterBlocks::getExchangedSums(positions, vectors) %
                    FilterBlocks::kPair,
                0)
          << vectors;
}

static DirectBlocks makeBlocks(int64_t columnVectors, int64_t taps) {
  DirectBlocks blocks{};
  blocks.columnVectors = columnVectors;
  blocks.taps = taps;
  return blocks;
}

TEST(DirectBlocks, AnAtomHasTwoBlocks) {
  EXPECT_EQ(makeBlocks(1, 9).countBlocks(), 9);
  EXPECT_EQ(makeBlocks(1, 9).countAtoms(), 5); // The last atom is half empty.
  EXPECT_EQ(makeBlocks(2, 9).countAtoms(), 9);
  EXPECT_EQ(makeBlocks(1, 1).countAtoms(), 1);
}

static BandedGradient makeBanded(int64_t step, int64_t dilation, int64_t taps) {
  BandedGradient banded{};
  banded.step = step;
  banded.dilation = dilation;
  banded.taps = taps;
  return banded;
}

/// The diagonal of a tap, starting from the diagonal of its class's first tap.
static int64_t getDiagonal(const BandedGradient &banded, int64_t tap) {
  int64_t classes = banded.countClasses();
  return tap % classes * banded.dilation / banded.step +
         tap / classes * banded.getDiagonalStep();
}

TEST(BandedGradient, TapsThatSeeTheSamePositionsShareAnAtom) {
  EXPECT_EQ(makeBanded(1, 1, 7).countClasses(), 1);
  EXPECT_EQ(makeBanded(2, 1, 3).countClasses(), 2);
  EXPECT_EQ(makeBanded(2, 2, 3).countClasses(), 1);
  EXPECT_EQ(makeBanded(4, 1, 3).countClasses(), 3); // No fourth class.
}

TEST(BandedGradient, WindowsNoLongerThanTheStepHaveOneDiagonal) {
  EXPECT_EQ(makeBanded(2, 1, 2).getLastDiagonal(), 0);
  EXPECT_EQ(makeBanded(2, 1, 3).getLastDiagonal(), 1);
  EXPECT_EQ(makeBanded(1, 1, 7).getLastDiagonal(), 6);
}

TEST(BandedGradient, EachTapHasItsPosition) {
  for (int64_t step = 1; step <= 4; ++step)
    for (int64_t dilation = 1; dilation <= 4; ++dilation)
      for (int64_t taps = 1; taps <= 5; ++taps) {
        BandedGradient banded = makeBanded(step, dilation, taps);
        for (int64_t tap = 0; tap < taps; ++tap)
          EXPECT_EQ(getDiagonal(banded, tap) * step +
                        banded.getRemainder(tap % banded.countClasses()),
                    tap * dilation);
      }
}
