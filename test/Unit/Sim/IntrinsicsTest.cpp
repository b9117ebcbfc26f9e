//===- IntrinsicsTest.cpp - cross-lane, buffer and arithmetic intrinsics --===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel computes one i32 a lane from its id through one intrinsic; the
// test lists the expected value of every lane.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

using namespace conv::runtime;
using namespace conv::test;

namespace {

/// Runs `body`, which leaves its result in %v, and returns the lanes' results.
template <typename T>
std::vector<T> runLanes(const std::string &chip, const std::string &body,
                        const std::string &type, std::vector<T> in = {}) {
  uint32_t lanes = chip.starts_with("gfx9") ? 64 : 32;
  in.resize(std::max<size_t>(in.size(), lanes * 4));
  std::vector<T> out(lanes);
  SimRun(chip, kernelText(2, body +
                                 "\n%outAt = llvm.getelementptr %p1[%tid64] : "
                                 "(!llvm.ptr<1>, i64) -> !llvm.ptr<1>, " +
                                 type + "\nllvm.store %v, %outAt : " + type +
                                 ", !llvm.ptr<1>"))
      .block(lanes)
      .buffer(in)
      .buffer(out)
      .run();
  return out;
}

std::string constants(std::initializer_list<int> values) {
  std::string text;
  for (int value : values) {
    std::string digits = std::to_string(value);
    text +=
        "%c" + digits + " = llvm.mlir.constant(" + digits + " : i32) : i32\n";
  }
  return text + "%false = llvm.mlir.constant(false) : i1\n"
                "%true = llvm.mlir.constant(true) : i1\n";
}

std::vector<int32_t> lanes(uint32_t count,
                           const std::function<int(int)> &value) {
  std::vector<int32_t> result(count);
  for (uint32_t lane = 0; lane < count; ++lane)
    result[lane] = value(int(lane));
  return result;
}

std::vector<int32_t> runI32(const std::string &chip, const std::string &body) {
  return runLanes<int32_t>(chip, body, "i32");
}

std::string call(const std::string &name, const std::string &arguments,
                 const std::string &type) {
  return "%v = llvm.call_intrinsic \"llvm.amdgcn." + name + "\"(" + arguments +
         ") : " + type + "\n";
}

TEST(SimCrossLane, ReadFirstLane) {
  std::string text = constants({5}) + "%x = llvm.add %tid, %c5 : i32\n" +
                     call("readfirstlane", "%x", "(i32) -> i32");
  EXPECT_EQ(runI32("gfx942", text), lanes(64, [](int) { return 5; }));
}

TEST(SimCrossLane, ReadAndWriteLane) {
  EXPECT_EQ(runI32("gfx1100", constants({7}) + call("readlane", "%tid, %c7",
                                                    "(i32, i32) -> i32")),
            lanes(32, [](int) { return 7; }));
  EXPECT_EQ(runI32("gfx1100",
                   constants({7, 99}) + call("writelane", "%c99, %c7, %tid",
                                             "(i32, i32, i32) -> i32")),
            lanes(32, [](int lane) { return lane == 7 ? 99 : lane; }));
}

TEST(SimCrossLane, Bpermute) {
  std::string text = constants({4, 3}) + "%x = llvm.add %tid, %c3 : i32\n" +
                     "%a = llvm.mul %x, %c4 : i32\n" +
                     call("ds.bpermute", "%a, %tid", "(i32, i32) -> i32");
  EXPECT_EQ(runI32("gfx90a", text),
            lanes(64, [](int lane) { return (lane + 3) % 64; }));
  EXPECT_EQ(runI32("gfx1201", text),
            lanes(32, [](int lane) { return (lane + 3) % 32; }));
}

TEST(SimCrossLane, Permute) {
  std::string text = constants({4, 3}) + "%x = llvm.add %tid, %c3 : i32\n" +
                     "%a = llvm.mul %x, %c4 : i32\n" +
                     call("ds.permute", "%a, %tid", "(i32, i32) -> i32");
  EXPECT_EQ(runI32("gfx90a", text),
            lanes(64, [](int lane) { return (lane + 61) % 64; }));
}

TEST(SimCrossLane, SwizzleByXor) {
  // and = 31, or = 0, xor = 5
  std::string text =
      constants({5 << 10 | 31}) +
      call("ds.swizzle", "%tid, %c" + std::to_string(5 << 10 | 31),
           "(i32, i32) -> i32");
  EXPECT_EQ(runI32("gfx942", text),
            lanes(64, [](int lane) { return lane ^ 5; }));
}

std::vector<int32_t> runDpp(int control, bool boundControl,
                            const std::string &chip = "gfx942") {
  std::string c = "%c" + std::to_string(control);
  return runI32(chip, constants({control, 15, 100}) +
                          call("update.dpp",
                               "%c100, %tid, " + c + ", %c15, %c15, " +
                                   (boundControl ? "%true" : "%false"),
                               "(i32, i32, i32, i32, i32, i1) -> i32"));
}

TEST(SimCrossLane, Dpp) {
  EXPECT_EQ(runDpp(0x1b, false), // quad_perm [3,2,1,0]
            lanes(64, [](int lane) { return lane ^ 3; }));
  EXPECT_EQ(runDpp(0x111, false), // row_shr:1 keeps the old value
            lanes(64, [](int lane) { return lane % 16 ? lane - 1 : 100; }));
  EXPECT_EQ(runDpp(0x111, true), // row_shr:1 with bound_ctrl gives zero
            lanes(64, [](int lane) { return lane % 16 ? lane - 1 : 0; }));
  EXPECT_EQ(runDpp(0x102, true), // row_shl:2
            lanes(64, [](int lane) { return lane % 16 < 14 ? lane + 2 : 0; }));
  EXPECT_EQ(
      runDpp(0x121, false), // row_ror:1
      lanes(64, [](int lane) { return lane / 16 * 16 + (lane + 15) % 16; }));
  EXPECT_EQ(runDpp(0x140, false), // row_mirror
            lanes(64, [](int lane) { return lane ^ 15; }));
  EXPECT_EQ(
      runDpp(0x142, false), // row_bcast15
      lanes(64, [](int lane) { return lane < 16 ? 100 : lane / 16 * 16 - 1; }));
  EXPECT_EQ(runDpp(0x161, false, "gfx1100"), // row_xmask:1
            lanes(32, [](int lane) { return lane ^ 1; }));
}

TEST(SimCrossLane, Ballot) {
  std::string text = constants({3}) +
                     "%three = llvm.and %tid, %c3 : i32\n"
                     "%zero = llvm.mlir.constant(0 : i32) : i32\n"
                     "%p = llvm.icmp \"eq\" %three, %zero : i32\n" +
                     call("ballot", "%p", "(i1) -> i32");
  EXPECT_EQ(runI32("gfx1201", text), lanes(32, [](int) { return 0x11111111; }));
}

TEST(SimCrossLane, LaneNumberByMbcnt) {
  std::string text = "%ones = llvm.mlir.constant(-1 : i32) : i32\n"
                     "%zero = llvm.mlir.constant(0 : i32) : i32\n"
                     "%low = llvm.call_intrinsic \"llvm.amdgcn.mbcnt.lo\""
                     "(%ones, %zero) : (i32, i32) -> i32\n" +
                     call("mbcnt.hi", "%ones, %low", "(i32, i32) -> i32");
  EXPECT_EQ(runI32("gfx950", text), lanes(64, [](int lane) { return lane; }));
}

TEST(SimCrossLane, Swaps) {
  std::string prefix = constants({100}) + "%y = llvm.add %tid, %c100 : i32\n";
  auto swap = [&](const std::string &name, int result) {
    return prefix + "%s = llvm.call_intrinsic \"llvm.amdgcn." + name +
           "\"(%tid, %y, %false, %false) : (i32, i32, i1, i1) -> "
           "!llvm.struct<(i32, i32)>\n%v = llvm.extractvalue %s[" +
           std::to_string(result) + "] : !llvm.struct<(i32, i32)>\n";
  };
  EXPECT_EQ(runI32("gfx950", swap("permlane32.swap", 0)),
            lanes(64, [](int lane) { return lane < 32 ? lane : lane + 68; }));
  EXPECT_EQ(
      runI32("gfx950", swap("permlane32.swap", 1)),
      lanes(64, [](int lane) { return lane < 32 ? lane + 32 : lane + 100; }));
  EXPECT_EQ(
      runI32("gfx950", swap("permlane16.swap", 0)),
      lanes(64, [](int lane) { return lane & 16 ? lane - 16 + 100 : lane; }));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::string resource(int64_t records, int flags) {
  return "%stride = llvm.mlir.constant(0 : i16) : i16\n"
         "%records = llvm.mlir.constant(" +
         std::to_string(records) +
         " : i64) : i64\n"
         "%flags = llvm.mlir.constant(" +
         std::to_string(flags) +
         " : i32) : i32\n"
         "%zero = llvm.mlir.constant(0 : i32) : i32\n"
         "%r = rocdl.make.buffer.rsrc %p0, %stride, %records, %flags : <1> to "
         "<8>\n";
}

/// Lane l sums a vector of four words at word l.
std::string sumOfFour() {
  std::string text = constants({4}) + R"(
  %at = llvm.mul %tid, %c4 : i32
  %x = rocdl.raw.ptr.buffer.load %r, %at, %zero, %zero : vector<4xi32>
)";
  return text +
         R"(%v = "llvm.intr.vector.reduce.add"(%x) : (vector<4xi32>) -> i32
)";
}

