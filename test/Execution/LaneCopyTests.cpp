//===- LaneCopyTests.cpp - tiles that arrive without registers ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `async_staged` on gfx950. The simulator lets copies arrive as late as waits
// allow, so that a count that is too high shows as a wrong result.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct Named {
  std::string name, text;
};
} // namespace

/// Schedules between the algorithm and the main loop: two to four stages, one
/// round in a step and more, rows that fill all banks, or not.
static const Named kTiles[] = {
    {"two_stages", "workgroup = [128, 128], subgroup = [64, 64], gemm_k = 64, "
                   "stages = 2, atom = <mfma 32 x 32 x 16>"},
    {"three_stages", "workgroup = [64, 192], subgroup = [64, 96], "
                     "gemm_k = 32, stages = 3, atom = <mfma 32 x 32 x 16>"},
    {"four_stages", "workgroup = [64, 32], subgroup = [32, 32], "
                    "gemm_k = 128, stages = 4, atom = <mfma 32 x 32 x 16>"},
    {"small_atoms", "workgroup = [64, 128], subgroup = [32, 64], "
                    "gemm_k = 32, stages = 3, atom = <mfma 16 x 16 x 32>"},
    {"one_round", "workgroup = [128, 128], subgroup = [64, 64], "
                  "gemm_k = 16, stages = 3, atom = <mfma 32 x 32 x 16>"},
};

/// Positions that fill no tile: 2 x 7 x 9 of them, padded on one side or both.
static GenOptions getBase(const char *command, int64_t direction) {
  GenOptions options;
  options.type = *lookupDriverCommand(command);
  options.direction = ConvolutionDirection(direction);
  options.n = 2, options.c = 72, options.k = 136;
  options.input = {1, 7, 9};
  options.low = {0, 1, 1};
  return options;
}

static void add(const std::string &name, const GenOptions &options,
                const std::string &tile) {
  addTest("LaneCopy", name, [options, tile] {
    std::string text = generateText(options);
    std::string schedule = "schedule = <kernel = #conv.staged_gemm<" + tile +
                           ", main_loop = async_staged, raster = columns>> ";
    size_t types = text.find(" : tensor", text.find("layouts = "));
    if (types != std::string::npos)
      text.insert(types + 1, schedule);
    checkEverywhere(text, {"sim:gfx950"});
  });
}

static const std::pair<std::string, int64_t> kDirections[] = {
    {"forward", 1}, {"backward_data", 2}, {"backward_weight", 4}};

/// Strides, dilations, groups and a layout, in all directions.
static void addForms() {
  const std::string &tile = kTiles[0].text;
  for (const auto &[direction, flag] : kDirections) {
    GenOptions strided = getBase("convbfp16", flag);
    strided.input = {1, 11, 14};
    strided.stride = {1, 2, 1};
    strided.high = {0, 2, 0};
    add("strided_" + direction, strided, tile);
    GenOptions dilated = getBase("convfp16", flag);
    dilated.dilation = {1, 1, 3};
    dilated.low = {0, 2, 3};
    add("dilated_" + direction, dilated, kTiles[1].text);
    GenOptions grouped = getBase("convfp16", flag);
    grouped.groups = 2, grouped.c = 80, grouped.k = 48;
    add("groups_" + direction, grouped, kTiles[3].text);
    // Positions follow each other in memory: left tiles are along their rows.
    GenOptions first = getBase("convbfp16", flag);
    first.filter = {1, 1, 1}, first.low = {0, 0, 0};
    first.input = {1, 6, 12};
    first.inputLayout = first.filterLayout = first.outputLayout = "NCHW";
    add("channels_first_" + direction, first, tile);
    GenOptions single = getBase("convfp16", flag);
    single.n = 1, single.input = {1, 3, 3}, single.low = {0, 0, 0};
    add("one_position_" + direction, single, kTiles[2].text);
  }
}

void test::addLaneCopyTests() {
  for (const auto &[direction, flag] : kDirections)
    for (const Named &tile : kTiles) {
      add(tile.name + "_f16_" + direction, getBase("convfp16", flag),
          tile.text);
      add(tile.name + "_bf16_" + direction, getBase("convbfp16", flag),
          tile.text);
    }
  addForms();
  // Wider elements and bytes only along the reduction.
  GenOptions wide = getBase("conv", 1);
  wide.exact = true;
  add("f32", wide,
      "workgroup = [128, 64], subgroup = [64, 32], gemm_k = 16, stages = 3, "
      "atom = <mfma 32 x 32 x 2>");
  GenOptions bytes = getBase("convint8", 1);
  bytes.c = 80;
  add("i8", bytes,
      "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 3, "
      "atom = <mfma 32 x 32 x 32>");
  GenOptions fused = getBase("convfp16", 1);
  fused.bias = fused.residual = true;
  fused.activation = "relu";
  add("fused", fused, kTiles[1].text);
}
