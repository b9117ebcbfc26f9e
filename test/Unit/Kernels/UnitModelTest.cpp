//===- UnitModelTest.cpp - workgroups that share a unit ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of the time of workgroups that follow from the parts of a unit:
// bounds, and which of two alternatives must be faster.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Kernels/Gemm/UnitModel.h"

#include "gtest/gtest.h"

using namespace conv;

namespace {

const ChipInfo &chipOf(std::string_view name) { return *lookupChip(name); }

/// 128 x 128 x 64 with four waves of 64 x 64 on gfx942.
UnitWork fourWaves() {
  UnitWork work;
  work.waves = 4;
  work.stages = 2;
  work.steps = 54;
  work.matrixCycles = 1024;
  work.vectorCycles = 64;
  work.sharedCycles = 768;
  work.sharedWriteCycles = 256;
  work.loadCycles = 512;
  work.accesses = 8;
  work.storedBytes = 128 * 128 * 2;
  work.overlapsSteps = true;
  return work;
}

static double computeUnitCycles(const ChipInfo &chip, const UnitWork &work,
                                int64_t resident,
                                const std::vector<UnitWorkgroups> &workgroups) {
  UnitSteps steps(chip, work);
  return computeUnitCycles(steps, resident, workgroups);
}

TEST(UnitModel, CountsWorkgroupProcessors) {
  EXPECT_EQ(countUnits(chipOf("gfx942")), 304);
  EXPECT_EQ(countSimds(chipOf("gfx942")), 4);
  EXPECT_EQ(countUnits(chipOf("gfx1100")), 48);
  EXPECT_EQ(countSimds(chipOf("gfx1201")), 4);
}

TEST(UnitModel, StepsAreNoShorterThanTheBusiestPart) {
  const ChipInfo &chip = chipOf("gfx942");
  for (bool overlaps : {false, true})
    for (int64_t resident : {1, 2, 3, 5}) {
      UnitWork work = fourWaves();
      work.overlapsSteps = overlaps;
      EXPECT_GE(UnitSteps(chip, work).compute(resident),
                double(resident) * work.matrixCycles);
      work.loadCycles = 3000;
      EXPECT_GE(UnitSteps(chip, work).compute(resident),
                double(resident) * 0.85 * work.loadCycles);
    }
}

TEST(UnitModel, OneWaveOnASimdUnitIsEnoughForTwoStages) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork two = fourWaves(), one = fourWaves();
  one.stages = 1;
  EXPECT_LT(UnitSteps(chip, two).compute(1), 1.3 * two.matrixCycles);
  EXPECT_LT(UnitSteps(chip, two).compute(1), UnitSteps(chip, one).compute(1));
  // Other workgroups fill the waits of one stage.
  EXPECT_LT(UnitSteps(chip, one).compute(3) / 3,
            UnitSteps(chip, one).compute(1));
}

TEST(UnitModel, WorkgroupsOfTwoWavesShareAUnit) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.waves = 2;
  work.sharedCycles = work.loadCycles = work.sharedWriteCycles = 0;
  // Each workgroup has a SIMD unit for every wave, so two take as long as one.
  EXPECT_EQ(UnitSteps(chip, work).compute(2), UnitSteps(chip, work).compute(1));
}

TEST(UnitModel, ShortStepsWaitForTheirLoads) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  EXPECT_FALSE(UnitSteps(chip, work).waitsForLoads(1));
  work.matrixCycles = work.sharedCycles = 64;
  EXPECT_TRUE(UnitSteps(chip, work).waitsForLoads(1));
  // With two stages, a load is behind half of the others.
  EXPECT_GE(UnitSteps(chip, work).compute(1), 500 + work.loadCycles / 2);
  work.stages = 1;
  EXPECT_GE(UnitSteps(chip, work).compute(1), 500 + work.loadCycles);
}

/// What a launch of one round, or a workgroup alone, waits for its first tiles.
static double firstTilesAlone(const ChipInfo &chip, const UnitWork &work) {
  return double(work.prefetchDistance) *
         chip.calibration->unit.overlapped.latencyCycles;
}

