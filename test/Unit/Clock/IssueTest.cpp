//===- IssueTest.cpp - cycles that can be counted by hand -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTest.h"

using namespace conv;
using namespace conv::clock;

/// Repeats `body` 20 times.
static std::string loop(const std::string &body) {
  return "s_mov_b32 s4, 20\n.Lloop:\n" + body +
         "s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lloop\n";
}

static std::string repeat(const std::string &text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

static double getMatrixShare(const IssueTimes &times) {
  return times.loop ? times.loop->busy[size_t(Unit::Matrix)] : -1;
}

// A unit has four SIMD units, so four waves fill it: each matrix instruction
// starts when the previous one ends, and the rest of the loop is hidden.
TEST(Issue, IndependentMatrixInstructionsFillTheUnit) {
  std::string body;
  for (int i = 0; i < 16; ++i) {
    std::string sums = "a[" + std::to_string(16 * i % 64) + ":" +
                       std::to_string(16 * i % 64 + 15) + "]";
    body +=
        "v_mfma_f32_32x32x8_f16 " + sums + ", v[0:1], v[2:3], " + sums + "\n";
  }
  EXPECT_NEAR(getMatrixShare(issue("gfx942", loop(body), 4)), 1.0, 0.001);
  EXPECT_NEAR(getMatrixShare(issue("gfx942", loop(body), 2)), 0.5, 0.001);
}

// Sums are forwarded to the next instruction that adds to them. An instruction
// that reads them otherwise waits four more passes of four clocks: 32 of 48.
TEST(Issue, AResultThatIsMultipliedIsWaitedFor) {
  std::string sum = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], "
                    "v[0:15]\n";
  std::string factor = "v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[18:19], 0\n";
  EXPECT_NEAR(getMatrixShare(issue("gfx942", loop(repeat(sum, 16)), 4)), 1.0,
              0.001);
  EXPECT_NEAR(getMatrixShare(issue("gfx942", loop(repeat(factor, 16)), 4)),
              32.0 / 48, 0.01);
}

// WMMA occupies the vector unit: 16 clocks, and one for each addition; two
// scalar instructions and a taken branch close the loop.
TEST(Issue, WmmaAndVectorInstructionsTakeTurns) {
  std::string body = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], "
                     "v[0:7]\n" +
                     repeat("v_add_nc_u32 v20, v21, v22\n", 16);
  double share = getMatrixShare(issue("gfx1201", loop(repeat(body, 8)), 4));
  EXPECT_NEAR(share, 8 * 16.0 / (8 * 32 + 2 + 8), 0.001);
}

// On CDNA, matrix instructions leave the vector unit free: one of 32 clocks
// hides seven turns of four. The last one of an iteration also hides the end of
// the loop, six turns, and one addition.
TEST(Issue, MfmaHidesVectorInstructions) {
  std::string sum = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n";
  std::string add = "v_add_u32 v20, v21, v22\n";
  auto share = [&](int adds) {
    return getMatrixShare(
        issue("gfx942", loop(repeat(sum + repeat(add, adds), 8)), 4));
  };
  EXPECT_NEAR(share(1), 1.0, 0.001);
  EXPECT_NEAR(share(6), 256.0 / (256 + 5 * 4), 0.001);
  EXPECT_NEAR(share(7), 256.0 / (256 + 6 * 4), 0.001);
  EXPECT_LT(share(15), 0.6);
}

static const std::string kLoad = describeBuffer("0x10000") +
                                 "v_lshlrev_b32 v1, 2, v0\n"
                                 "buffer_load_dword v2, v1, s[8:11], 0 offen\n";

// Instructions between a load and its wait cost nothing until the load
// arrives.
TEST(Issue, ALoadHidesWhatFollowsIt) {
  auto cycles = [](int adds) {
    return issue("gfx942", kLoad + repeat("v_add_u32 v20, v21, v22\n", adds) +
                               "s_waitcnt vmcnt(0)\n")
        .cycles;
  };
  int64_t latency = lookupPace("gfx942")->sharedCacheLatency;
  EXPECT_GT(cycles(0), latency);
  EXPECT_EQ(cycles(100), cycles(0));
  EXPECT_GE(cycles(200), cycles(0) + 4 * 200 - latency - 100);
}

