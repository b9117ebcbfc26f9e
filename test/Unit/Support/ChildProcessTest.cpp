//===- ChildProcessTest.cpp - work that may end its process -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/ChildProcess.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace conv;

static constexpr ChildLimits kLimits = {
    .memoryBytes = int64_t(1) << 28, .cpuSeconds = 1, .wallSeconds = 600};

TEST(ChildProcess, ReturnsWhatTheWorkReturns) {
  std::string longText(1 << 20, 'x');
  Result<std::string> result = runInChild([&] { return longText; }, kLimits);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, longText);
}

TEST(ChildProcess, SaysHowTheChildEnded) {
  Result<std::string> crashed = runInChild(
      []() -> std::string {
        std::raise(SIGSEGV);
        return "";
      },
      kLimits);
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(crashed.error().message, "Segmentation fault");
}

TEST(ChildProcess, CrashesWithoutTheHandlersOfThisProcess) {
  auto before = std::signal(SIGSEGV, [](int) { _exit(0); });
  Result<std::string> crashed = runInChild(
      []() -> std::string {
        std::raise(SIGSEGV);
        return "";
      },
      kLimits);
  std::signal(SIGSEGV, before);
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().message, "Segmentation fault");
}

TEST(ChildProcess, AChildThatWaitsForEverEnds) {
  ChildLimits limits = kLimits;
  limits.wallSeconds = 1;
  Result<std::string> waits = runInChild(
      []() -> std::string {
        while (true)
          pause();
      },
      limits);
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().message, "Alarm clock");
}

TEST(ChildProcess, LimitsMemoryAndTime) {
  Result<std::string> large = runInChild(
      []() -> std::string {
        void *volatile memory = std::malloc(size_t(1) << 30);
        return memory ? "memory" : "none";
      },
      kLimits);
  ASSERT_TRUE(large);
  EXPECT_EQ(*large, "none");
  Result<std::string> endless = runInChild(
      []() -> std::string {
        for (volatile int i = 0;; i = i + 1)
          ;
      },
      kLimits);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().message, "CPU time limit exceeded");
}
