//===- NestingTest.cpp - how deep a text nests ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Nesting.h"

#include <gtest/gtest.h>
#include <string>

using namespace conv;

static std::string repeat(const std::string &text, int64_t times) {
  std::string result;
  for (int64_t i = 0; i < times; ++i)
    result += text;
  return result;
}

TEST(Nesting, CountsBracketsOfEveryKind) {
  for (const char *bracket : {"(", "[", "{", "<", "tensor<", "{ "}) {
    EXPECT_FALSE(findDeepNesting(repeat(bracket, kMaxNesting))) << bracket;
    EXPECT_TRUE(findDeepNesting(repeat(bracket, kMaxNesting + 1))) << bracket;
  }
  EXPECT_EQ(findDeepNesting("ab" + repeat("[", 1000)), 2 + kMaxNesting);
}

TEST(Nesting, CountsSigns) {
  EXPECT_TRUE(findDeepNesting(repeat("- ", kMaxNesting + 1)));
  EXPECT_TRUE(findDeepNesting(repeat("(-", kMaxNesting / 2 + 1)));
  EXPECT_FALSE(findDeepNesting(repeat("-1, ", 1000)));
}

TEST(Nesting, WhatIsClosedIsNotNested) {
  EXPECT_FALSE(findDeepNesting(repeat("({[<>]})", 1000)));
  EXPECT_FALSE(findDeepNesting(repeat("(d0) -> (d0 >= 0, d0 <= 4)", 1000)));
  // More was closed than opened; then it nests after all.
  EXPECT_TRUE(findDeepNesting(repeat(")", 1000) + repeat("(", 1000)));
}

TEST(Nesting, StringsAndCommentsDoNotNest) {
  EXPECT_FALSE(findDeepNesting("\"" + repeat("[\\\"", 1000) + "\""));
  EXPECT_FALSE(findDeepNesting("// " + repeat("[", 1000)));
  EXPECT_FALSE(findDeepNesting("\"" + repeat("[", 1000))); // Not closed.
  EXPECT_TRUE(findDeepNesting("// a comment\n" + repeat("[", 1000)));
}
