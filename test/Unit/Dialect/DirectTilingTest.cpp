//===- DirectTilingTest.cpp - boxes of digits -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DirectTiling.h"

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
  EXPECT_EQ(getSizes({2, 8, 6}, 4), Sizes());     // Not a part of 6.
  EXPECT_EQ(getSizes({2, 8, 6}, 9), Sizes());     // One and a half of 6.
  EXPECT_EQ(getSizes({2, 8, 6}, 5 * 6), Sizes()); // 5 of 8, twice.
  EXPECT_EQ(getSizes({1, 8, 6}, 5 * 6), Sizes({1, 5, 6}));
  EXPECT_EQ(getSizes({7}, 4), Sizes({4}));
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

static DirectBand makeBand(int64_t channels, int64_t taps, int64_t stride,
                           int64_t tapStride) {
  DirectBand band{};
  band.channels = channels;
  band.taps = taps;
  band.stride = stride;
  band.tapStride = tapStride;
  return band;
}

TEST(DirectBand, ColumnsAreARunOfPositionsWithABlockOfChannels) {
  for (int64_t channels : {1, 2, 4, 8}) {
    DirectBand band = makeBand(channels, 3, 1, 1);
    EXPECT_EQ(band.getRun() * band.getBlock(), DirectBand::kColumns);
    EXPECT_EQ(band.getBlocks() * band.getBlock(), DirectBand::kVector);
    EXPECT_EQ(band.getMatrices() * channels, DirectBand::kVector);
  }
  // Two depthwise channels are one block, whose matrix is diagonal.
  EXPECT_EQ(makeBand(1, 3, 1, 1).getBlock(), 2);
}

TEST(DirectBand, TheWindowOfARunHasFours) {
  EXPECT_EQ(makeBand(1, 3, 1, 1).getWindow(), 6); // 4 positions, 3 taps.
  EXPECT_EQ(makeBand(1, 7, 1, 1).getFours(), 3);  // 10 of 12.
  EXPECT_EQ(makeBand(8, 3, 1, 1).getFours(), 1);  // 3 of 4.
  EXPECT_EQ(makeBand(1, 3, 2, 1).getWindow(), 9); // Every second position.
  EXPECT_EQ(makeBand(1, 3, 1, 2).getWindow(), 8); // Dilated.
  EXPECT_EQ(makeBand(1, 1, 1, 0).getWindow(), 4); // No taps.
}

TEST(DirectBand, TapsMayComeInReverse) {
  EXPECT_EQ(makeBand(1, 3, 1, -1).getWindow(), 6);
  EXPECT_EQ(makeBand(1, 3, 1, -1).getFirstTap(), 2);
  EXPECT_EQ(makeBand(1, 3, 1, 1).getFirstTap(), 0);
}

TEST(DirectBand, ExchangedPairsLieInDifferentBanks) {
  // Four pairs of one position are four parts of all banks apart.
  int64_t distance = DirectBand::getPairDistance(/*positions=*/64);
  EXPECT_EQ(distance % DirectBand::kBanks, DirectBand::kBanks / 4);
  // So are the vectors of four subgroups, which are read side by side.
  int64_t sums = DirectBand::getExchangedSums(/*positions=*/64, /*vectors=*/4);
  EXPECT_EQ(sums % DirectBand::kBanks, DirectBand::kBanks / 4);
}

static DirectBlocks makeBlocks(int64_t columnVectors, int64_t taps) {
  DirectBlocks blocks{};
  blocks.columnVectors = columnVectors;
  blocks.taps = taps;
  return blocks;
}

TEST(DirectBlocks, AnAtomHasTwoBlocks) {
  EXPECT_EQ(makeBlocks(1, 9).countBlocks(), 9);
  EXPECT_EQ(makeBlocks(1, 9).countAtoms(), 5); // Half of the last one is empty.
  EXPECT_EQ(makeBlocks(2, 9).countAtoms(), 9);
  EXPECT_EQ(makeBlocks(1, 1).countAtoms(), 1);
}
