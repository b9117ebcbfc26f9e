//===- ModelTermsTest.cpp - single terms of the cost models -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms computed by hand from a calibration of round numbers, and which numbers
// of a calibration they read.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Kernels/Models.h"
#include "../../../lib/Kernels/WarpgroupGemm/WarpgroupCost.h"
#include "../Schedule/ForwardProblem.h"

#include "conv/Kernels/Gemm/StagedModel.h"
#include "conv/Schedule/Heuristics.h"

#include "gtest/gtest.h"

using namespace conv;

namespace {

/// A chip with a calibration of its own, which a test changes.
struct CalibratedChip {
  explicit CalibratedChip(std::string_view name)
      : info(*lookupChip(name)), calibration(*info.calibration) {
    info.calibration = &calibration;
  }
  CalibratedChip(const CalibratedChip &) = delete;

  ChipInfo info;
  Calibration calibration;
};

//===----------------------------------------------------------------------===//
// Operands that are prefetched
//===----------------------------------------------------------------------===//

TEST(Prefetches, SaveTimeWithoutSlices) {
  CalibratedChip hopper("sm_90a"), faster("sm_90a");
  faster.calibration.launch.prefetchSeconds += 1;
  Problem problem = test::forward(
      {.n = 64, .h = 14, .w = 14, .c = 256, .k = 256, .p = 14, .q = 14});
  WarpgroupFacts facts;
  facts.steps = facts.totalSteps = 4;
  problem.facts.set(facts);
  const KernelModel &model = getWarpgroupGemmModel();
  Candidate candidate =
      rankCandidates(problem, hopper.info).accepted.front().candidate;
  ASSERT_EQ(candidate.model, &model);
  auto getSavings = [&] {
    return model.predict(problem, hopper.info, candidate).seconds -
           model.predict(problem, faster.info, candidate).seconds;
  };
  EXPECT_NEAR(getSavings(), 1, 1e-9);
  problem.batch = problem.splits = 2;
  EXPECT_EQ(getSavings(), 0);
}

//===----------------------------------------------------------------------===//
// Rows that lanes copy
//===----------------------------------------------------------------------===//

class GatheredRows : public testing::Test {
protected:
  GatheredRows() {
    WarpgroupCalibration &fit = hopper.calibration.warpgroup;
    fit.copyLatencyCycles = 0; // Only the rows take time.
    fit.alignedGatherFactor = 3;
    fit.unalignedGatherFactor = 5;
  }

  /// Cycles of a step whose operands' rows start at multiples of so many bytes.
  double getCycles(int64_t left, int64_t right, bool isFilterGradient = true,
                   int64_t reduction = 64, int64_t copyBytes = 16) {
    Problem problem;
    problem.reduction = reduction;
    problem.facts.set(WarpgroupFacts());
    GatherFacts facts;
    facts.gather.left = {.copyBytes = copyBytes, .alignment = left};
    facts.gather.right = {.copyBytes = copyBytes, .alignment = right};
    facts.isFilterGradient = isFilterGradient;
    problem.facts.set(facts);
    KeptTile tile(WarpgroupTile{.rows = 128,
                                .columns = 64,
                                .stages = 4,
                                .producer = Producer::AsyncCopies});
    return computeCopyCycles(problem, hopper.info, tile, /*stepBytes=*/0,
                             double(hopper.info.computeUnits));
  }