TEST(SimBuffers, EachWordOfAVectorIsChecked) {
  std::vector<int32_t> in(256, 1);
  // Ten words: the vector at word 8 has two in range, the one at 9 has one.
  auto out = runLanes<int32_t>("gfx942", resource(40, 159744) + sumOfFour(),
                               "i32", in);
  EXPECT_EQ(out,
            lanes(64, [](int lane) { return std::clamp(10 - lane, 0, 4); }));
}

TEST(SimBuffers, OutOfBoundsSelectOfRdna) {
  std::vector<int32_t> in(256, 1);
  constexpr int checked = 3 << 28 | 0x7000, unchecked = 2 << 28 | 0x7000;
  EXPECT_EQ(runLanes<int32_t>("gfx1100", resource(40, checked) + sumOfFour(),
                              "i32", in),
            lanes(32, [](int lane) { return std::clamp(10 - lane, 0, 4); }));
  EXPECT_EQ(runLanes<int32_t>("gfx1100", resource(40, unchecked) + sumOfFour(),
                              "i32", in),
            lanes(32, [](int) { return 4; }));
}

TEST(SimBuffers, StoresOutOfRangeAreDropped) {
  std::string kernel = kernelText(1, resource(40, 159744) + R"(
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %at = llvm.mul %tid, %sixteen : i32
  %x = llvm.mlir.constant(dense<7> : vector<4xi32>) : vector<4xi32>
  rocdl.raw.ptr.buffer.store %x, %r, %at, %zero, %zero : vector<4xi32>)");
  std::vector<int32_t> out(64 * 4);
  SimRun("gfx942", kernel).block(64).buffer(out).run();
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), 10 * 7);
}