TEST(UnitModel, TheLastRoundIsShorter) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  auto compute = [&](int64_t count) {
    return computeUnitCycles(chip, work, 2, {{count, 1}});
  };
  EXPECT_LT(compute(1), compute(2));
  // The last workgroup is alone, so nothing hides its first tiles either.
  EXPECT_DOUBLE_EQ(compute(5), 2 * compute(2) + compute(1) -
                                   2 * firstTilesAlone(chip, work));
}

// With two tiles in flight, a step waits half as long, and a launch of one
// round starts with both; those of other rounds hide each other's.
TEST(UnitModel, TilesInFlightCostTheirStart) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.matrixCycles = work.sharedCycles = work.loadCycles = 64;
  auto compute = [&](int64_t tiles, double steps, int64_t workgroups) {
    work.prefetchDistance = tiles;
    work.steps = steps;
    return computeUnitCycles(chip, work, 2, {{workgroups, 1}});
  };
  EXPECT_LT(compute(2, 20, 2), compute(1, 20, 2));
  EXPECT_GT(compute(2, 1, 2), compute(1, 1, 2));
  EXPECT_LT(compute(2, 1, 4), compute(1, 1, 4));
}

// What is joined is waited for together.
TEST(UnitModel, JoinedLoadsAreNotSpread) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.matrixCycles = work.sharedCycles = 64;
  double apart = UnitSteps(chip, work).compute(1);
  work.joinsLoads = true;
  EXPECT_NEAR(UnitSteps(chip, work).compute(1) - apart, work.loadCycles / 2, 1);
}

// Steps that were asked for before must not be taken for others.
TEST(UnitModel, KnownStepsAreThoseThatWereAskedFor) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.waves = 2;
  UnitSteps steps(chip, work);
  for (int pass = 0; pass < 2; ++pass)
    for (Round round : {Round::Only, Round::OfSeveral})
      for (int64_t resident : {3, 1, 2})
        EXPECT_EQ(steps.compute(resident, round),
                  UnitSteps(chip, work).compute(resident, round));
  EXPECT_NE(steps.compute(3, Round::Only), steps.compute(3));
}

// Six waves on four SIMD units: two of these have two waves.
TEST(UnitModel, WavesOfTheOnlyRoundStayWhereTheyAre) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.waves = 2;
  work.sharedCycles = work.loadCycles = 256;
  EXPECT_GE(UnitSteps(chip, work).compute(3, Round::Only),
            2 * work.matrixCycles);
  EXPECT_LT(UnitSteps(chip, work).compute(3), 1.9 * work.matrixCycles);
  EXPECT_GT(computeUnitCycles(chip, work, 3, {{3, 1}}),
            1.05 / 2 * computeUnitCycles(chip, work, 3, {{6, 1}}));
}

TEST(UnitModel, ALongPhaseIsNotHiddenByShortOnes) {
  const ChipInfo &chip = chipOf("gfx942");
  UnitWork work = fourWaves();
  work.steps = 60;
  auto compute = [&](std::vector<UnitWorkgroups> workgroups) {
    return computeUnitCycles(chip, work, 2, workgroups);
  };
  double lone = compute({{1, 1}}), pair = compute({{2, 1}});
  // Together as long as the short one is there, then alone.
  double mixed = compute({{1, 1}, {1, 0.5}});
  EXPECT_GT(mixed, lone);
  EXPECT_LT(mixed, pair);
  EXPECT_GT(mixed, compute({{2, 0.75}}));
  // Rounds go on over the border between phases.
  EXPECT_DOUBLE_EQ(compute({{3, 1}, {3, 0.5}}),
                   pair + mixed + compute({{2, 0.5}}) -
                       3 * firstTilesAlone(chip, work));
  EXPECT_DOUBLE_EQ(compute({{1, 1}, {0, 0.7}, {1, 0.5}}), mixed);
}

TEST(UnitModel, OnlyPartsAreAddedUp) {
  Problem problem;
  EXPECT_EQ(computeCombineSeconds(problem, chipOf("gfx942")), 0);
  problem.splits = 4;
  problem.intermediateBytes = 64 << 20;
  double near = computeCombineSeconds(problem, chipOf("gfx942"));
  EXPECT_GT(near, 64e6 / 17200e9);
  // Larger than the last cache.
  problem.intermediateBytes = 512 << 20;
  EXPECT_GT(computeCombineSeconds(problem, chipOf("gfx942")), 512e6 / 5300e9);
}

} // namespace
