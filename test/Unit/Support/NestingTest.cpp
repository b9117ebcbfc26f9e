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

TEST(Nesting, CountsOperatorsOfAnExpression) {
  for (const char *term : {"d0 + ", "d0 - ", "2 * ", "d0 mod ", "d0 floordiv ",
                           "d0 ceildiv ", "(d0 + 1) * "}) {
    EXPECT_TRUE(findDeepNesting("(" + repeat(term, kMaxNesting) + "1)"))
        << term;
    EXPECT_FALSE(findDeepNesting("(" + repeat(term, 100) + "1)")) << term;
  }
  // Other expressions, other words.
  EXPECT_FALSE(findDeepNesting(repeat("d0 + d1, ", 1000)));
  EXPECT_FALSE(findDeepNesting(repeat("%a = arith.constant -1 : i32\n", 1000)));
  EXPECT_FALSE(findDeepNesting(repeat("mode ", 1000)));
}

TEST(Nesting, AliasesNestLikeWhatTheyStandFor) {
  auto chain = [](const std::string &sigil, const std::string &before,
                  const std::string &after, int64_t length) {
    std::string text = sigil + "a0 = i32\n";
    for (int64_t i = 1; i <= length; ++i)
      text += sigil + "a" + std::to_string(i) + " = " + before + sigil + "a" +
              std::to_string(i - 1) + after + "\n";
    return text;
  };
  EXPECT_TRUE(findDeepNesting(chain("#", "[", "]", kMaxNesting)));
  EXPECT_TRUE(findDeepNesting(chain("#", "[[", "]]", kMaxNesting / 2)));
  EXPECT_TRUE(findDeepNesting(chain("!", "tuple<", ">", kMaxNesting)));
  EXPECT_TRUE(
      findDeepNesting(chain("#", "loc(callsite(#a0 at ", "))", kMaxNesting)));
  EXPECT_FALSE(findDeepNesting(chain("#", "[", "]", 100)));
  // Used often, nested once.
  EXPECT_FALSE(findDeepNesting("#a = [1]\n" + repeat("#b = [#a, #a]\n", 1000)));
}

TEST(Nesting, WhatIsClosedIsNotNested) {
  EXPECT_FALSE(findDeepNesting(repeat("({[<>]})", 1000)));
  EXPECT_FALSE(findDeepNesting(repeat("(d0) -> (d0 >= 0, d0 <= 4)", 1000)));
  // More brackets close than open; then the text does nest.
  EXPECT_TRUE(findDeepNesting(repeat(")", 1000) + repeat("(", 1000)));
}

TEST(Nesting, StringsAndCommentsDoNotNest) {
  EXPECT_FALSE(findDeepNesting("\"" + repeat("[\\\"", 1000) + "\""));
  EXPECT_FALSE(findDeepNesting("// " + repeat("[", 1000)));
  EXPECT_FALSE(findDeepNesting("\"" + repeat("[", 1000))); // Not closed.
  EXPECT_TRUE(findDeepNesting("// a comment\n" + repeat("[", 1000)));
}