TEST(SimBuffers, ResourceChosenAtRunTime) {
  // A phi of two resources, which cannot stay a variable on the stack.
  std::string kernel = kernelText(3, R"(
  %stride = llvm.mlir.constant(0 : i16) : i16
  %records = llvm.mlir.constant(256 : i64) : i64
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %r0 = rocdl.make.buffer.rsrc %p0, %stride, %records, %flags : <1> to <8>
  %r1 = rocdl.make.buffer.rsrc %p1, %stride, %records, %flags : <1> to <8>
  %odd = llvm.and %tid, %one : i32
  %isOdd = llvm.icmp "ne" %odd, %zero : i32
  %r = llvm.select %isOdd, %r1, %r0 : i1, !llvm.ptr<8>
  %at = llvm.mul %tid, %four : i32
  %v = rocdl.raw.ptr.buffer.load %r, %at, %zero, %zero : i32
  %to = llvm.getelementptr %p2[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>)");
  std::vector<int32_t> even(64, 10), odd(64, 20), out(64);
  SimRun("gfx942", kernel).block(64).buffer(even).buffer(odd).buffer(out).run();
  EXPECT_EQ(out, lanes(64, [](int lane) { return lane % 2 ? 20 : 10; }));
}

TEST(SimBuffers, AtomicAdd) {
  std::string kernel = kernelText(1, resource(4, 159744) + R"(
  %x = llvm.mlir.constant(1.0 : f32) : f32
  rocdl.raw.ptr.buffer.atomic.fadd %x, %r, %zero, %zero, %zero : f32)");
  std::vector<float> sum(1);
  SimRun("gfx942", kernel).block(64).grid(5).buffer(sum).run();
  EXPECT_EQ(sum[0], 320.0f);
}

//===----------------------------------------------------------------------===//
// LDS filled and read by waves
//===----------------------------------------------------------------------===//

TEST(SimMemoryOps, GlobalLoadToLds) {
  std::string kernel =
      "llvm.mlir.global internal @lds() {addr_space = 3 : i32} : "
      "!llvm.array<64 x i32>\n" +
      kernelText(2, R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %c63 = llvm.mlir.constant(63 : i64) : i64
  %reversed = llvm.sub %c63, %tid64 : i64
  %from = llvm.getelementptr %p0[%reversed] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  rocdl.global.load.lds %from, %lds, 4, 0, 0
  rocdl.s.barrier
  %slot = llvm.getelementptr %lds[%tid64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %v = llvm.load %slot : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>)");
  std::vector<int32_t> in(64), out(64);
  std::iota(in.begin(), in.end(), 0);
  SimRun("gfx942", kernel).block(64).buffer(in).buffer(out).run();
  EXPECT_EQ(out, lanes(64, [](int lane) { return 63 - lane; }));
}

TEST(SimMemoryOps, BufferLoadsToLdsArriveWhenTheyAreWaitedFor) {
  // Two copies over words that lanes have written; a wait covers all but the
  // last one (vmcnt 1). Lanes beyond 160 bytes are out of range and get zero.
  std::string kernel =
      "llvm.mlir.global internal @lds() {addr_space = 3 : i32} : "
      "!llvm.array<128 x i32>\n" +
      kernelText(2, R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %second = llvm.getelementptr %lds[%c64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %slot = llvm.getelementptr %lds[%tid64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %slot2 = llvm.getelementptr %second[%tid64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %old = llvm.mlir.constant(-7 : i32) : i32
  llvm.store %old, %slot : i32, !llvm.ptr<3>
  llvm.store %old, %slot2 : i32, !llvm.ptr<3>
  rocdl.s.barrier
  %stride = llvm.mlir.constant(0 : i16) : i16
  %records = llvm.mlir.constant(160 : i64) : i64
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %r = rocdl.make.buffer.rsrc %p0, %stride, %records, %flags : <1> to <8>
  %at = llvm.mul %tid, %four : i32
  rocdl.raw.ptr.buffer.load.lds %r, %lds, %four, %at, %zero, %zero, %zero
  rocdl.raw.ptr.buffer.load.lds %r, %second, %four, %at, %zero, %zero, %zero
  rocdl.s.waitcnt 3953
  rocdl.s.barrier
  %v = llvm.load %slot : !llvm.ptr<3> -> i32
  %v2 = llvm.load %slot2 : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %to2 = llvm.getelementptr %to[%c64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>
  llvm.store %v2, %to2 : i32, !llvm.ptr<1>)");
  std::vector<int32_t> in(64), out(128), expected(128, -7);
  std::iota(in.begin(), in.end(), 1);
  for (int lane = 0; lane < 64; ++lane)
    expected[lane] = lane < 40 ? lane + 1 : 0;
  SimRun("gfx950", kernel).block(64).buffer(in).buffer(out).run();
  EXPECT_EQ(out, expected);
}

TEST(SimMemoryOps, TransposingReadOf16BitElements) {
  // LDS holds 16-bit numbers 0, 1, 2, ...; lane l points at element 4 * l. A
  // block of 16 lanes is a tile of 4 rows and 16 columns.
  std::string kernel =
      "llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 "
      ": i64} : !llvm.array<256 x i16>\n" +
      kernelText(2, R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %four = llvm.mlir.constant(4 : i64) : i64
  %at = llvm.mul %tid64, %four : i64
  %slot = llvm.getelementptr %lds[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i16
  %from = llvm.getelementptr %p0[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
  %x = llvm.load %from {alignment = 2 : i64} : !llvm.ptr<1> -> vector<4xi16>
  llvm.store %x, %slot {alignment = 8 : i64} : vector<4xi16>, !llvm.ptr<3>
  rocdl.s.barrier
  %v = rocdl.ds.read.tr16.b64 %slot : <3> -> vector<4xi16>
  %to = llvm.getelementptr %p1[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
  llvm.store %v, %to {alignment = 2 : i64} : vector<4xi16>, !llvm.ptr<1>)");
  std::vector<int16_t> in(256), out(256), expected(256);
  std::iota(in.begin(), in.end(), int16_t(0));
  for (int lane = 0; lane < 64; ++lane)
    for (int row = 0; row < 4; ++row)
      expected[4 * lane + row] = int16_t(lane / 16 * 64 + 16 * row + lane % 16);
  SimRun("gfx950", kernel).block(64).buffer(in).buffer(out).run();
  EXPECT_EQ(out, expected);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Applies an intrinsic to floats.
std::vector<float> runF32(const std::string &text, std::vector<float> in) {
  return runLanes<float>("gfx942", R"(
  %at = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %x = llvm.load %at : !llvm.ptr<1> -> f32
)" + text,
                         "f32", std::move(in));
}

TEST(SimArithmetic, Functions) {
  std::vector<float> in = {0.5f, 1.0f, 2.0f, 3.25f, 7.0f};
  auto check = [&](const std::string &text, float (*function)(float)) {
    std::vector<float> out = runF32(text, in);
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_FLOAT_EQ(out[i], function(in[i])) << text << in[i];
  };
  check(call("rcp", "%x", "(f32) -> f32"), [](float x) { return 1 / x; });
  check(call("rsq", "%x", "(f32) -> f32"),
        [](float x) { return 1 / std::sqrt(x); });
  check(call("exp2", "%x", "(f32) -> f32"),
        [](float x) { return std::exp2(x); });
  check(call("log", "%x", "(f32) -> f32"),
        [](float x) { return std::log2(x); });
  check(call("fract", "%x", "(f32) -> f32"),
        [](float x) { return x - std::floor(x); });
  check("%v = llvm.intr.exp(%x) : (f32) -> f32\n",
        [](float x) { return std::exp(x); });
  check("%v = llvm.intr.log(%x) : (f32) -> f32\n",
        [](float x) { return std::log(x); });
}

TEST(SimArithmetic, DeviceLibrary) {
  std::vector<float> in = {-2.0f, -0.1f, 0.0f, 0.7f, 3.0f}, out(64);
  in.resize(64);
  std::string kernel = "llvm.func @__ocml_tanh_f32(f32) -> f32\n"
                       "llvm.func @__ocml_erf_f32(f32) -> f32\n" +
                       kernelText(2, R"(
  %from = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %x = llvm.load %from : !llvm.ptr<1> -> f32
  %t = llvm.call @__ocml_tanh_f32(%x) : (f32) -> f32
  %e = llvm.call @__ocml_erf_f32(%x) : (f32) -> f32
  %v = llvm.fadd %t, %e : f32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %v, %to : f32, !llvm.ptr<1>)");
  for (const char *chip :
       {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    SimRun(chip, kernel).block(64).buffer(in).buffer(out).run();
    for (int i = 0; i < 5; ++i)
      EXPECT_FLOAT_EQ(out[i], std::tanh(in[i]) + std::erf(in[i])) << chip;
  }
}

TEST(SimArithmetic, Median) {
  std::vector<float> in = {-5, 0.25f, 9};
  std::string text = "%lo = llvm.mlir.constant(-1.0 : f32) : f32\n"
                     "%hi = llvm.mlir.constant(6.0 : f32) : f32\n" +
                     call("fmed3", "%x, %lo, %hi", "(f32, f32, f32) -> f32");
  std::vector<float> out = runF32(text, in);
  EXPECT_EQ(out[0], -1.0f);
  EXPECT_EQ(out[1], 0.25f);
  EXPECT_EQ(out[2], 6.0f);
}

TEST(SimArithmetic, RoundingToBf16) {
  // Ties go to even; NaN stays NaN.
  std::vector<float> in = {1.0f,
                           std::bit_cast<float>(0x3f808000u),
                           std::bit_cast<float>(0x3f818000u),
                           std::bit_cast<float>(0x3f808001u),
                           NAN,
                           INFINITY};
  std::vector<float> out = runF32("%n = llvm.fptrunc %x : f32 to bf16\n"
                                  "%v = llvm.fpext %n : bf16 to f32\n",
                                  in);
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[1]), 0x3f800000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[2]), 0x3f820000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[3]), 0x3f810000u);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_TRUE(std::isinf(out[5]));
}

TEST(SimArithmetic, EightBitFloatsThereAndBack) {
  // All 256 codes survive a round trip, except that NaN has several codes.
  for (const char *chip : {"gfx942", "gfx950"})
    for (const char *format : {"fp8", "bf8"}) {
      std::vector<int32_t> in(256);
      std::iota(in.begin(), in.end(), 0);
      std::vector<int32_t> out(256);
      std::string f = format;
      std::string kernel = kernelText(
          2, constants({0, 64}) +
                 R"(
  %group = rocdl.workgroup.id.x : i32
  %base = llvm.mul %group, %c64 : i32
  %index = llvm.add %base, %tid : i32
  %from = llvm.getelementptr %p0[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %code = llvm.load %from : !llvm.ptr<1> -> i32
  %x = llvm.call_intrinsic "llvm.amdgcn.cvt.f32.)" +
                 f + R"("(%code, %c0) : (i32, i32) -> f32
  %v = llvm.call_intrinsic "llvm.amdgcn.cvt.pk.)" +
                 f + R"(.f32"(%x, %x, %c0, %false) : (f32, f32, i32, i1) -> i32
  %to = llvm.getelementptr %p1[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>)");
      SimRun(chip, kernel).block(64).grid(4).buffer(in).buffer(out).run();
      int different = 0;
      for (int code = 0; code < 256; ++code) {
        EXPECT_EQ(out[code] & 0xff, out[code] >> 8 & 0xff);
        different += (out[code] & 0xff) != code;
      }
      // FNUZ has one NaN. OCP: E4M3 keeps both, E5M2 has three of either sign.
      int expected = std::string(chip) == "gfx950" && f == "bf8" ? 4 : 0;
      EXPECT_EQ(different, expected) << chip << " " << format;
    }
}

TEST(SimArithmetic, DotProductsOfBytes) {
  std::string text = constants({10}) +
                     "%a = llvm.mlir.constant(50462976 : i32) : i32\n" // 0..3
                     "%b = llvm.mlir.constant(-1 : i32) : i32\n";
  EXPECT_EQ(runI32("gfx942", text + call("sdot4", "%a, %b, %c10, %false",
                                         "(i32, i32, i32, i1) -> i32")),
            lanes(64, [](int) { return 10 - 6; }));
  EXPECT_EQ(runI32("gfx942", text + call("udot4", "%a, %b, %c10, %false",
                                         "(i32, i32, i32, i1) -> i32")),
            lanes(64, [](int) { return 10 + 6 * 255; }));
}

} // namespace
