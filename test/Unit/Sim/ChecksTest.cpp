//===- ChecksTest.cpp - every check finds the mistake it is for -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test plants one mistake in a kernel and expects the message that names it;
// beside it is the same kernel without the mistake, which must run.
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
      "global address outside every buffer: it starts 0 bytes behind the end "
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

} // namespace