  CalibratedChip hopper{"sm_90a"};
};

TEST_F(GatheredRows, HaveTheFactorOfTheirStarts) {
  double sectors = getCycles(32, 32);
  EXPECT_GT(sectors, 0);
  EXPECT_DOUBLE_EQ(getCycles(128, 128), 3 * sectors);
  EXPECT_DOUBLE_EQ(getCycles(128, 32), sectors); // Both must be lines.
  EXPECT_DOUBLE_EQ(getCycles(16, 128), 5 * sectors);
  EXPECT_DOUBLE_EQ(getCycles(128, 16), 5 * sectors);
}

TEST_F(GatheredRows, InsideSectorsCountForVectorsAndGradientsOfFilters) {
  auto getFactor = [&](bool isFilterGradient, int64_t copyBytes) {
    auto getCyclesOf = [&](int64_t alignment) {
      return getCycles(alignment, alignment, isFilterGradient,
                       /*reduction=*/64, copyBytes);
    };
    return getCyclesOf(16) / getCyclesOf(32);
  };
  EXPECT_DOUBLE_EQ(getFactor(/*isFilterGradient=*/false, 16), 5);
  EXPECT_DOUBLE_EQ(getFactor(/*isFilterGradient=*/false, 8), 1);
  EXPECT_DOUBLE_EQ(getFactor(/*isFilterGradient=*/true, 8), 5);
}

TEST_F(GatheredRows, AreLoadedUpToTheEndOfTheReduction) {
  auto getCyclesOf = [&](int64_t reduction) {
    return getCycles(32, 32, /*isFilterGradient=*/false, reduction);
  };
  EXPECT_DOUBLE_EQ(getCyclesOf(40), getCyclesOf(64) * 40 / 64);
  EXPECT_DOUBLE_EQ(getCyclesOf(96), getCyclesOf(64) * 96 / 128);
}

//===----------------------------------------------------------------------===//
// Rows that lanes load
//===----------------------------------------------------------------------===//

// Each load of a lane takes time, and each coordinate that it checks, and each
// vector that it stores.
TEST(LoadedRows, TakeTimeForLoadsAndChecks) {
  CalibratedChip hopper{"sm_90a"};
  WarpgroupCalibration &fit = hopper.calibration.warpgroup;
  fit.copyLatencyCycles = 0;
  fit.loadedElementCycles = 100; // The path from memory takes less.
  fit.loadedCheckCycles = 10;
  fit.loadedVectorCycles = 0;
  auto getCycles = [&](int64_t loadBytes, int64_t registers) {
    Problem problem;
    problem.facts.set(WarpgroupFacts());
    LoadFacts facts;
    facts.loaded.left = {.loadBytes = loadBytes, .registers = registers};
    facts.loaded.right = {.loadBytes = loadBytes, .areLanesRows = true};
    problem.facts.set(facts);
    KeptTile tile(WarpgroupTile{.rows = 128,
                                .columns = 80,
                                .stages = 4,
                                .producer = Producer::Registers});
    return computeCopyCycles(problem, hopper.info, tile, /*stepBytes=*/0,
                             double(hopper.info.computeUnits));
  };
  // 8 vectors of left rows, and 2 vectors for each of 3 right rows, of which
  // the last one is a part of the tile for half of the lanes.
  EXPECT_DOUBLE_EQ(getCycles(2, 1), (8 + 6) * 8 * 100);
  EXPECT_DOUBLE_EQ(getCycles(4, 1), (8 + 6) * 4 * 100);
  EXPECT_DOUBLE_EQ(getCycles(2, 3), (8 * 120 + 6 * 100) * 8);
  // Whatever the loads are, the same vectors are stored.
  fit.loadedVectorCycles = 50;
  EXPECT_DOUBLE_EQ(getCycles(2, 1), (8 + 6) * (8 * 100 + 50));
  EXPECT_DOUBLE_EQ(getCycles(4, 1), (8 + 6) * (4 * 100 + 50));
}

// Lanes have registers for positions of few rows, and fewer beside two
// consumers than beside one.
TEST(LoadedRows, NeedRegisters) {
  auto fits = [](int64_t rows, int64_t loadBytes, int64_t consumers) {
    LoadedOperands loaded;
    loaded.left = {.loadBytes = loadBytes, .registers = 3};
    loaded.right = {.loadBytes = loadBytes};
    return loaded.fits({.rows = rows,
                        .columns = 64,
                        .consumers = consumers,
                        .producer = Producer::Registers});
  };
  EXPECT_TRUE(fits(128, 2, 2));
  EXPECT_FALSE(fits(256, 2, 2));
  EXPECT_FALSE(fits(128, 1, 2));
  EXPECT_TRUE(fits(128, 1, 1));
}

//===----------------------------------------------------------------------===//
// Rows that the copy engine brings
//===----------------------------------------------------------------------===//

class EngineRows : public testing::Test {
protected:
  EngineRows() {
    WarpgroupCalibration &fit = hopper.calibration.warpgroup;
    fit.copyLatencyCycles = 0; // Only the rows take time.
    fit.engineRowCycles = 2;
    fit.outsideRowCycles = 100;
    fit.splitRowCycles = 10;
    fit.partialKeptRowCycles = 300;
    problem.facts.set(WarpgroupFacts());
    problem.lhsRun.elements = problem.rhsRun.elements = 2048;
    problem.rows = 1664;
    problem.columns = 1008;
  }

