//===- WarpgroupTileTest.cpp - tests of what tiles need -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

WarpgroupTile createTile(int64_t columns, int64_t resultBytes) {
  return {.rows = 128,
          .columns = columns,
          .stages = 2,
          .consumers = 2,
          .resultBytes = resultBytes};
}

TEST(WarpgroupTile, ChunksAreRowsOfASwizzle) {
  EXPECT_EQ(createTile(128, 2).chunkColumns(), 64);
  EXPECT_EQ(createTile(128, 4).chunkColumns(), 32);
  EXPECT_EQ(createTile(128, 1).chunkColumns(), 128);
}

// Results leave in one row that is not swizzled, not in many short rows.
TEST(WarpgroupTile, ShortSwizzledRowsAreJoined) {
  EXPECT_EQ(createTile(104, 2).chunkColumns(), 104);
  EXPECT_EQ(createTile(96, 2).chunkColumns(), 32);
  EXPECT_EQ(createTile(160, 1).chunkColumns(), 160);
  EXPECT_TRUE(WarpgroupTile::isSwizzled(createTile(96, 2).chunkRowBytes()));
  EXPECT_FALSE(WarpgroupTile::isSwizzled(createTile(104, 2).chunkRowBytes()));
}

// Copies take multiples of 16 bytes, and at least 32.
TEST(WarpgroupTile, ShortRowsAreNoChunks) {
  EXPECT_FALSE(createTile(104, 1).hasChunks());
  EXPECT_TRUE(createTile(8, 4).hasChunks());
  EXPECT_FALSE(createTile(8, 2).hasChunks());
  EXPECT_TRUE(createTile(16, 2).hasChunks());
  EXPECT_FALSE(createTile(16, 1).hasChunks());
}

// For elements of four bytes, half of the columns are staged: whole chunks.
TEST(WarpgroupTile, LongElementsAreStagedInTurns) {
  EXPECT_EQ(createTile(128, 2).stagedColumns(), 128);
  EXPECT_EQ(createTile(128, 4).stagedColumns(), 64);
  EXPECT_EQ(createTile(128, 4).stagingBytes(),
            createTile(128, 2).stagingBytes());
  EXPECT_EQ(createTile(96, 4).stagedColumns(), 64);
  EXPECT_EQ(createTile(160, 4).stagedColumns(), 96);
  EXPECT_EQ(createTile(32, 4).stagedColumns(), 32);
  EXPECT_EQ(createTile(104, 4).stagedColumns(), 104);
}

// All chunks of an epilogue operand have a place.
TEST(WarpgroupTile, CopiedEpiloguesAreStagedWhole) {
  WarpgroupTile tile = createTile(128, 4);
  tile.isEpilogueCopied = true;
  EXPECT_EQ(tile.stagedColumns(), 128);
  EXPECT_EQ(tile.countEpilogueChunks(), 4);
}

WarpgroupTile createConverted(int64_t parts, int64_t stages) {
  WarpgroupTile tile = createTile(32, 4);
  tile.stages = stages;
  tile.convertedParts = parts;
  tile.isRightTransposed = true;
  return tile;
}

// A warp that waits for a stage knows that what the stage held before was
// multiplied only if there are no more places than stages.
TEST(WarpgroupTile, WarpsThatConvertHaveNoMorePlacesThanStages) {
  for (int64_t stages : {2, 3, 4, 8})
    EXPECT_LE(createConverted(2, stages).convertedStages(), stages);
  EXPECT_EQ(createConverted(1, 3).convertedStages(), 2);
  EXPECT_EQ(createConverted(1, 4).convertedStages(), 3);
  EXPECT_EQ(createConverted(0, 4).convertedStages(), 0);
  WarpgroupTile tile = createConverted(2, 4);
  EXPECT_EQ(tile.convertedStages() * tile.convertedBytes(), 3 * 2 * 32 * 128);
}

TEST(WarpgroupTile, RowsOfConvertedTilesAreF32) {
  EXPECT_TRUE(createConverted(1, 4).hasWholeRowsOfColumns());
  EXPECT_EQ(createConverted(1, 4).rightColumns(), 32);
  EXPECT_FALSE(createConverted(0, 4).hasWholeRowsOfColumns());
  EXPECT_EQ(createConverted(0, 4).rightColumns(), 64);
}

TEST(WarpgroupTile, SumsOfOnePartAreAddedUpByInstructions) {
  EXPECT_TRUE(createConverted(2, 4).addsSteps());
  EXPECT_FALSE(createConverted(1, 4).addsSteps());
  EXPECT_EQ(createConverted(2, 4).maxAccumulators(), 80);
  EXPECT_EQ(createConverted(1, 4).maxAccumulators(), 192);
}

} // namespace
