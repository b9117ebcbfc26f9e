//===- ReplayTest.cpp - traffic of a grid, and what is not known of it ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTest.h"

#include "../../../lib/Clock/Replay.h"

using namespace conv;
using namespace conv::clock;

static constexpr int64_t kGrid = 30400;

/// The traffic of a grid that fills a die many times. One workgroup loops
/// `count` times, the others end at once.
static Traffic replayLoop(int64_t workgroup, const std::string &count) {
  const Pace &pace = *lookupPace("gfx942");
  Program program = assemble(
      "gfx942", "s_cmp_lg_u32 s0, " + std::to_string(workgroup) +
                    "\ns_cbranch_scc1 .Lend\ns_mov_b32 s4, " + count +
                    "\n.Lloop:\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                    "s_cbranch_scc1 .Lloop\n.Lend:\n");
  LaunchShape shape;
  shape.block[0] = program.facts.waveSize;
  shape.grid[0] = kGrid;
  return replayDie(program, pace, shape, /*resident=*/1, /*waveSteps=*/1);
}

// A workgroup after the first round, the second of 16 that stand for the grid,
// has more instructions than the clock interprets.
TEST(Replay, SampledWorkgroupsAreCut) {
  int64_t dies = lookupPace("gfx942")->chip->dies;
  int64_t second = kGrid / dies / 16 * dies + 1;
  EXPECT_TRUE(replayLoop(second, "100").isComplete);
  EXPECT_FALSE(replayLoop(second, "2000000").isComplete);
}

// A workgroup that is cut has loaded all that it loads, 64 lines of 128 bytes,
// and stored nothing yet.
TEST(Replay, LoadsBeforeALoopDoNotGrowWithIt) {
  constexpr int64_t kIterations = 60'000, kLoop = 3;
  const Pace &pace = *lookupPace("gfx942");
  Program program = assemble(
      "gfx942", "v_lshlrev_b32 v1, 7, v0\ns_mov_b32 s2, 0x10000\n"
                "s_mov_b32 s3, 0\nglobal_load_dword v2, v1, s[2:3]\n"
                "s_mov_b32 s4, " +
                    std::to_string(kIterations) +
                    "\n.Lloop:\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                    "s_cbranch_scc1 .Lloop\n"
                    "global_store_dword v1, v0, s[2:3]\n");
  LaunchShape shape;
  shape.block[0] = program.facts.waveSize;
  shape.grid[0] = pace.chip->computeUnits;
  Traffic traffic = replayDie(program, pace, shape, /*resident=*/1,
                              /*waveSteps=*/kIterations * kLoop);
  EXPECT_FALSE(traffic.isWhole);
  EXPECT_DOUBLE_EQ(traffic.requestedBytes, 64 * 128);
  EXPECT_DOUBLE_EQ(traffic.writtenBytes, 64 * 4);
}

// The report says so, also where everything else is known.
TEST(Report, SaysThatWavesWereCut) {
  EntryClock entry;
  entry.function = "f";
  entry.target = "gfx942";
  entry.pace = lookupPace("gfx942");
  entry.launches.emplace_back();
  EXPECT_EQ(writeText(entry).find("waves were cut"), std::string::npos);
  EXPECT_NE(writeJson({entry}).find("\"complete\": true"), std::string::npos);
  entry.launches.front().isComplete = false;
  EXPECT_NE(writeText(entry).find("waves were cut"), std::string::npos);
  EXPECT_NE(writeJson({entry}).find("\"complete\": false"), std::string::npos);
}