  double getCycles(int64_t columns = 112) {
    KeptTile tile(WarpgroupTile{.rows = 128, .columns = columns, .stages = 4});
    return computeCopyCycles(problem, hopper.info, tile, /*stepBytes=*/0,
                             double(hopper.info.computeUnits));
  }

  CalibratedChip hopper{"sm_90a"};
  Problem problem;
};

TEST_F(EngineRows, OutsideOfWhatMostTilesReadTakeLonger) {
  EXPECT_DOUBLE_EQ(getCycles(), 2 * (128 + 112));
  problem.columns = 1024; // 16 columns in the last of 10 tiles, 96 outside.
  EXPECT_DOUBLE_EQ(getCycles(), 2 * (128 + 16) + 100 * 96);
  problem.batch = 2; // The tiles of a unit take turns.
  EXPECT_DOUBLE_EQ(getCycles(), 2 * (128 + 112 - 9.6) + 100 * 9.6);
}

TEST_F(EngineRows, OutsideOfWhatFewTilesReadAreLikeOthers) {
  problem.rows = 1568;
  EXPECT_DOUBLE_EQ(getCycles(), 2 * (128 + 112));
}

TEST_F(EngineRows, OfTheLeftOperandAreCountedWhereItHasFewTiles) {
  problem.rows = 96; // 32 rows outside, which all 9 tiles read.
  EXPECT_DOUBLE_EQ(getCycles(), 2 * (96 + 112) + 100 * 32);
}

// Columns that are innermost in memory are copied in boxes of 64, each of which
// has a row for each of 64 channels.
TEST_F(EngineRows, ThatStartWithinLinesTakeLonger) {
  WarpgroupFacts facts;
  facts.isRightTransposed = true;
  problem.facts.set(facts);
  problem.columns = 640;
  EXPECT_DOUBLE_EQ(getCycles(160), 2 * 128 + 10 * 3 * 64);
  EXPECT_DOUBLE_EQ(getCycles(192), 2 * (128 + 192));
  problem.columns = 160; // The only tile starts with a line.
  EXPECT_DOUBLE_EQ(getCycles(160), 2 * (128 + 160));
  problem.columns = 640;
  problem.facts.set(WarpgroupFacts()); // Channels are innermost.
  EXPECT_DOUBLE_EQ(getCycles(160), 2 * (128 + 160));
}

TEST_F(EngineRows, OfKeptFiltersTakeLongerIfTheyAreShort) {
  KeptTile kept(WarpgroupTile{.rows = 128, .columns = 64, .stages = 4},
                {.side = TmaReuse::Side::Left,
                 .steps = 1,
                 .rows = 128,
                 .columns = 1 << 20},
                hopper.info.computeUnits, hopper.info.sharedMemoryBytes);
  ASSERT_TRUE(kept.keepsLeft());
  problem.lhsRun.elements = 48;
  EXPECT_DOUBLE_EQ(computeKeptCycles(problem, hopper.info, kept), 300 * 128);
  problem.lhsRun.elements = 64;
  EXPECT_LT(computeKeptCycles(problem, hopper.info, kept), 300 * 128);
  problem.lhsRun.elements = 48; // Groups count cache lines.
  WarpgroupFacts facts;
  facts.hasGroups = true;
  problem.facts.set(facts);
  EXPECT_LT(computeKeptCycles(problem, hopper.info, kept), 300 * 128);
}

//===----------------------------------------------------------------------===//
// Loads that divide
//===----------------------------------------------------------------------===//

TEST(Divisions, TakeCyclesForEachLoadOfTheirOperand) {
  CalibratedChip ampere("sm_80");
  const MatrixAtom *atom = nullptr;
  for (const MatrixAtom &each : ampere.info.atoms)
    if (each.operand == NumericType::F16)
      atom = &each;
  ASSERT_TRUE(atom);
  Candidate candidate{.atom = atom,
                      .workgroup = {128, 64},
                      .subgroup = {64, 32},
                      .gemmK = 32,
                      .stages = 2,
                      .model = &getGemmModel()};
  Problem problem = test::forward(
      {.n = 64, .h = 56, .w = 56, .c = 64, .k = 64, .p = 56, .q = 56});
  auto getCycles = [&](bool left, bool right) {
    problem.lhsRun.takesDivisions = left;
    problem.rhsRun.takesDivisions = right;
    return computeCost(problem, ampere.info, candidate).loadCycles;
  };
  ampere.calibration.staged.divisionCycles = 1000;
  // 128 x 32 and 64 x 32 elements, 8 in a load.
  double leftLoads = 128 * 32 / 8, rightLoads = 64 * 32 / 8;
  EXPECT_DOUBLE_EQ(getCycles(true, true), 1000 * (leftLoads + rightLoads));
  double without = getCycles(false, false);
  EXPECT_LT(without, 1000);
  EXPECT_NEAR(getCycles(true, false), 1000 * leftLoads, without);
  EXPECT_NEAR(getCycles(false, true), 1000 * rightLoads, without);
  // The load path and the divisions overlap.
  ampere.calibration.staged.divisionCycles = 1e-6;
  EXPECT_DOUBLE_EQ(getCycles(true, true), without);
}

//===----------------------------------------------------------------------===//
// Columns that lanes store
//===----------------------------------------------------------------------===//

class StoredColumns : public testing::Test {
protected:
  StoredColumns() {
    WarpgroupCalibration &fit = hopper.calibration.warpgroup;
    fit.columnSectorCycles = 3;
    fit.partColumnSectorCycles = 7;
    fit.oddElementCycles = 11;
    problem.facts.set(WarpgroupFacts());
  }

