//===- ChecksTest.cpp - every check finds the mistake it is for -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test plants one error in a kernel and expects the message that names it;
// the same kernel without the error must run.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace conv::runtime;
using namespace conv::test;

namespace {

void expectMessage(const std::optional<std::string> &message,
                   const std::string &part) {
  ASSERT_TRUE(message.has_value()) << "expected: " << part;
  EXPECT_NE(message->find(part), std::string::npos) << *message;
}

/// out[tid] = in[tid + shift]
std::string copyKernel(int shift) {
  return kernelText(2, "%shift = llvm.mlir.constant(" + std::to_string(shift) +
                           R"(: i64) : i64
  %at = llvm.add %tid64, %shift : i64
  %from = llvm.getelementptr %p0[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %to = llvm.getelementptr %p1[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %v = llvm.load %from : !llvm.ptr<1> -> f32
  llvm.store %v, %to : f32, !llvm.ptr<1>)");
}

constexpr char ldsGlobal[] =
    "llvm.mlir.global internal @lds() {addr_space = 3 : i32} : "
    "!llvm.array<256 x i32>\n";

/// Every work-item writes its word of LDS (if `isWritten`), waits (if
/// `hasBarrier`), and reads the word of the item half a workgroup away.
std::string exchangeKernel(bool isWritten, bool hasBarrier) {
  std::string text = R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %mine = llvm.getelementptr %lds[%tid64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %mask = llvm.mlir.constant(64 : i64) : i64
  %other = llvm.xor %tid64, %mask : i64
  %theirs = llvm.getelementptr %lds[%other] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
)";
  if (isWritten)
    text += "llvm.store %tid, %mine : i32, !llvm.ptr<3>\n";
  if (hasBarrier)
    text += "rocdl.s.barrier\n";
  text += R"(
  %v = llvm.load %theirs : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>)";
  return ldsGlobal + kernelText(1, text);
}

TEST(SimChecks, CopyRuns) {
  std::vector<float> in(64), out(64);
  for (int i = 0; i < 64; ++i)
    in[i] = i;
  SimRun("gfx942", copyKernel(0)).block(64).buffer(in).buffer(out).run();
  EXPECT_EQ(in, out);
}

TEST(SimChecks, GlobalAddressBehindABuffer) {
  std::vector<float> in(64), out(64);
  expectMessage(
      SimRun("gfx942", copyKernel(2)).block(64).buffer(in).buffer(out).launch(),
      "kernel 'k', workgroup (0,0,0), work-item (62,0,0): reads 4 bytes at a "
      "global address outside every buffer: it starts 0 bytes after the end "
      "of the nearest buffer, which has 256 bytes");
}

TEST(SimChecks, GlobalAddressBeforeABuffer) {
  std::vector<float> in(64), out(64);
  expectMessage(SimRun("gfx1201", copyKernel(-2))
                    .block(32)
                    .buffer(in)
                    .buffer(out)
                    .launch(),
                "work-item (0,0,0): reads 4 bytes at a global address outside "
                "every buffer: it starts 8 bytes before the start");
}

TEST(SimChecks, ExchangeThroughLdsRuns) {
  std::vector<int32_t> out(128);
  SimRun("gfx942", exchangeKernel(true, true)).block(128).buffer(out).run();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i ^ 64);
}

TEST(SimChecks, LdsThatNobodyWrote) {
  std::vector<int32_t> out(128);
  expectMessage(SimRun("gfx942", exchangeKernel(false, true))
                    .block(128)
                    .buffer(out)
                    .launch(),
                "work-item (0,0,0): reads 4 bytes at byte 256 of LDS, which "
                "nobody has written");
}

TEST(SimChecks, RaceForWantOfABarrier) {
  std::vector<int32_t> out(128);
  // In order, the first wave reads before the second has written.
  expectMessage(SimRun("gfx942", exchangeKernel(true, false))
                    .block(128)
                    .buffer(out)
                    .launch(),
                "reads 4 bytes at byte 256 of LDS, which nobody has written");
}

/// The first wave writes LDS; after a barrier all waves read it; then the first
/// wave writes again, with or without a barrier before that.
std::string reuseKernel(bool hasBarrier) {
  return ldsGlobal + kernelText(1, std::string(R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %sixtyFour = llvm.mlir.constant(64 : i32) : i32
  %mask = llvm.mlir.constant(63 : i64) : i64
  %isFirst = llvm.icmp "ult" %tid, %sixtyFour : i32
  %at = llvm.and %tid64, %mask : i64
  %slot = llvm.getelementptr %lds[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  llvm.cond_br %isFirst, ^write, ^read
^write:
  llvm.store %tid, %slot : i32, !llvm.ptr<3>
  llvm.br ^read
^read:
  rocdl.s.barrier
  %v = llvm.load %slot : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>
  )") + (hasBarrier ? "rocdl.s.barrier\n" : "") +
                                       R"(
  llvm.cond_br %isFirst, ^again, ^end
^again:
  llvm.store %sixtyFour, %slot : i32, !llvm.ptr<3>
  llvm.br ^end
^end:)");
}

TEST(SimChecks, ReuseOfLdsRuns) {
  std::vector<int32_t> out(128);
  SimRun("gfx942", reuseKernel(true)).block(128).buffer(out).run();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i % 64);
}

TEST(SimChecks, RaceOnReuseInOrder) {
  std::vector<int32_t> out(128);
  // The second wave reads what the first has already overwritten.
  expectMessage(
      SimRun("gfx942", reuseKernel(false)).block(128).buffer(out).launch(),
      "work-item (64,0,0): reads 4 bytes at byte 0 of LDS, which "
      "work-item (0,0,0) of another wave writes without a barrier");
}

TEST(SimChecks, RandomOrderShowsTheRaceFromBothSides) {
  std::vector<int32_t> out(128);
  bool writeAfterRead = false, readAfterWrite = false;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    SimOptions options;
    options.waveOrder = WaveOrder::Random;
    options.seed = seed;
    auto message = SimRun("gfx942", reuseKernel(false), options)
                       .block(128)
                       .buffer(out)
                       .launch();
    ASSERT_TRUE(message.has_value()) << "seed " << seed;
    readAfterWrite |= message->find(": reads") != std::string::npos;
    writeAfterRead |= message->find(": writes") != std::string::npos;
  }
  EXPECT_TRUE(writeAfterRead);
  EXPECT_TRUE(readAfterWrite);
}

