//===- DriverGrammarTest.cpp - MIOpenDriver's words for problems ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/DriverGrammar.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

TEST(DriverGrammar, CommandsNameTypes) {
  using enum ElementType;
  for (ElementType type : {F32, F16, BF16, I8, F8E4M3FN, F8E5M2})
    EXPECT_EQ(lookupDriverCommand(getDriverCommand(type)), type)
        << elementTypeName(type);
  EXPECT_EQ(getDriverCommand(BF16), "convbfp16");
  EXPECT_EQ(lookupDriverCommand("convfp64"), std::nullopt);
}

// Both kinds of an 8-bit float have one command, which means the usual one.
TEST(DriverGrammar, KindsOfFloatsShareACommand) {
  EXPECT_EQ(getDriverCommand(ElementType::F8E5M2FNUZ), "convbfp8");
  EXPECT_EQ(lookupDriverCommand("convbfp8"), ElementType::F8E5M2);
  EXPECT_EQ(getDriverCommand(ElementType::I32), "");
}

TEST(DriverGrammar, DirectionsHaveNamesAndNumbers) {
  int all = 0;
  for (ConvolutionDirection direction : kConvolutionDirections) {
    EXPECT_EQ(lookupDirection(getName(direction)), direction);
    all += int(direction);
  }
  EXPECT_EQ(all, 7);
  EXPECT_EQ(getName(ConvolutionDirection::BackwardWeight), "backward_weight");
  EXPECT_EQ(lookupDirection("weight"), std::nullopt);
}

} // namespace
