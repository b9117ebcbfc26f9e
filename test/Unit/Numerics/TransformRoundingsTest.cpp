//===- TransformRoundingsTest.cpp - roundings of transforms ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Numerics/TransformRoundings.h"

#include "gtest/gtest.h"

using namespace conv;

// The rows of F(2x2,3x3) and F(4x4,3x3), in exact arithmetic and in f32.
TEST(TransformRoundingsTest, CountsRowsOfWinograd) {
  EXPECT_EQ(countTransformRoundings({1, 0, 0}), 0);
  EXPECT_EQ(countTransformRoundings({0.5, -0.5, 0.5}), 2);
  EXPECT_EQ(countTransformRoundings({0, -4, -4, 1, 1, 0}), 3);
  EXPECT_EQ(countTransformRoundings({4, 0, -5, 0, 1, 0}), 2);
  EXPECT_EQ(countTransformRoundings({0, -5, 0, 1}), 2);
  EXPECT_EQ(countTransformOperations({0.25, 0, 0}), 1);
  for (double sixth : {1.0 / 6, double(1.0f / 6)})
    EXPECT_EQ(countTransformRoundings({-sixth, -sixth, -sixth}), 4);
  for (double part : {1.0 / 24, double(1.0f / 24)}) {
    EXPECT_EQ(countTransformRoundings({part, 2 * part, 4 * part}), 4);
    EXPECT_EQ(countTransformOperations({part, 2 * part, 4 * part}), 4);
  }
  EXPECT_EQ(countTransformRoundings({0, 0}), 0);
}