// vmcnt(1) lets the youngest load continue, vmcnt(0) does not; the second load
// hits the cache next to the unit, but answers come in order.
TEST(Issue, LoadsAreCountedInOrder) {
  std::string pause = repeat("v_add_u32 v20, v21, v22\n", 100);
  std::string second = "buffer_load_dword v3, v1, s[8:11], 0 offen "
                       "offset:2048\n";
  auto cycles = [&](const std::string &wait) {
    return issue("gfx942", kLoad + pause + second + wait).cycles;
  };
  int64_t both = cycles("s_waitcnt vmcnt(0)\n");
  EXPECT_NEAR(double(both - cycles("s_waitcnt vmcnt(1)\n")), 400, 30);
  EXPECT_EQ(cycles("s_waitcnt vmcnt(2)\n"), cycles("s_nop 0\n"));
}

// Wave 0 sleeps before the barrier and the others wait: they end together.
TEST(Issue, ABarrierWaitsForTheSlowestWave) {
  std::string slow = "v_readfirstlane_b32 s5, v0\ns_cmp_lg_u32 s5, 0\n"
                     "s_cbranch_scc1 .Lfast\n" +
                     repeat("s_nop 15\n", 20) + ".Lfast:\n";
  int64_t alone = issue("gfx942", slow, 1).cycles;
  EXPECT_GE(alone, 20 * 16 * 4);
  int64_t together = issue("gfx942", slow + "s_barrier\n", 4).cycles;
  EXPECT_NEAR(double(together), double(alone), 20);
  IssueTimes after =
      issue("gfx942", slow + "s_barrier\n" + repeat("s_nop 15\n", 20), 4);
  EXPECT_NEAR(double(after.cycles), double(2 * alone), 60);
}

// 64 lanes that read 16 bytes each take eight passes of 128 bytes; in a column
// of words 128 bytes apart, each word takes a pass.
TEST(Issue, LdsDeliversABankARowAndClock) {
  auto cycles = [](const std::string &read, const std::string &shift) {
    return issue("gfx942",
                 "v_lshlrev_b32 v1, " + shift + ", v0\n" +
                     loop(repeat(read, 16)),
                 4)
        .loop->cyclesPerIteration;
  };
  EXPECT_NEAR(cycles("ds_read_b128 v[4:7], v1\n", "4"), 4 * 16 * 8, 8);
  EXPECT_NEAR(cycles("ds_read_b32 v4, v1\n", "2"), 4 * 16 * 2, 8);
  EXPECT_NEAR(cycles("ds_read_b32 v4, v1\n", "7"), 4 * 16 * 64, 64);
}

// The higher priority goes first; the other wave of the SIMD unit starves.
TEST(Issue, PriorityGoesFirst) {
  std::string first = "v_readfirstlane_b32 s5, v0\ns_cmp_lg_u32 s5, 0x100\n"
                      "s_cbranch_scc1 .Lplain\ns_setprio 3\n.Lplain:\n" +
                      repeat("v_add_u32 v20, v21, v22\n", 400);
  Program program = assemble("gfx942", first);
  const Pace &pace = *lookupPace("gfx942");
  WorkgroupTrace trace = interpret(program, pace, 5);
  // Waves 0 and 4 share a SIMD unit, and wave 4 has the priority.
  EXPECT_EQ(trace.unknownBranches, 0);
  EXPECT_EQ(trace.waves[4].steps.size(), trace.waves[0].steps.size() + 1);
  const WorkgroupTrace *pointer = &trace;
  IssueTimes times = issueWorkgroups(program, pace, {&pointer, 1}, {});
  EXPECT_NEAR(double(times.cycles), 800 * 4, 60);
}
