//===- RoundsTest.cpp - what a few workgroups say about all ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTest.h"

#include "../../../lib/Clock/Rounds.h"

using namespace conv;
using namespace conv::clock;

/// The clocks of 100 workgroups of a unit, two at a time, of which the first
/// `longOnes` loop; extrapolated, or all simulated.
static double clockUnit(int64_t longOnes, bool extrapolates) {
  const Pace &pace = *lookupPace("gfx942");
  Program program = assemble(
      "gfx942", "s_cmp_ge_u32 s0, " + std::to_string(longOnes * pace.units()) +
                    "\ns_cbranch_scc1 .Lshort\n"
                    "s_mov_b32 s4, 200\n.Lloop:\n"
                    "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                    "s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                    "s_cbranch_scc1 .Lloop\n.Lshort:\n");
  LaunchShape shape;
  shape.block[0] = 4 * program.facts.waveSize;
  KernelClock kernel;
  kernel.workgroupsOfUnit = 100;
  kernel.workgroups = kernel.workgroupsOfUnit * pace.units();
  kernel.resident = 2;
  std::vector<WorkgroupTrace> traces;
  if (extrapolates) {
    traces = interpretRounds(program, pace, shape, kernel);
  } else {
    for (int64_t i = 0; i < kernel.workgroupsOfUnit; ++i)
      traces.push_back(
          interpretWorkgroup(program, pace, shape, i * pace.units()));
  }
  kernel.simulated = int64_t(traces.size());
  std::vector<const WorkgroupTrace *> pointers;
  for (const WorkgroupTrace &trace : traces)
    pointers.push_back(&trace);
  kernel.issue =
      issueWorkgroups(program, pace, pointers, {.resident = kernel.resident});
  return extrapolates ? extrapolateRounds(kernel, pace, traces)
                      : double(kernel.issue.cycles);
}

// All alike: within a round of the truth.
TEST(Rounds, RepresentTheRest) {
  EXPECT_NEAR(clockUnit(100, true) / clockUnit(100, false), 1.0, 0.02);
}

// The last round of a launch may set other priorities than those before it: it
// is simulated as it is.
TEST(Rounds, KeepTheLastRoundIfThereArePriorities) {
  const Pace &pace = *lookupPace("gfx942");
  auto countLong = [&](const std::string &first) {
    Program program =
        assemble("gfx942", first + "\ns_cmp_ge_u32 s0, " +
                               std::to_string(98 * pace.units()) +
                               "\ns_cbranch_scc1 .Llong\ns_endpgm\n"
                               ".Llong:\ns_nop 0\ns_nop 0\n");
    LaunchShape shape;
    shape.block[0] = program.facts.waveSize;
    KernelClock kernel;
    kernel.workgroupsOfUnit = 100;
    kernel.workgroups = kernel.workgroupsOfUnit * pace.units();
    kernel.resident = 2;
    shape.grid[0] = kernel.workgroups;
    std::vector<WorkgroupTrace> traces =
        interpretRounds(program, pace, shape, kernel);
    EXPECT_EQ(traces.size(), 6u);
    return std::count_if(traces.begin(), traces.end(),
                         [&](const WorkgroupTrace &trace) {
                           return trace.waves.front().steps.size() >
                                  traces.front().waves.front().steps.size();
                         });
  };
  EXPECT_EQ(countLong("s_setprio 3"), 2);
  EXPECT_EQ(countLong("s_nop 0"), 0);
}

// Rounds that end close to each other say nothing about later ones: these
// would multiply for 10 clocks a workgroup, and need 27.
TEST(Rounds, TakeAsLongAsTheyMultiply) {
  const Pace &pace = *lookupPace("gfx942");
  Program program = assemble("gfx942", "s_nop 0\n");
  std::vector<WorkgroupTrace> traces(4, interpret(program, pace));
  KernelClock kernel;
  kernel.workgroupsOfUnit = 100;
  kernel.simulated = 4;
  kernel.resident = 2;
  kernel.issue.ends = {90, 100, 110, 120};
  kernel.issue.cycles = 120;
  kernel.issue.busy[size_t(Unit::Matrix)] = 0.9;
  EXPECT_NEAR(extrapolateRounds(kernel, pace, traces), 120 + 96 * 27, 1e-6);
  kernel.issue.busy[size_t(Unit::Matrix)] = 0.1;
  EXPECT_NEAR(extrapolateRounds(kernel, pace, traces), 120 + 96 * 10, 1e-6);
}

// Where most workgroups do next to nothing, three rounds of all would be one
// long workgroup or none.
TEST(Rounds, LongWorkgroupsCountByTheirSteps) {
  for (int64_t longOnes : {6, 20, 50})
    EXPECT_NEAR(clockUnit(longOnes, true) / clockUnit(longOnes, false), 1.0,
                0.15)
        << longOnes;
}

// A launch without a second round ends with its longest workgroups, wherever
// they are in the grid.
TEST(Rounds, FewWorkgroupsTakeAsLongAsTheLongest) {
  const Pace &pace = *lookupPace("gfx942");
  Program program =
      assemble("gfx942", "s_cmp_ge_u32 s0, 3\n"
                         "s_cbranch_scc1 .Lshort\n"
                         "s_mov_b32 s4, 200\n.Lloop:\n"
                         "s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                         "s_cbranch_scc1 .Lloop\n.Lshort:\n");
  LaunchShape shape;
  shape.block[0] = program.facts.waveSize;
  KernelClock kernel;
  kernel.workgroups = 12;
  kernel.workgroupsOfUnit = 1;
  std::vector<WorkgroupTrace> traces =
      interpretRounds(program, pace, shape, kernel);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_GT(traces.front().waves.front().steps.size(), 600u);
}
