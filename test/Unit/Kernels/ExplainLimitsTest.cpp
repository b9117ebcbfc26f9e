//===- ExplainLimitsTest.cpp - tests of what is said of missing tiles -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/ExplainLimits.h"

#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"
#include "conv/Kernels/LineBuffer/LineFacts.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

Problem createProblem() {
  Problem problem = test::forward({.n = 8,
                                   .h = 56,
                                   .w = 56,
                                   .c = 64,
                                   .k = 64,
                                   .r = 3,
                                   .s = 3,
                                   .p = 56,
                                   .q = 56});
  problem.launchResults = {{{1, problem.rows, problem.columns}}};
  return problem;
}

/// The amount that the explanation says is needed of a resource, and the end of
/// the text.
std::pair<int64_t, std::string> split(const std::string &text) {
  const std::string start = "the smallest tile needs ";
  EXPECT_TRUE(text.starts_with(start)) << text;
  size_t digits = 0;
  int64_t needed = std::stoll("0" + text.substr(start.size()), &digits);
  return {needed, text.substr(start.size() + digits - 1)};
}

/// Checks that a chip with so little of a resource is said to lack it, and that
/// the amount that is said to be needed is the least that suffices.
template <typename Amount>
void expectNeeded(const KernelModel &model, const Problem &problem,
                  ChipInfo chip, Amount ChipInfo::*resource, Amount little,
                  const std::string &name) {
  chip.*resource = little;
  auto [needed, rest] = split(explainLimits(model, problem, chip));
  EXPECT_EQ(rest,
            " " + name + ", of which the chip has " + std::to_string(little));
  EXPECT_GT(needed, little);
  chip.*resource = Amount(needed - 1);
  EXPECT_EQ(split(explainLimits(model, problem, chip)).first, needed);
}

TEST(ExplainLimits, SharedMemory) {
  const ChipInfo &hopper = *lookupChip("sm_90a");
  auto expect = [](const KernelModel &model, const Problem &problem,
                   const ChipInfo &chip) {
    expectNeeded(model, problem, chip, &ChipInfo::sharedMemoryBytes,
                 int64_t(64), "bytes of shared memory");
  };
  Problem problem = createProblem();
  expect(getGemmModel(), problem, hopper);
  expect(getGemmModel(), problem, *lookupChip("gfx942"));

  problem.facts.set(WarpgroupFacts{.steps = 9});
  expect(getWarpgroupGemmModel(), problem, hopper);

  problem.facts.set(WeightStationaryFacts{.channels = 64,
                                          .haloTileBytes = 41 * 1024,
                                          .haloTileRows = 256,
                                          .taps = 9});
  expect(getWeightStationaryModel(), problem, hopper);

  LineWindow window;
  window.images = 8;
  window.channels = 4;
  window.vertical = window.horizontal = {
      .extent = 56, .positions = 56, .taps = 3, .stride = 1, .low = 1};
  problem.facts.set(LineFacts{window});
  expect(getLineBufferModel(), problem, hopper);

  problem.operand = problem.result = NumericType::F32;
  expect(getHostModel(), problem, *lookupChip("host_v4"));
}

TEST(ExplainLimits, RegistersAndWorkItems) {
  const ChipInfo &chip = *lookupChip("sm_80");
  expectNeeded(getGemmModel(), createProblem(), chip,
               &ChipInfo::registersPerLane, 8, "registers of a work-item");
  expectNeeded(getGemmModel(), createProblem(), chip,
               &ChipInfo::maxWorkgroupSize, 8, "work-items of a workgroup");
}

// No chip launches so many workgroups.
TEST(ExplainLimits, Launch) {
  Problem problem = createProblem();
  problem.launchResults = {{{int64_t(1) << 40, 1024, 1024}}};
  EXPECT_EQ(explainLimits(getGemmModel(), problem, *lookupChip("sm_80")),
            "the result takes more than the 134217727 workgroups of a launch");
}

TEST(ExplainLimits, Columns) {
  Problem problem = createProblem();
  problem.columns = 512;
  problem.facts.set(WeightStationaryFacts{.channels = 64,
                                          .haloTileBytes = 41 * 1024,
                                          .haloTileRows = 256,
                                          .taps = 9});
  EXPECT_EQ(
      explainLimits(getWeightStationaryModel(), problem, *lookupChip("sm_90a")),
      "a tile has all columns of the filter, at most 256, and there are 512");
}

} // namespace
