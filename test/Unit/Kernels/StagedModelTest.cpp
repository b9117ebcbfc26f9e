//===- StagedModelTest.cpp - arithmetic of the cost model -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every count of the model for one candidate computed by hand, the rules that
// reject candidates, and the preferences that the model must have.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Kernels/Gemm/StagedStep.h"
#include "../../../lib/Kernels/Gemm/StagedTile.h"
#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"

#include "conv/Kernels/Gemm/StagedModel.h"
#include "conv/Kernels/Gemm/TapFacts.h"
#include "conv/Kernels/KernelModel.h"

#include "gtest/gtest.h"

using namespace conv;
using namespace conv::test;

namespace {

const ChipInfo &chipOf(std::string_view name) { return *lookupChip(name); }

const MatrixAtom &atomOf(std::string_view chip, NumericType type, int m) {
  for (const MatrixAtom &atom : chipOf(chip).atoms)
    if (atom.operand == type && atom.m == m)
      return atom;
  ADD_FAILURE() << "no such atom";
  return chipOf(chip).atoms[0];
}

/// A 3x3 layer of ResNet-50 with batch 64.
constexpr Sizes kLayer = {.n = 64,
                          .h = 56,
                          .w = 56,
                          .c = 64,
                          .k = 64,
                          .r = 3,
                          .s = 3,
                          .p = 56,
                          .q = 56};

Problem layer() { return forward(kLayer); }

/// Four waves of 64 x 32 on gfx942.
Candidate fourWaves() {
  return {.atom = &atomOf("gfx942", NumericType::F16, 32),
          .workgroup = {128, 64},
          .subgroup = {64, 32},
          .gemmK = 32,
          .stages = 2,
          .model = &getGemmModel()};
}

TEST(Problem, CountsFlopsAndBytes) {
  Problem problem = layer();
  problem.batch = 4;
  problem.products = 2;
  EXPECT_EQ(problem.flops(), 2 * 4 * 2.0 * 200704 * 64 * 576);
  EXPECT_EQ(problem.compulsoryBytes(),
            2.0 * (200704 * 64 + 64 * 576 + 200704 * 64));
}

TEST(FamilyFacts, HaveOneStructOfEachType) {
  struct Some {
    int value;
  };
  struct Other {
    int value;
  };
  FamilyFacts facts;
  EXPECT_EQ(facts.get<Some>(), nullptr);
  facts.set(Some{1});
  facts.set(Other{2}).value = 3;
  facts.set(Some{4});
  FamilyFacts copy = facts;
  facts.clear<Some>();
  EXPECT_EQ(facts.get<Some>(), nullptr);
  EXPECT_EQ(facts.get<Other>()->value, 3);
  EXPECT_EQ(copy.get<Some>()->value, 4);
}

TEST(StagedModel, RoundIsWhatReadsWholeFragments) {
  using enum NumericType;
  EXPECT_EQ(reductionOfRound(atomOf("gfx942", F16, 32)), 16);
  EXPECT_EQ(reductionOfRound(atomOf("gfx942", F16, 16)), 32);
  EXPECT_EQ(reductionOfRound(atomOf("gfx942", F32, 32)), 8);
  EXPECT_EQ(reductionOfRound(atomOf("gfx942", F32, 16)), 16);
  EXPECT_EQ(reductionOfRound(atomOf("gfx950", F16, 32)), 16);
  EXPECT_EQ(reductionOfRound(atomOf("gfx950", F16, 16)), 32);
  EXPECT_EQ(reductionOfRound(atomOf("gfx1100", F16, 16)), 16);
  EXPECT_EQ(reductionOfRound(atomOf("gfx1201", F16, 16)), 16);
  EXPECT_EQ(reductionOfRound(atomOf("gfx1250", F16, 16)), 32);
  EXPECT_EQ(reductionOfRound(atomOf("gfx1201", F32, 16)), 4);
}

TEST(StagedModel, CountsRegisters) {
  RegisterCost cost = computeRegisters(layer(), chipOf("gfx942"), fourWaves());
  EXPECT_EQ(cost.accumulators, 64 * 32 / 64);
  // 128 x 32 and 64 x 32 elements of 2 bytes, over 256 work-items of 16 bytes,
  // of two tiles.
  EXPECT_EQ(cost.staging, 2 * (2 + 1) * 4);
  // Two atoms of pixels and one of channels, 16 bytes each.
  EXPECT_EQ(cost.fragments, 3 * 4);
  EXPECT_EQ(cost.addresses, 20 + 2 * 4 + 1 * 2);
}

TEST(StagedModel, CountsOneStep) {
  Cost cost = computeCost(layer(), chipOf("gfx942"), fourWaves());
  // 2 x 1 x 4 instructions of 32 cycles on each SIMD unit.
  EXPECT_EQ(cost.matrixCycles, 8 * 32);
  // Each wave reads (64 + 32) rows of 64 bytes; both tiles are written once.
  EXPECT_EQ(cost.sharedCycles, (4 * 96 * 64 + 192 * 64) / 128.0);
  // Rows of 64 bytes move lines of 128 through a share of 54 bytes a clock.
  EXPECT_EQ(cost.loadCycles, 192 * 128 / 54.0);
  EXPECT_EQ(cost.sharedBytes, 2 * 192 * 64);
  EXPECT_EQ(cost.steps, 18);
  EXPECT_EQ(cost.workgroups, 1568);
}

TEST(StagedModel, CountsOccupancy) {
  Cost cost = computeCost(layer(), chipOf("gfx942"), fourWaves());
  // 24 KiB of 64 KiB; 86 registers would allow five waves per SIMD unit.
  EXPECT_EQ(cost.residentWorkgroups, 2);
  EXPECT_EQ(cost.wavesPerSimd, 2);
  // 1568 workgroups on 304 units are six rounds, the last one partly empty.
  EXPECT_DOUBLE_EQ(cost.waveEfficiency, 1568.0 / (6 * 304));
}

TEST(StagedModel, SharedMemoryIsAllocatedInUnits) {
  Candidate candidate{.atom = &atomOf("gfx950", NumericType::F16, 16),
                      .workgroup = {128, 128},
                      .subgroup = {64, 64},
                      .gemmK = 32,
                      .stages = 2};
  constexpr int64_t kFewRegisters = 32;
  // 26 units of 1280 bytes, where five times 32 KiB would be all 160 KiB.
  EXPECT_EQ(countResident(chipOf("gfx950"), candidate, kFewRegisters), 4);
  EXPECT_EQ(countResident(chipOf("gfx942"), candidate, kFewRegisters), 2);
}

TEST(StagedModel, NarrowChannelsLoadOneElementAtATime) {
  Sizes sizes = kLayer;
  sizes.c = 3;
  Problem wide = layer(), narrow = forward(sizes);
  Candidate candidate = fourWaves();
  candidate.gemmK = 64; // Whole cache lines.
  Cost aligned = computeCost(wide, chipOf("gfx942"), candidate);
  Cost single = computeCost(narrow, chipOf("gfx942"), candidate);
  // 128 x 64 elements in loads of the least width, and the filter's rows of 27.
  EXPECT_EQ(single.loadCycles, (128 + 64) * 64 * 4 / 54.0);
  EXPECT_GT(single.loadCycles, aligned.loadCycles);
}

TEST(StagedModel, NeighboursThatAreApartTakeALineEach) {
  Problem together = layer(), apart = layer();
  apart.rhsRun.isApart = true;
  const ChipInfo &chip = chipOf("gfx942");
  Candidate candidate = fourWaves();
  EXPECT_EQ(countLoadElements(chip, candidate, 64, apart.rhsRun), 1);
  // 64 x 32 elements of the right tile instead of 64 lines of 128 bytes.
  EXPECT_DOUBLE_EQ(computeCost(apart, chip, candidate).loadCycles -
                       computeCost(together, chip, candidate).loadCycles,
                   64 * 32 - 64 * 128 / 54.0);
  // Others are measured as they are.
  const ChipInfo &other = chipOf("sm_90a");
  EXPECT_EQ(countLoadElements(other, candidate, 64, apart.rhsRun),
            countLoadElements(other, candidate, 64, together.rhsRun));
}

TEST(StagedModel, TileEfficiencyCountsPadding) {
  Sizes sizes = kLayer;
  sizes.k = 65;
  Problem problem = forward(sizes);
  Cost cost = computeCost(problem, chipOf("gfx942"), fourWaves());
  EXPECT_DOUBLE_EQ(cost.tileEfficiency, 65.0 / 128);
}

TEST(StagedModel, RasterKeepsTheLargerOperandInPlace) {
  // A filter larger than the cache is read again for every tile of pixels.
  Problem problem = forward({.h = 16,
                             .w = 16,
                             .c = 2048,
                             .k = 8192,
                             .r = 3,
                             .s = 3,
                             .p = 16,
                             .q = 16});
  Candidate candidate = fourWaves();
  candidate.columnsFastest = true;
  double channels = computeMemoryBytes(problem, chipOf("gfx942"), candidate);
  candidate.columnsFastest = false;
  double pixels = computeMemoryBytes(problem, chipOf("gfx942"), candidate);
  EXPECT_DOUBLE_EQ(pixels, problem.compulsoryBytes());
  EXPECT_DOUBLE_EQ(channels,
                   problem.compulsoryBytes() + problem.rhsBytes); // Two tiles.
}

TEST(StagedModel, RejectsWhatTheChipCannotRun) {
  const ChipInfo &chip = chipOf("gfx942");
  Problem problem = layer();
  EXPECT_EQ(checkCandidate(problem, chip, fourWaves()), Rejection::None);

  Candidate large = fourWaves();
  large.gemmK = 128;
  EXPECT_EQ(checkCandidate(problem, chip, large), Rejection::SharedMemory);

  Candidate crowded = fourWaves();
  crowded.workgroup = {512, 128};
  crowded.subgroup = {32, 32};
  crowded.gemmK = 16;
  EXPECT_EQ(checkCandidate(problem, chip, crowded), Rejection::WorkgroupSize);

  Candidate uneven = fourWaves();
  uneven.workgroup = {256, 32};
  uneven.gemmK = 16;
  EXPECT_EQ(checkCandidate(problem, chip, uneven), Rejection::UnevenCopy);

  Candidate spilling = fourWaves();
  spilling.workgroup = spilling.subgroup = {128, 128};
  EXPECT_EQ(checkCandidate(problem, chip, spilling), Rejection::Registers);

  // 2^24 workgroups of 256 work-items are 2^32 in all, one too many to count.
  problem.launchResults = {{{.batch = 1 << 24, .rows = 128, .columns = 64}}};
  EXPECT_EQ(checkCandidate(problem, chip, fourWaves()), Rejection::LaunchSize);
  problem.launchResults.front().front().batch -= 1;
  EXPECT_EQ(checkCandidate(problem, chip, fourWaves()), Rejection::None);
}

/// The workgroups that the model of staged tiles lets take turns.
int64_t countLastRound(const Problem &problem, std::string_view chip,
                       Candidate candidate) {
  getGemmModel().complete(problem, chipOf(chip), candidate);
  return candidate.lastRound;
}

TEST(GemmModel, WorkgroupsOfTheLastRoundTakeTurns) {
  // 64 x 32 rows of 128 channels make 1024 tiles.
  Problem problem = forward({.n = 64,
                             .h = 32,
                             .w = 32,
                             .c = 128,
                             .k = 128,
                             .r = 3,
                             .s = 3,
                             .p = 32,
                             .q = 32});
  Candidate wmma = {.atom = &atomOf("gfx1201", NumericType::F16, 16),
                    .workgroup = {128, 64},
                    .subgroup = {32, 64},
                    .gemmK = 32,
                    .stages = 1,
                    .model = &getGemmModel()};
  // Registers leave room for nine on each of 32 units.
  EXPECT_EQ(countLastRound(problem, "gfx1201", wmma), 288);
  // A launch of 64 workgroups has no more in its last round.
  Problem oneRound = problem;
  oneRound.rows /= 16;
  EXPECT_EQ(countLastRound(oneRound, "gfx1201", wmma), 64);
  // Workgroups of several products have different lengths.
  Problem phases = problem;
  phases.products = 4;
  EXPECT_EQ(countLastRound(phases, "gfx1201", wmma), 0);
  // A product with positions beside it that meet no filter element.
  Problem uneven = problem;
  uneven.launchResults = {{{}, {}}};
  EXPECT_EQ(countLastRound(uneven, "gfx1201", wmma), 0);
  // Each of 32 workgroups has a unit of its own.
  Problem few = problem;
  few.rows /= 32;
  EXPECT_EQ(countLastRound(few, "gfx1201", wmma), 0);

  // With two stages, steps of MFMA loops overlap, and a workgroup that is alone
  // waits for little.
  Candidate mfma = fourWaves();
  EXPECT_EQ(countLastRound(problem, "gfx942", mfma), 0);
  mfma.stages = 1;
  EXPECT_GT(countLastRound(problem, "gfx942", mfma), 0);
  // Warps of NVIDIA GPUs have no priorities.
  Candidate warps = wmma;
  warps.atom = &atomOf("sm_80", NumericType::F16, 16);
  EXPECT_EQ(countLastRound(problem, "sm_80", warps), 0);
}

TEST(StagedModel, RegistersAreSharedByTheWavesOfASimd) {
  EXPECT_EQ(computeAvailableRegisters(chipOf("gfx942"), 4), 512);
  EXPECT_EQ(computeAvailableRegisters(chipOf("gfx942"), 8), 256);
  // Four waves on each of two SIMD units could have 384; no wave may have them.
  EXPECT_EQ(computeAvailableRegisters(chipOf("gfx1201"), 8), 256);
}

TEST(StagedModel, TemporariesCountBesideAccumulators) {
  RegisterCost registers;
  registers.accumulators = 64;
  registers.staging = 24;
  registers.fragments = 16;
  EXPECT_EQ(computeNeededRegisters(chipOf("gfx942"), registers), 64 + 70);
}

// Each load has a register, and each row of a lane a place for each tap, but no
// more than its elements.
TEST(StagedModel, ElementsThatLanesShareHaveRegistersAndPlaces) {
  const ChipInfo &chip = chipOf("gfx942");
  Problem problem = layer();
  problem.lhsRun = {.elements = 1, .isAlongReduction = false, .isApart = true};
  TapFacts &facts = problem.facts.set(TapFacts{});
  facts.tapRun = 1;
  facts.guardedCoordinates = 1;
  facts.elementPeriod = 7;
  facts.windowDistance = 1;
  Candidate candidate = fourWaves(); // 16 elements of a row for each lane.
  candidate.stages = 1;
  ASSERT_TRUE(sharesElements(problem, chip, candidate));
  SharedElements one = countSharedElements(problem, chip, candidate);
  EXPECT_EQ(one.rows, 1);
  EXPECT_EQ(one.loads, 16);
  EXPECT_EQ(one.places, 7);
  candidate.workgroup = {512, 64}; // 32 elements of each of two rows.
  candidate.subgroup = {128, 64};
  SharedElements two = countSharedElements(problem, chip, candidate);
  EXPECT_EQ(two.rows, 2);
  EXPECT_EQ(two.loads, 64);
  EXPECT_EQ(two.places, 14);
  // A vector of the filter has 4 registers.
  EXPECT_EQ(computeRegisters(problem, chip, candidate).staging, 64 + 4);
  facts.elementPeriod = 100;
  EXPECT_EQ(countSharedElements(problem, chip, candidate).places, 64);
  facts.guardedCoordinates = 0;
  EXPECT_EQ(countSharedElements(problem, chip, candidate).places, 0);
}

// A gradient of a filter with channels first: windows start anywhere in a row,
// so lanes load their positions one by one.
Problem gradientWithPositions() {
  Problem problem = layer();
  problem.lhsRun = {.elements = problem.reduction, .isAlongReduction = true};
  problem.rhsRun = {.elements = 1, .takesDivisions = true};
  problem.facts.clear<TapFacts>();
  problem.facts.set(PositionFacts{});
  return problem;
}

TEST(StagedModel, FindsPositionsOnceForAllRowsOfALane) {
  const ChipInfo &chip = chipOf("gfx942");
  Problem problem = gradientWithPositions();
  Candidate one = fourWaves(), two = fourWaves();
  two.workgroup = {128, 128}; // Two vectors of the right operand.
  two.subgroup = {64, 64};
  one.stages = two.stages = 1;
  // The second one has eight loads more, which are joined.
  constexpr double kCyclesOfInstruction = 4, kMore = 8 * 3 + 4;
  EXPECT_EQ(computeVectorCycles(problem, chip, two) -
                computeVectorCycles(problem, chip, one),
            kCyclesOfInstruction * kMore);
  problem.rhsRun.takesDivisions = false;
  EXPECT_LT(computeVectorCycles(problem, chip, two),
            kCyclesOfInstruction * 100);
}

TEST(StagedModel, CountsLinesAroundPositions) {
  const ChipInfo &chip = chipOf("gfx942");
  auto countLoads = [&](PositionFacts::Operand windows) {
    Problem problem = gradientWithPositions();
    problem.facts.set(PositionFacts{.lhs = {}, .rhs = windows});
    Candidate candidate = fourWaves();
    Cost cost;
    countStep(problem, chip, candidate, cost);
    return cost.loadCycles;
  };
  double dense = countLoads({.distance = 1, .alikeRows = 1});
  // 32 positions with a stride of 2 are 128 bytes, not 64.
  EXPECT_GT(countLoads({.distance = 2, .alikeRows = 1}), dense);
  // Taps of a row have lines in common.
  EXPECT_LT(countLoads({.distance = 1, .alikeRows = 3}), dense);
}

TEST(StagedModel, PrefetchesTwoTilesWhereRegistersAndStepsAllow) {
  const ChipInfo &chip = chipOf("gfx1201");
  Candidate candidate{.atom = &atomOf("gfx1201", NumericType::F16, 16),
                      .workgroup = {96, 64},
                      .subgroup = {48, 32},
                      .gemmK = 64,
                      .stages = 1};
  EXPECT_EQ(computePrefetchDistance(chip, candidate, 36), 2);
  EXPECT_EQ(computePrefetchDistance(chip, candidate, 15), 1);
  Candidate crowded = candidate; // Three of four workgroups would be left.
  crowded.workgroup = {128, 128};
  crowded.subgroup = {64, 32};
  EXPECT_EQ(computePrefetchDistance(chip, crowded, 36), 1);
  Candidate full = candidate; // Values might spill.
  full.workgroup = {128, 128};
  full.subgroup = {64, 64};
  full.gemmK = 32;
  EXPECT_EQ(computePrefetchDistance(chip, full, 36), 1);
}

// 1536 registers of a SIMD unit, 168 of a wave: nine waves on each of four.
TEST(StagedModel, ResidentWorkgroupsOfAnyProblem) {
  const ChipInfo &chip = chipOf("gfx1201");
  Candidate candidate{.atom = &atomOf("gfx1201", NumericType::F16, 16),
                      .workgroup = {128, 64},
                      .subgroup = {32, 64},
                      .gemmK = 32,
                      .stages = 1};
  int64_t one = computeExpectedResident(chip, candidate, 1, false);
  EXPECT_EQ(one, 9);
  EXPECT_LE(computeExpectedResident(chip, candidate, 2, false), one);
  candidate.stages = 8; // 96 of 128 KiB of shared memory.
  EXPECT_EQ(computeExpectedResident(chip, candidate, 1, false), 1);
}

// Other workgroups hide most of the latency of loops with one stage. With two,
// loads that are joined have two steps as well.
TEST(StagedModel, PrefetchesTwoTilesWithTwoStages) {
  const ChipInfo &chip = chipOf("gfx942");
  Candidate candidate = fourWaves();
  candidate.stages = 2;
  EXPECT_EQ(computePrefetchDistance(chip, candidate, 6), 2);
  EXPECT_EQ(computePrefetchDistance(chip, candidate, 5), 1);
  Candidate full = candidate; // Accumulators and both tiles are 256 registers.
  full.workgroup = {256, 256};
  full.subgroup = {128, 128};
  EXPECT_EQ(computePrefetchDistance(chip, full, 36), 1);
  candidate.stages = 1;
  EXPECT_EQ(computePrefetchDistance(chip, candidate, 36), 1);
  Candidate small{.atom = &atomOf("gfx1201", NumericType::F16, 16),
                  .workgroup = {32, 32},
                  .subgroup = {16, 16},
                  .gemmK = 128,
                  .stages = 2};
  EXPECT_EQ(computePrefetchDistance(chipOf("gfx1201"), small, 6, false), 2);
  small.stages = 1;
  EXPECT_EQ(computePrefetchDistance(chipOf("gfx1201"), small, 36, false), 1);
}

// Two workgroups of one unit work while either waits at its barriers.
TEST(StagedModel, WorkgroupsAloneOnAUnitTakeLonger) {
  const ChipInfo &chip = chipOf("sm_90a");
  Candidate candidate{.atom = &atomOf("sm_90a", NumericType::F16, 16),
                      .workgroup = {32, 64},
                      .subgroup = {16, 32},
                      .gemmK = 64,
                      .stages = 2,
                      .model = &getGemmModel()};
  auto getSeconds = [&](int64_t workgroups) {
    Problem problem = forward({.n = workgroups, .c = 8192, .k = 64});
    problem.rows = 32 * workgroups;
    return computeCost(problem, chip, candidate).computeSeconds;
  };
  EXPECT_LT(getSeconds(2 * chip.computeUnits),
            1.7 * getSeconds(chip.computeUnits));
}

TEST(StagedModel, SaysWhatLimits) {
  Problem pointwise =
      forward({.n = 64, .h = 56, .w = 56, .c = 64, .k = 64, .p = 56, .q = 56});
  EXPECT_EQ(computeCost(pointwise, chipOf("gfx942"), fourWaves()).limit,
            Limit::Memory);
  Problem pixel = forward({.c = 64, .k = 64});
  EXPECT_EQ(computeCost(pixel, chipOf("gfx942"), fourWaves()).limit,
            Limit::Latency);
}

} // namespace
