//===- LineTileTest.cpp - tests of line buffers' sizes --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/LineBuffer/LineGradientTile.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace conv;

namespace {

/// The first layer of ResNet-50: 7x7, stride 2, on 224x224 with 3 channels.
LineWindow createStem() {
  LineWindow window;
  window.images = 64;
  window.channels = 3;
  window.vertical = {
      .extent = 224, .positions = 112, .taps = 7, .stride = 2, .low = 3};
  window.horizontal = window.vertical;
  return window;
}

// 21 elements of a line, starting at an odd one: with one more they are three
// groups of eight, and the last instruction has an unused group.
TEST(LineTile, GroupsOfTheStem) {
  LineWindow window = createStem();
  EXPECT_TRUE(window.hasPairs());
  EXPECT_EQ(window.lead(), 1);
  EXPECT_EQ(window.runElements(), 21);
  EXPECT_EQ(window.groupsPerRun(), 3);
  EXPECT_EQ(window.countGroups(), 22);
}

// With a stride of 1, every other position starts at an odd element.
TEST(LineTile, OddStridesHaveNoPairs) {
  LineWindow window = createStem();
  window.horizontal.stride = 1;
  EXPECT_FALSE(window.hasPairs());
  EXPECT_EQ(window.lead(), 0);
}

// Taps with gaps between them are runs of their own.
TEST(LineTile, DilatedTapsAreRuns) {
  LineWindow window = createStem();
  window.horizontal.dilation = 2;
  EXPECT_EQ(window.countRuns(), 49);
  EXPECT_EQ(window.runElements(), 3);
  EXPECT_EQ(window.groupsPerRun(), 1);
}

// 192 positions, at 112 per line, lie in up to three lines of positions.
TEST(LineTile, LinesOfTheStem) {
  LineTile tile{{192, 64, 4, 3}, createStem()};
  EXPECT_EQ(tile.window.countLines(192), 2 * 2 + 7);
  EXPECT_EQ(tile.stageBytes, 11 * 224 * 3 * 2);
  EXPECT_EQ(tile.filterBytes(), 3 * 64 * 128);
  EXPECT_EQ(tile.stagingOffset() % WarpgroupTile::kAlignment, 0);
  EXPECT_EQ(tile.sharedBytes(), 108608);
}

// The verifier and the cost model ask the same tile.
TEST(LineTile, Limits) {
  constexpr int64_t kShared = 232448;
  LineTile tile{{192, 64, 4, 3}, createStem()};
  EXPECT_EQ(tile.findExceeded(64, kShared), std::nullopt);
  EXPECT_EQ(tile.findExceeded(65, kShared), TileLimit::Columns);
  EXPECT_EQ(tile.findExceeded(64, 108608), std::nullopt);
  EXPECT_EQ(tile.findExceeded(64, 108607), TileLimit::SharedMemory);
  // The bytes of so many stages would overflow.
  tile.tile.stages = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(tile.findExceeded(64, kShared), TileLimit::SharedMemory);
  LineWindow wide = createStem();
  wide.channels = 16;
  EXPECT_EQ(LineTile({192, 64, 4, 3}, wide).findExceeded(64, kShared),
            TileLimit::Groups);
  LineWindow far = createStem();
  far.horizontal.low = 4096;
  EXPECT_EQ(LineTile({192, 64, 4, 3}, far).findExceeded(64, kShared),
            TileLimit::Reach);
}

// One warpgroup multiplies, and two gather, which leave it 192 columns.
TEST(LineTile, LimitsOfGradients) {
  constexpr int64_t kShared = 232448;
  LineWindow window = createStem();
  window.channels = 4;
  int64_t columns = 7 * 7 * 4;
  auto find = [&](int64_t width, int64_t stages, int64_t consumers) {
    return LineGradientTile({64 * consumers, width, stages, consumers}, window,
                            /*segmentPositions=*/112 * 112)
        .findExceeded(columns, kShared);
  };
  EXPECT_EQ(find(64, 2, 1), std::nullopt);
  EXPECT_EQ(find(64, 2, 2), TileLimit::Workgroup);
  EXPECT_EQ(find(256, 2, 1), TileLimit::Workgroup);
  EXPECT_EQ(find(40, 2, 1), TileLimit::Columns);
  EXPECT_EQ(find(64, 3, 1), TileLimit::Stages);
  EXPECT_EQ(find(64, 64, 1), TileLimit::SharedMemory);
}

// 299 positions of 3 channels are 1794 bytes: a copy has up to 14 bytes before
// the first line and after the last, and every other line starts at an odd
// element. One image ends 6 bytes after a whole access, eight end with one.
TEST(LineTile, LinesStartAnywhere) {
  LineWindow window = createStem();
  EXPECT_TRUE(window.hasAlignedLines());
  EXPECT_EQ(window.bufferBytes(11), 11 * 1344);
  window.vertical = {.extent = 299, .positions = 149, .taps = 3, .stride = 2};
  window.horizontal = window.vertical;
  EXPECT_FALSE(window.hasAlignedLines());
  EXPECT_FALSE(window.hasPairs());
  EXPECT_EQ(window.bufferBytes(8), 8 * 1794 + 16);
  EXPECT_EQ(window.bufferBytes(1), 1808);
  EXPECT_EQ(window.tailBytes(), 0);
  window.images = 1;
  EXPECT_EQ(window.tailBytes(), 6);
  EXPECT_EQ(window.countTailLines(), 1);
  // Lines of an even number of elements keep pairs.
  window.horizontal.extent = 300;
  EXPECT_FALSE(window.hasAlignedLines());
  EXPECT_TRUE(window.hasPairs());
}

// Three lines of 10 bytes: the last 14 bytes begin in the second line.
TEST(LineTile, TailsOfShortLines) {
  LineWindow window;
  window.vertical = {.extent = 3, .positions = 1, .taps = 2, .stride = 2};
  window.horizontal = {.extent = 5, .positions = 2, .taps = 2, .stride = 2};
  EXPECT_EQ(window.tailBytes(), 14);
  EXPECT_EQ(window.countTailLines(), 2);
}

// A slice of the gradient is one line of each image: 64 positions from a
// multiple of 16 on lie in up to two lines of positions.
TEST(LineTile, GradientOfTheStem) {
  LineGradientTile tile({64, 192, 4, 1}, createStem(), 112);
  EXPECT_EQ(tile.tile.workers(), 3);
  EXPECT_EQ(tile.tile.workItems(), 512);
  EXPECT_EQ(tile.usedColumns(), 176);
  EXPECT_EQ(tile.countLines(), 2 + 7);
  EXPECT_EQ(tile.linesBytes(), 9 * 224 * 3 * 2);
  EXPECT_EQ(tile.sharedBytes(), 179608);
}

// 49 taps of four channels are 28 groups of eight elements in lines: 224
// columns. Two tiles cover these, and the 196 columns of the result.
TEST(LineTile, TilesHaveAPartOfTheColumns) {
  LineWindow window = createStem();
  window.channels = 4;
  LineGradientTile tile({128, 128, 4, 1}, window, 112);
  EXPECT_EQ(tile.usedColumns(), 224);
  EXPECT_EQ(tile.countColumnTiles(), 2);
  EXPECT_EQ(tile.usedColumnsOf(0), 128);
  EXPECT_EQ(tile.usedColumnsOf(1), 96);
  EXPECT_TRUE(tile.hasColumns(196));
  EXPECT_FALSE(tile.hasColumns(128));
  EXPECT_FALSE(LineGradientTile({64, 104, 4, 1}, window, 112).hasColumns(196));
}

/// The line of all images in which the window of a position starts.
int64_t computeFirstLine(const LineWindow &window, int64_t position) {
  int64_t line = position / window.horizontal.positions;
  return line / window.vertical.positions * window.vertical.extent +
         line % window.vertical.positions * window.vertical.stride -
         window.vertical.low;
}

// No tile of any window sees more lines than fit, and no tile sees a line
// before its first.
TEST(LineTile, LinesHoldAllWindows) {
  std::mt19937 random(1);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    LineWindow window;
    window.images = draw(1, 4);
    window.vertical = {.extent = draw(1, 20),
                       .positions = draw(1, 12),
                       .taps = draw(1, 4),
                       .stride = draw(1, 3),
                       .dilation = draw(1, 2),
                       .low = draw(0, 3)};
    window.horizontal.positions = draw(1, 40);
    if (window.images > 1 && window.linesToNextImage() < 0)
      continue;
    int64_t rows = 64 * draw(1, 4);
    int64_t alignment = int64_t(1) << draw(0, 6);
    if (alignment == 64)
      alignment = rows;
    int64_t positions = window.countPositions();
    for (int64_t first = 0; first < positions; first += alignment)
      for (int64_t p = first; p < std::min(first + rows, positions); ++p) {
        int64_t line =
            computeFirstLine(window, p) - computeFirstLine(window, first);
        int64_t last =
            line + (window.vertical.taps - 1) * window.vertical.dilation;
        ASSERT_GE(line, 0);
        ASSERT_LT(last, window.countLines(rows, alignment));
      }
  }
}

} // namespace
