//===- PtxReportTest.cpp - reading what ptxas says --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports in the words of ptxas 13.0.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/NVPTX.h"

#include "gtest/gtest.h"

using namespace mlir::conv;

namespace {

constexpr llvm::StringLiteral kReport =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'layer_0' for 'sm_90a'\n"
    "ptxas info    : Function properties for layer_0\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 158 registers, used 1 barriers, 40960 bytes smem\n"
    "ptxas info    : Compile time = 12.000 ms\n"
    "ptxas info    : Compiling entry function 'layer_01' for 'sm_90a'\n"
    "ptxas info    : Function properties for layer_01\n"
    "    64 bytes stack frame, 96 bytes spill stores, 128 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 0 barriers, 64 bytes cumulative "
    "stack size\n"
    "ptxas info    : Compile time = 9.000 ms\n";

TEST(PtxReport, TellsKernelsApart) {
  std::optional<PtxResources> first = parsePtxReport(kReport, "layer_0");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->registers, 158);
  EXPECT_EQ(first->sharedBytes, 40960);
  EXPECT_EQ(first->stackBytes, 0);
  EXPECT_EQ(first->spillBytes, 0);

  std::optional<PtxResources> second = parsePtxReport(kReport, "layer_01");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->registers, 255);
  EXPECT_EQ(second->sharedBytes, 0);
  EXPECT_EQ(second->stackBytes, 64);
  EXPECT_EQ(second->spillBytes, 96);
}

TEST(PtxReport, SaysNothingOfOtherKernels) {
  EXPECT_FALSE(parsePtxReport(kReport, "layer"));
  EXPECT_FALSE(parsePtxReport("", "layer_0"));
}

} // namespace
