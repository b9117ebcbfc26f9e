//===- ForwardTests.cpp - every shape and type ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists `forward_edge` and `traps` in three types, and shapes that lists
// leave out: padding that differs low and high, a single pixel, a single
// channel, windows that only see padding, f32 results of 16-bit operands. Each
// shape runs on every chip, in one of its types.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

static void addShape(const std::string &suite, GenOptions options) {
  for (const char *command : kCommands) {
    options.type = *lookupDriverCommand(command);
    addTest(suite, describe(options) + "_" + command,
            [options, targets = takeTurn(kChipsOfType)] {
              checkEverywhere(generateText(options), targets);
            });
  }
}

/// Two spatial dimensions, outer then inner.
static PerDimension spatial(int64_t outer, int64_t inner) {
  return {1, outer, inner};
}

static std::vector<GenOptions> makeCorners() {
  GenOptions base;
  base.n = 1;
  base.c = 8;
  base.k = 8;
  base.input = spatial(6, 7);
  base.filter = spatial(3, 3);
  base.low = base.high = spatial(1, 1);

  std::vector<GenOptions> corners(8, base);
  // Padding after the input only, and only in one dimension.
  corners[0].low = spatial(0, 0);
  corners[0].high = spatial(2, 0);
  // One pixel, one channel, one tap.
  corners[1].c = corners[1].k = 1;
  corners[1].input = corners[1].filter = spatial(1, 1);
  corners[1].low = corners[1].high = spatial(0, 0);
  // Padding as large as the filter: whole windows see only zeros.
  corners[2].low = corners[2].high = spatial(3, 3);
  // Stride larger than the filter, dilation, odd sizes.
  corners[3].input = spatial(13, 11);
  corners[3].stride = spatial(4, 3);
  corners[3].dilation = spatial(2, 1);
  // Channels just beyond tiles and beyond 16-byte vectors.
  corners[4].c = 33;
  corners[4].k = 65;
  corners[5].c = 2;
  corners[5].k = 130;
  // Long and thin, in both directions.
  corners[6].input = spatial(1, 67);
  corners[6].filter = spatial(1, 5);
  corners[6].low = corners[6].high = spatial(0, 2);
  corners[7].input = spatial(41, 1);
  corners[7].filter = spatial(7, 1);
  corners[7].low = corners[7].high = spatial(3, 0);
  return corners;
}

void test::addForwardTests() {
  for (const std::string list : {"forward_edge", "traps"})
    for (const GenOptions &shape : readShapes(kTestShapes, list))
      addShape("Forward_" + list, shape);
  for (const GenOptions &shape : makeCorners())
    addShape("Forward_corners", shape);
  for (std::string command : {"convfp16", "convbfp16"}) {
    GenOptions wide = makeCorners()[4];
    wide.type = *lookupDriverCommand(command);
    wide.outputType = ElementType::F32;
    addTest("Forward_f32_result", command,
            [wide] { checkEverywhere(generateText(wide)); });
  }
}
