//===- NearestTest.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Nearest.h"

#include <gtest/gtest.h>

using namespace conv;

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(computeEditDistance("", ""), 0);
  EXPECT_EQ(computeEditDistance("", "abc"), 3);
  EXPECT_EQ(computeEditDistance("target", "taget"), 1);
  EXPECT_EQ(computeEditDistance("target", "tarrget"), 1);
  EXPECT_EQ(computeEditDistance("target", "terget"), 1);
  EXPECT_EQ(computeEditDistance("target", "tagret"), 1);
  EXPECT_EQ(computeEditDistance("kitten", "sitting"), 3);
}

TEST(Nearest, FindsWhatIsMeant) {
  std::vector<std::string> names = {"target", "threads", "timing", "output"};
  EXPECT_EQ(findNearest("taregt", names), "target");
  EXPECT_EQ(findNearest("thread", names), "threads");
  EXPECT_EQ(findNearest("out", names), "output");
  EXPECT_EQ(findNearest("frobnicate", names), "");
  EXPECT_EQ(findNearest("t", names), "");
  EXPECT_EQ(findNearest("", names), "");
}
