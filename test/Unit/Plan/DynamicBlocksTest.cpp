//===- DynamicBlocksTest.cpp - work-items of dynamic convolutions ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/DynamicBlocks.h"
#include "conv/Plan/TransformSchedules.h"

#include "conv/Chip/Chip.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Eight sequences of 2048 tokens of 4096 channels, with kernels of 4 taps.
DynamicFacts createFacts() {
  return {.shape = {.b = 8, .t = 2048, .d = 4096, .g = 4096, .w = 4}};
}

DynamicBlocks compute(const DynamicFacts &facts, StringRef chip) {
  return DynamicBlocks::compute(facts, *::conv::lookupChip(chip.str()));
}

// Two kernels of 4 taps in 16 bits are a vector, of which registers hold eight.
TEST(DynamicBlocks, RegistersHoldTheKernelsOfABlock) {
  for (StringRef chip : {"sm_90a", "host"}) {
    DynamicBlocks blocks = compute(createFacts(), chip);
    EXPECT_EQ(blocks.positions, 8) << chip.str();
    EXPECT_EQ(blocks.elements, 2) << chip.str();
    EXPECT_EQ(blocks.run, 1) << chip.str();
    EXPECT_FALSE(blocks.isStream) << chip.str();
  }
  DynamicFacts longer = createFacts();
  longer.order = KernelOrder::BTWG; // Eight kernels are a vector.
  longer.shape.w = 16;
  EXPECT_EQ(compute(longer, "sm_90a").elements, 8);
  EXPECT_EQ(compute(longer, "sm_90a").positions, 2);
}

// Work-items of AMD's chips stream, unless kernels are normalized.
TEST(DynamicBlocks, StreamsOnAMD) {
  DynamicFacts facts = createFacts();
  DynamicBlocks blocks = compute(facts, "gfx942");
  EXPECT_TRUE(blocks.isStream);
  EXPECT_GT(blocks.run, 1);
  EXPECT_EQ(blocks.wholeRuns % (blocks.run * blocks.positions), 0);
  // A workgroup has a run of each of its work-items.
  EXPECT_EQ(blocks.tile[0] * blocks.tile[1],
            kElementwiseWorkItems * blocks.elements * blocks.run);
  facts.isNormalized = true;
  EXPECT_FALSE(compute(facts, "gfx942").isStream);
  EXPECT_EQ(compute(facts, "gfx942").run, 1);
}

// With few tokens, runs are as short as blocks, so that units have work.
TEST(DynamicBlocks, FewTokensHaveShortRuns) {
  DynamicFacts few = createFacts();
  few.shape.b = 1;
  few.shape.t = 64;
  DynamicBlocks blocks = compute(few, "gfx942");
  EXPECT_EQ(blocks.run, 1);
  EXPECT_LE(blocks.positions, 8);
}

TEST(DynamicBlocks, NoBlockIsLongerThanASequence) {
  for (StringRef chip : {"gfx942", "sm_90a", "host"}) {
    DynamicFacts facts = createFacts();
    facts.shape.t = 3;
    EXPECT_LE(compute(facts, chip).positions, 4) << chip.str();
    facts.hasTokenKernel = true;
    facts.shape.t = 1;
    EXPECT_EQ(compute(facts, chip).positions, 1) << chip.str();
  }
}

// NVIDIA's blocks are short if taps stay in registers; others only if there is
// more.
TEST(DynamicBlocks, OneKernelMakesShortBlocks) {
  DynamicFacts facts = createFacts();
  facts.hasOneKernel = true;
  EXPECT_EQ(compute(facts, "sm_90a").positions, 4);
  EXPECT_EQ(compute(facts, "sm_90a").elements, 4); // 8 bytes.
  EXPECT_EQ(compute(facts, "host").positions, 8);
  EXPECT_EQ(compute(facts, "host").elements, 8); // 16 bytes.
  facts.isPacked = true;
  EXPECT_EQ(compute(facts, "host").positions, 4);
}

// A kernel for any number of tokens narrows its accesses there instead.
TEST(DynamicBlocks, TokenKernelsOfOneKernel) {
  DynamicFacts facts = createFacts();
  facts.hasOneKernel = facts.hasTokenKernel = true;
  facts.shape.b = facts.shape.t = ShapedType::kDynamic;
  DynamicBlocks blocks = compute(facts, "sm_90a");
  EXPECT_EQ(blocks.positions, 8);
  EXPECT_EQ(blocks.elements, 4);
  for (StringRef chip : {"gfx942", "host"}) {
    blocks = compute(facts, chip);
    EXPECT_EQ(blocks.positions, 4) << chip.str();
    EXPECT_EQ(blocks.elements, 8) << chip.str();
    EXPECT_FALSE(blocks.isStream) << chip.str();
  }
}

// Its work-items have whole groups, or channels of one, that there are.
TEST(DynamicBlocks, TokenKernelsDivideChannels) {
  DynamicFacts facts = createFacts();
  facts.hasTokenKernel = true;
  facts.order = KernelOrder::BTWG;
  facts.shape.d = 24;
  facts.shape.g = 8;
  // A group has three.
  EXPECT_EQ(compute(facts, "sm_90a").elements, 1);
  facts.shape.g = 12;
  EXPECT_EQ(compute(facts, "sm_90a").elements, 8); // These are four groups.
  facts.direction = Direction::BackwardWeight;
  EXPECT_EQ(compute(facts, "sm_90a").elements, 4);
}

// The state of packed sequences takes as many registers as the kernels.
TEST(DynamicBlocks, StatesOfPackedSequencesHalveBlocks) {
  DynamicFacts facts = createFacts();
  facts.hasTokenKernel = true;
  facts.order = KernelOrder::BTWG;
  EXPECT_EQ(compute(facts, "gfx1100").positions, 8);
  facts.isPacked = facts.hasState = true;
  EXPECT_EQ(compute(facts, "gfx1100").positions, 4);
}

// A short side of a tile leaves room for a longer one.
TEST(TransformSchedules, TilesHaveWholeCacheLines) {
  using Tile = std::array<int64_t, 2>;
  EXPECT_EQ(selectTransformTile(1000, 1000, 2), (Tile{64, 64}));
  EXPECT_EQ(selectTransformTile(1, 100000, 2), (Tile{1, 4096}));
  EXPECT_EQ(selectTransformTile(100000, 3, 4), (Tile{512, 4}));
}

} // namespace
