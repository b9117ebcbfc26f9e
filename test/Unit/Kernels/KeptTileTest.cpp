//===- KeptTileTest.cpp - tests of operands that stay ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

using Side = TmaReuse::Side;

constexpr int64_t kUnits = 132, kBytes = 227 * 1024;

WarpgroupTile createTile() {
  return {.rows = 128, .columns = 64, .stages = 4, .consumers = 2};
}

/// 100 images of 320 channels at 1024 positions, computed from 320 channels.
TmaReuse createReuse(Side side) {
  return {
      .side = side, .steps = 5, .matrices = 100, .rows = 320, .columns = 1024};
}

KeptTile keep(const WarpgroupTile &tile, const TmaReuse &reuse) {
  return KeptTile(tile, reuse, kUnits, kBytes);
}

TEST(KeptTile, StagesHaveTheOtherOperand) {
  KeptTile left = keep(createTile(), createReuse(Side::Left));
  EXPECT_TRUE(left.keepsLeft());
  EXPECT_EQ(left.stageBytes(), 64 * 128);
  EXPECT_EQ(left.rightOffset(), 0);
  EXPECT_EQ(left.leftOffset(), 4 * 64 * 128);
  EXPECT_EQ(left.keptBytes(), 5 * 128 * 128);

  TmaReuse narrow = createReuse(Side::Right);
  narrow.matrices = 1, narrow.rows = 1 << 20, narrow.columns = 64;
  KeptTile right = keep(createTile(), narrow);
  EXPECT_TRUE(right.keepsRight());
  EXPECT_EQ(right.stageBytes(), 128 * 128);
  EXPECT_EQ(right.leftOffset(), 0);
  EXPECT_EQ(right.rightOffset(), 4 * 128 * 128);
}

// The kept operand lies between the stages and everything after them.
TEST(KeptTile, RegionsDoNotOverlap) {
  KeptTile kept = keep(createTile(), createReuse(Side::Left));
  EXPECT_EQ(kept.tile.stagingOffset() + kept.shift(),
            kept.keptOffset() + kept.keptBytes());
  EXPECT_EQ(kept.barrierOffset(), kept.tile.sharedBytes() + kept.shift());
  EXPECT_EQ(kept.sharedBytes(), kept.barrierOffset() + 5 * 8);
  EXPECT_EQ(kept.keptOffset() % WarpgroupTile::kAlignment, 0);
  EXPECT_EQ(kept.reduce(kept.sharedBytes()), kept.tile.sharedBytes());
}

// A workgroup continues with a tile with the same part of the filter.
TEST(KeptTile, WorkgroupsAreAMultipleOfThePartsOfTheFilter) {
  KeptTile kept = keep(createTile(), createReuse(Side::Left));
  EXPECT_EQ(kept.across, 3);
  EXPECT_EQ(kept.countWorkgroups(4800, kUnits), 132);
  EXPECT_EQ(kept.countWorkgroups(4800, 131), 129);
  EXPECT_EQ(KeptTile(createTile()).countWorkgroups(4800, 131), 131);
}

// Each workgroup has one group's filter, and tiles of other groups are other
// workgroups'.
TEST(KeptTile, EachWorkgroupKeepsTheFilterOfOneGroup) {
  TmaReuse reuse = {.side = Side::Right,
                    .steps = 9,
                    .matrices = 4,
                    .rows = 100 * 1024,
                    .columns = 128,
                    .groups = 4};
  KeptTile kept = keep(createTile(), reuse);
  EXPECT_TRUE(kept.keepsRight());
  EXPECT_EQ(kept.across, 2 * 4);
  EXPECT_EQ(kept.countWorkgroups(6400, kUnits), 128);
  // Too many units would have no filter.
  reuse.matrices = reuse.groups = 25;
  EXPECT_FALSE(keep(createTile(), reuse).keeps());
}

TEST(KeptTile, NothingIsKeptWhereItDoesNotPay) {
  TmaReuse reuse = createReuse(Side::Left);
  EXPECT_FALSE(keep(createTile(), createReuse(Side::None)).keeps());
  // Each workgroup has one tile.
  reuse.matrices = 2;
  EXPECT_FALSE(keep(createTile(), reuse).keeps());
  // The filter is too large, or has too many parts.
  reuse = createReuse(Side::Left);
  reuse.steps = 20;
  EXPECT_FALSE(keep(createTile(), reuse).keeps());
  reuse.steps = 5, reuse.rows = 128 * 9;
  EXPECT_FALSE(keep(createTile(), reuse).keeps());
  // Other tiles have the filter elsewhere.
  WarpgroupTile tile = createTile();
  tile.cluster = 2;
  EXPECT_FALSE(keep(tile, createReuse(Side::Left)).keeps());
  tile = createTile();
  tile.haloTileBytes = 1024;
  EXPECT_FALSE(keep(tile, createReuse(Side::Left)).keeps());
  tile = createTile();
  tile.convertedParts = 2;
  EXPECT_FALSE(keep(tile, createReuse(Side::Left)).keeps());
}

} // namespace