TEST(SimChecks, RandomOrderIsTheSameForTheSameSeed) {
  std::vector<int32_t> out(128);
  SimOptions options;
  options.waveOrder = WaveOrder::Random;
  options.seed = 7;
  auto run = [&] {
    return SimRun("gfx942", reuseKernel(false), options)
        .block(128)
        .buffer(out)
        .launch();
  };
  EXPECT_EQ(run(), run());
}

/// Lanes of one wave exchange through LDS, with `between` in the middle.
std::string waveExchangeKernel(const std::string &between) {
  return ldsGlobal + kernelText(1, R"(
  %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
  %mine = llvm.getelementptr %lds[%tid64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %mask = llvm.mlir.constant(1 : i64) : i64
  %other = llvm.xor %tid64, %mask : i64
  %theirs = llvm.getelementptr %lds[%other] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  llvm.store %tid, %mine : i32, !llvm.ptr<3>
  )" + between + R"(
  %v = llvm.load %theirs : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>)");
}

TEST(SimChecks, ExchangeWithinAWave) {
  std::vector<int32_t> out(64), expected(64);
  for (int i = 0; i < 64; ++i)
    expected[i] = i ^ 1;
  for (const char *between :
       {"llvm.call_intrinsic \"llvm.amdgcn.wave.barrier\"() : () -> ()",
        "llvm.fence syncscope(\"wavefront\") release", "rocdl.s.barrier"}) {
    SimRun("gfx90a", waveExchangeKernel(between)).block(64).buffer(out).run();
    EXPECT_EQ(out, expected) << between;
  }
  // The simulator does not model the order in which other lanes of a wave see
  // its instructions, so kernels must not rely on one.
  EXPECT_TRUE(
      SimRun("gfx90a", waveExchangeKernel("")).block(64).buffer(out).launch());
}

TEST(SimChecks, LdsBehindTheEnd) {
  std::vector<int32_t> out(512);
  expectMessage(SimRun("gfx942", exchangeKernel(true, true))
                    .block(512)
                    .buffer(out)
                    .launch(),
                "work-item (256,0,0): writes 4 bytes at byte 1024 of LDS, but "
                "the workgroup has 1024 bytes");
}

TEST(SimChecks, MisalignedVector) {
  // Claims 16-byte alignment for an address that is 4-byte aligned.
  std::string kernel = kernelText(2, R"(
  %from = llvm.getelementptr %p0[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  llvm.store %v, %p1 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>)");
  alignas(16) float memory[8] = {};
  std::vector<float> out(4);
  expectMessage(SimRun("gfx942", kernel)
                    .addBuffer(memory, sizeof(memory))
                    .buffer(out)
                    .launch(),
                "reads 16 bytes at a global address, which is not aligned to "
                "16 bytes");
}

/// Half of the work-items below `limit` reach a barrier.
std::string divergentBarrierKernel(int limit) {
  return kernelText(0, "%limit = llvm.mlir.constant(" + std::to_string(limit) +
                           R"( : i32) : i32
  %isBelow = llvm.icmp "ult" %tid, %limit : i32
  llvm.cond_br %isBelow, ^wait, ^end
^wait:
  rocdl.s.barrier
  llvm.br ^end
^end:)");
}

TEST(SimChecks, BarrierThatHalfAWaveReaches) {
  expectMessage(
      SimRun("gfx942", divergentBarrierKernel(32)).block(64).launch(),
      "work-item (32,0,0): divergence at a barrier: has ended while work-item "
      "(0,0,0) waits");
}

TEST(SimChecks, BarrierThatOneWaveReaches) {
  expectMessage(
      SimRun("gfx942", divergentBarrierKernel(64)).block(128).launch(),
      "work-item (0,0,0): divergence at a barrier: waits for work-item "
      "(64,0,0), which has ended");
}

TEST(SimChecks, BarrierThatAllReach) {
  SimRun("gfx942", divergentBarrierKernel(128)).block(128).run();
}

TEST(SimChecks, MatrixInstructionInHalfAWave) {
  std::string kernel = kernelText(1, R"(
  %limit = llvm.mlir.constant(32 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %a = llvm.mlir.constant(dense<1.0> : vector<4xf16>) : vector<4xf16>
  %c = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  %isBelow = llvm.icmp "ult" %tid, %limit : i32
  llvm.cond_br %isBelow, ^half, ^end
^half:
  %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  llvm.store %d, %p0 : vector<4xf32>, !llvm.ptr<1>
  llvm.br ^end
^end:)");
  std::vector<float> out(4);
  expectMessage(SimRun("gfx942", kernel).block(64).buffer(out).launch(),
                "divergence within a wave: mfma.f32.16x16x16f16 needs all 64 "
                "lanes, but 32 take part");
}

TEST(SimChecks, ChecksOffRunsTheFastVariant) {
  std::vector<int32_t> out(128);
  SimOptions options;
  options.checks = false;
  SimRun("gfx942", exchangeKernel(true, true), options)
      .block(128)
      .buffer(out)
      .run();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i ^ 64);
}

TEST(SimChecks, MissingBarrierGivesAWrongResultWithChecksOff) {
  std::vector<int32_t> out(128);
  SimOptions options;
  options.checks = false;
  SimRun run("gfx942", exchangeKernel(true, false), options);
  run.block(128).buffer(out).run();
  // The first wave cannot have seen the second wave's write.
  int wrong = 0;
  for (int i = 0; i < 128; ++i)
    wrong += out[i] != (i ^ 64);
  EXPECT_GE(wrong, 63);
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

TEST(SimInput, UnknownIntrinsicIsNamed) {
  Compiled compiled = compileKernels(kernelText(0, R"(
  llvm.call_intrinsic "llvm.amdgcn.s.ttracedata"(%tid) : (i32) -> ()
  )"),
                                     "gfx942");
  EXPECT_EQ(compiled.object, "");
  EXPECT_NE(compiled.error.find("llvm.amdgcn.s.ttracedata"), std::string::npos)
      << compiled.error;
}

TEST(SimInput, UnknownChip) {
  Compiled compiled = compileKernels(kernelText(0, ""), "gfx1250");
  EXPECT_NE(compiled.error.find(
                "expects a chip that can be simulated, but got gfx1250"),
            std::string::npos)
      << compiled.error;
  auto machine = SimMachine::create("gfx1250", {});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, conv::ErrorKind::Unsupported);
}

TEST(SimInput, ObjectThatIsNone) {
  auto machine = SimMachine::create("gfx942", {});
  ASSERT_TRUE(bool(machine));
  auto object = (*machine)->load("not ELF", 7);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().kind, conv::ErrorKind::BadInput);
}

TEST(SimInput, ObjectForAnotherChip) {
  Compiled compiled = compileKernels(kernelText(0, ""), "gfx90a");
  auto machine = SimMachine::create("gfx942", {});
  auto object =
      (*machine)->load(compiled.object.data(), compiled.object.size());
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().message.find("expects chip gfx942, but got gfx90a"),
            std::string::npos);
}

