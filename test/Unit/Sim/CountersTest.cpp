//===- CountersTest.cpp - counters of kernels whose numbers are known -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels small enough to compute every counter by hand, and the model of LDS
// banks on its own.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <algorithm>

using namespace conv::runtime;
using namespace conv::test;

namespace {

SimOptions countersOnly() {
  SimOptions options;
  options.counters = true;
  return options;
}

/// out[tid] = in[tid * stride], as f32.
std::string stridedKernel(int stride) {
  return kernelText(2, "%stride = llvm.mlir.constant(" +
                           std::to_string(stride) + R"( : i64) : i64
  %at = llvm.mul %tid64, %stride : i64
  %from = llvm.getelementptr %p0[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %v = llvm.load %from : !llvm.ptr<1> -> f32
  llvm.store %v, %to : f32, !llvm.ptr<1>)");
}

/// Memory that starts a 128-byte segment.
struct alignas(128) Block {
  float values[64 * 64];
};

SimCounters countStrided(int stride, uint32_t groups = 1) {
  auto in = std::make_unique<Block>(), out = std::make_unique<Block>();
  SimRun run("gfx942", stridedKernel(stride), countersOnly());
  run.block(64).grid(groups);
  run.addBuffer(in.get(), sizeof(Block)).addBuffer(out.get(), sizeof(Block));
  run.run();
  return run.counters();
}

TEST(SimCounters, CoalescedCopy) {
  SimCounters counters = countStrided(1);
  EXPECT_EQ(counters.workgroups, 1u);
  EXPECT_EQ(counters.waves, 1u);
  EXPECT_EQ(counters.globalLoads, 1u);
  EXPECT_EQ(counters.globalStores, 1u);
  EXPECT_EQ(counters.globalBytesRead, 256u);
  EXPECT_EQ(counters.globalBytesWritten, 256u);
  // 256 bytes each way are 4 segments of 64 bytes, or 2 of 128.
  EXPECT_EQ(counters.globalSegments64, 8u);
  EXPECT_EQ(counters.globalSegments128, 4u);
  EXPECT_EQ(counters.ldsLoads, 0u);
}

TEST(SimCounters, StridedCopyTouchesASegmentPerLane) {
  SimCounters counters = countStrided(32);
  EXPECT_EQ(counters.globalBytesRead, 256u);
  EXPECT_EQ(counters.globalSegments128, 64u + 2u);
  EXPECT_EQ(counters.globalSegments64, 64u + 4u);
}

TEST(SimCounters, UniqueBytesAreCountedOnce) {
  // Three workgroups read and write the same bytes.
  SimCounters counters = countStrided(1, 3);
  EXPECT_EQ(counters.workgroups, 3u);
  EXPECT_EQ(counters.globalBytesRead, 3 * 256u);
  EXPECT_EQ(counters.globalUniqueBytesRead, 256u);
  EXPECT_EQ(counters.globalUniqueBytesWritten, 256u);
  SimCounters broadcast = countStrided(0);
  EXPECT_EQ(broadcast.globalBytesRead, 256u);
  EXPECT_EQ(broadcast.globalUniqueBytesRead, 4u);
}

/// Every work-item writes and reads `type` at `stride` bytes from its
/// neighbour.
std::string ldsKernel(const std::string &type, int stride) {
  return "llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = "
         "16 : i64} : !llvm.array<16384 x i8>\n" +
         kernelText(0, "%stride = llvm.mlir.constant(" +
                           std::to_string(stride) + R"( : i64) : i64
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %at = llvm.mul %tid64, %stride : i64
  %slot = llvm.getelementptr %lds[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %zero = llvm.mlir.zero : )" +
                           type + R"(
  llvm.store volatile %zero, %slot {alignment = 4 : i64} : )" +
                           type +
                           R"(, !llvm.ptr<3>
  rocdl.s.barrier
  %v = llvm.load volatile %slot {alignment = 4 : i64} : !llvm.ptr<3> -> )" +
                           type);
}

SimCounters countLds(const std::string &chip, const std::string &type,
                     int stride) {
  SimRun run(chip, ldsKernel(type, stride), countersOnly());
  run.block(chip.starts_with("gfx9") ? 64 : 32).run();
  return run.counters();
}