  /// Cycles for each element of a tile of 16-bit results, one or two atoms of
  /// which are stored together.
  double getCycles(int64_t atoms) {
    WarpgroupTile tile{
        .rows = 128 * atoms, .columns = 64, .stages = 4, .consumers = 2};
    EXPECT_EQ(tile.atomsStoredTogether(), atoms);
    return computeColumnCycles(problem, hopper.info, tile) /
           double(tile.rows * tile.columns);
  }

  CalibratedChip hopper{"sm_90a"};
  Problem problem;
};

// 64 rows of 2 bytes are four sectors.
TEST_F(StoredColumns, CountWholeSectors) {
  EXPECT_DOUBLE_EQ(getCycles(1), 4 * 3.0 / 64);
  EXPECT_DOUBLE_EQ(getCycles(2), 4 * 3.0 / 64);
}

// 8 rows are half a sector; those of two atoms are a whole one.
TEST_F(StoredColumns, OfHaloTilesAreLines) {
  problem.hasHaloTiles = true;
  EXPECT_DOUBLE_EQ(getCycles(1), 7.0 / 8);
  EXPECT_DOUBLE_EQ(getCycles(2), 3.0 / 16);
}

// Blocks below each other do not continue each other's lines.
TEST_F(StoredColumns, OfStackedBlocksAreShort) {
  problem.hasHaloTiles = problem.stacksBlocks = true;
  EXPECT_DOUBLE_EQ(getCycles(2), 7.0 / 8);
}

// Lines of 56 positions start in the middle of a sector every other time, so
// the 16 rows of two atoms fill one or touch two; 8 rows always touch one.
TEST_F(StoredColumns, TouchPartsOfSectors) {
  hopper.calibration.warpgroup.partSectorSeconds = 1;
  problem.hasHaloTiles = true;
  problem.resultRowDistance = 1;
  auto countParts = [&](int64_t atoms, int64_t line) {
    WarpgroupTile tile{
        .rows = 128 * atoms, .columns = 64, .stages = 4, .consumers = 2};
    problem.resultLine = line;
    problem.resultBytes = double(2 * line); // One line.
    return computePartSectorSeconds(problem, hopper.info, tile);
  };
  EXPECT_EQ(countParts(2, 64), 0);
  EXPECT_EQ(countParts(2, 56), 4);
  EXPECT_EQ(countParts(1, 56), 7);
  EXPECT_EQ(countParts(1, 64), 8);
  // A line of no more than 16 continues in the next one.
  EXPECT_EQ(countParts(2, 14), 0);
  problem.stacksBlocks = true;
  EXPECT_EQ(countParts(2, 64), 8);
  problem.resultRowDistance = 0;
  EXPECT_EQ(countParts(2, 64), 0);
}

// Odd columns start at any element of a sector: lines of 32 bytes touch 15 more
// of 16 starts in the next sector, and do not fill one.
TEST_F(StoredColumns, ThatAreOddTouchMoreSectors) {
  problem.hasOddResultColumns = true;
  EXPECT_DOUBLE_EQ(getCycles(1), 4 * 3.0 / 64 + 11);
  problem.hasHaloTiles = true;
  EXPECT_DOUBLE_EQ(getCycles(1), (1 + 7.0 / 16) * 7 / 8 + 11);
  EXPECT_DOUBLE_EQ(getCycles(2), (1 + 15.0 / 16) * 7 / 16 + 11);
}

} // namespace