TEST(SimInput, TooMuchLds) {
  expectMessage(SimRun("gfx942", exchangeKernel(true, true))
                    .dynamicShared(64 * 1024)
                    .launch(),
                "parameters");
  std::vector<int32_t> out(128);
  expectMessage(SimRun("gfx942", exchangeKernel(true, true))
                    .dynamicShared(64 * 1024)
                    .buffer(out)
                    .launch(),
                "expects at most 65536 bytes of LDS, but got 66560");
}

TEST(SimInput, SameInputSameBytes) {
  std::string text = exchangeKernel(true, true);
  Compiled first = compileKernels(text, "gfx1201");
  Compiled second = compileKernels(text, "gfx1201");
  EXPECT_NE(first.object, "");
  EXPECT_EQ(first.object, second.object);
}

/// out[tid] = in[offsets[tid] + 64], where the sum of bytes has `flags`.
std::string bufferKernel(const std::string &flags) {
  return kernelText(3, R"(
  %stride = llvm.mlir.constant(0 : i16) : i16
  %records = llvm.mlir.constant(260 : i64) : i64
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %last = llvm.mlir.constant(256 : i32) : i32
  %r = rocdl.make.buffer.rsrc %p1, %stride, %records, %flags : <1> to <8>
  %from = llvm.getelementptr %p0[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %offset = llvm.load %from : !llvm.ptr<1> -> i32
  %at = llvm.add %offset, %last )" +
                           flags + R"( : i32
  %v = rocdl.raw.ptr.buffer.load %r, %at, %zero, %zero : f32
  %to = llvm.getelementptr %p2[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %v, %to : f32, !llvm.ptr<1>)");
}

// LLVM puts 256 into the instruction if the sum is known not to wrap, and
// leaves -8 in the register of work-item 2.
TEST(SimChecks, BufferOffsetThatWraps) {
  std::vector<int32_t> offsets(64);
  std::vector<float> in(65), out(64);
  auto launch = [&](const std::string &flags) {
    return SimRun("gfx942", bufferKernel(flags))
        .block(64)
        .buffer(offsets)
        .buffer(in)
        .buffer(out)
        .launch();
  };
  EXPECT_EQ(launch("overflow<nuw>"), std::nullopt);
  offsets[2] = -8;
  expectMessage(launch("overflow<nuw>"),
                "work-item (2,0,0): reads 4 bytes of a buffer at offset 248, "
                "which wraps around 32 bits: 4294967288 in the register and "
                "256 in the instruction");
  // If the sum may wrap, the register gets the whole sum.
  in[62] = 5;
  EXPECT_EQ(launch(""), std::nullopt);
  EXPECT_EQ(out[2], 5);
}

} // namespace