TEST(SimCounters, LdsWithoutConflicts) {
  SimCounters counters = countLds("gfx942", "i32", 4);
  EXPECT_EQ(counters.ldsLoads, 1u);
  EXPECT_EQ(counters.ldsStores, 1u);
  EXPECT_EQ(counters.ldsBytesRead, 256u);
  EXPECT_EQ(counters.ldsBytesWritten, 256u);
  // 64 lanes on 32 banks: two passes each way.
  EXPECT_EQ(counters.ldsCycles, 4u);
  EXPECT_EQ(counters.ldsBankConflicts, 0u);
  EXPECT_EQ(counters.barriers, 1u);
  EXPECT_EQ(counters.ldsBytesPerWorkgroup, 16384u);
}

TEST(SimCounters, LdsWithAStrideOfAllBanks) {
  // Every lane of a pass hits the same bank: 32 passes instead of one.
  SimCounters counters = countLds("gfx942", "i32", 128);
  EXPECT_EQ(counters.ldsCycles, 2 * 64u);
  EXPECT_EQ(counters.ldsBankConflicts, 2 * 62u);
  // On 64 banks the lanes use two banks.
  SimCounters wide = countLds("gfx950", "i32", 128);
  EXPECT_EQ(wide.ldsCycles, 2 * 32u);
  EXPECT_EQ(wide.ldsBankConflicts, 2 * 31u);
}

TEST(SimCounters, WideLdsAccesses) {
  // 16 bytes a lane, lanes side by side: eight lanes a pass.
  SimCounters counters = countLds("gfx942", "vector<4xi32>", 16);
  EXPECT_EQ(counters.ldsCycles, 2 * 8u);
  EXPECT_EQ(counters.ldsBankConflicts, 0u);
  SimCounters wave32 = countLds("gfx1201", "vector<4xi32>", 16);
  EXPECT_EQ(wave32.ldsCycles, 2 * 4u);
  EXPECT_EQ(wave32.ldsBankConflicts, 0u);
  // Rows of 64 bytes: each half uses only two different sets of four banks.
  SimCounters rows = countLds("gfx942", "vector<4xi32>", 64);
  EXPECT_GT(rows.ldsBankConflicts, 0u);
}

TEST(SimCounters, BufferAccessesOutOfRange) {
  // A resource of 100 bytes: 25 lanes of 64 are in range.
  std::string kernel = kernelText(2, R"(
  %stride = llvm.mlir.constant(0 : i16) : i16
  %records = llvm.mlir.constant(100 : i64) : i64
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %r = rocdl.make.buffer.rsrc %p0, %stride, %records, %flags : <1> to <8>
  %at = llvm.mul %tid, %four : i32
  %v = rocdl.raw.ptr.buffer.load %r, %at, %zero, %zero : f32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %v, %to : f32, !llvm.ptr<1>)");
  std::vector<float> in(64, 1.0f), out(64);
  SimRun run("gfx942", kernel, countersOnly());
  run.block(64).buffer(in).buffer(out).run();
  EXPECT_EQ(run.counters().bufferOutOfRange, 39u);
  EXPECT_EQ(run.counters().globalBytesRead, 100u);
  EXPECT_EQ(std::count(out.begin(), out.end(), 1.0f), 25);
}

TEST(SimCounters, TheSameWithAnyNumberOfThreads) {
  auto count = [](unsigned threads) {
    auto in = std::make_unique<Block>(), out = std::make_unique<Block>();
    SimOptions options = countersOnly();
    options.threads = threads;
    SimRun run("gfx942", stridedKernel(1), options);
    run.block(64).grid(37);
    run.addBuffer(in.get(), sizeof(Block)).addBuffer(out.get(), sizeof(Block));
    run.run();
    return run.counters();
  };
  EXPECT_TRUE(count(1) == count(3));
}

TEST(SimCounters, EveryCounterHasAName) {
  SimCounters counters;
  EXPECT_EQ(counters.entries().size() * sizeof(uint64_t), sizeof(counters));
  EXPECT_NE(counters.text().find("lds_bank_conflicts: 0\n"), std::string::npos);
}

} // namespace
