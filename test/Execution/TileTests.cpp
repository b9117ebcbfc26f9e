//===- TileTests.cpp - tiles of three or five atoms along a side ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subgroups of 96, 80 or 48 rows and columns: sizes that are no powers of two,
// on positions and channels that fill no tile. Steps of one round are in pairs,
// as those with two tiles in flight are: loops that end with either of a pair.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct TileCase {
  std::string name;
  std::vector<std::string> targets;
  /// The schedule, between the algorithm and the main loop.
  std::string tile;
};
} // namespace

static const TileCase kTiles[] = {
    {"mfma_192x192",
     {"sim:gfx90a", "sim:gfx942"},
     "workgroup = [192, 192], subgroup = [96, 96], gemm_k = 32, stages = 2, "
     "atom = <mfma 32 x 32 x 8>"},
    {"mfma_96x192_one_stage",
     {"sim:gfx90a", "sim:gfx942"},
     "workgroup = [96, 192], subgroup = [96, 64], gemm_k = 64, stages = 1, "
     "atom = <mfma 32 x 32 x 8>"},
    {"mfma_192x96_gfx950",
     {"sim:gfx950"},
     "workgroup = [192, 96], subgroup = [96, 32], gemm_k = 64, stages = 2, "
     "atom = <mfma 32 x 32 x 16>"},
    {"wmma_96x96",
     {"sim:gfx1100", "sim:gfx1201"},
     "workgroup = [96, 96], subgroup = [48, 48], gemm_k = 32, stages = 2, "
     "atom = <wmma 16 x 16 x 16>"},
    {"wmma_192x64",
     {"sim:gfx1100", "sim:gfx1201"},
     "workgroup = [192, 64], subgroup = [48, 64], gemm_k = 32, stages = 1, "
     "atom = <wmma 16 x 16 x 16>"},
    {"mfma_80x64_one_round",
     {"sim:gfx90a", "sim:gfx942"},
     "workgroup = [80, 64], subgroup = [80, 64], gemm_k = 32, stages = 1, "
     "atom = <mfma 16 x 16 x 16>"},
    {"mfma_64x64_one_round_two_stages",
     {"sim:gfx90a", "sim:gfx942"},
     "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, "
     "atom = <mfma 16 x 16 x 16>"},
    {"mfma_160x64_gfx950",
     {"sim:gfx950"},
     "workgroup = [160, 64], subgroup = [80, 32], gemm_k = 64, stages = 1, "
     "atom = <mfma 16 x 16 x 32>"},
    {"wmma_80x64",
     {"sim:gfx1100", "sim:gfx1201"},
     "workgroup = [80, 64], subgroup = [80, 32], gemm_k = 32, stages = 1, "
     "atom = <wmma 16 x 16 x 16>"},
};

/// Loops of 5 to 9 steps of 64 or 32: two tiles are in flight from 6 on.
static void addTilesInFlight() {
  for (const auto &[name, flag, channels] : {std::tuple("forward", 1, 33),
                                             {"forward", 1, 40},
                                             {"forward", 1, 47},
                                             {"forward", 1, 56},
                                             {"forward", 1, 64},
                                             {"backward_data", 2, 33},
                                             {"backward_data", 2, 41},
                                             {"backward_weight", 4, 33},
                                             {"backward_weight", 4, 40}})
    for (const auto &[gemmK, command, atom, target] :
         {std::tuple(64, "convfp16", "mfma 16 x 16 x 16", "sim:gfx942"),
          {32, "convbfp16", "mfma 16 x 16 x 16", "sim:gfx90a"},
          {64, "convfp16", "mfma 16 x 16 x 32", "sim:gfx950"},
          {64, "convint8", "mfma 16 x 16 x 32", "sim:gfx942"},
          {32, "conv", "mfma 16 x 16 x 4", "sim:gfx90a"},
          {64, "convfp16", "wmma 16 x 16 x 16", "sim:gfx1201"},
          {32, "convbfp16", "wmma 16 x 16 x 16", "sim:gfx1100"}}) {
      bool isForward = flag == 1;
      if (command == std::string("convint8") && !isForward)
        continue;
      GenOptions options;
      options.type = *lookupDriverCommand(command);
      options.exact = command == std::string("conv");
      options.direction = ConvolutionDirection(flag);
      options.n = 3, options.c = options.k = channels;
      options.input = {1, 13, 11};
      options.low = {0, 1, 1};
      std::string text = generateText(options);
      std::string schedule =
          "schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], "
          "subgroup = [32, 32], gemm_k = " +
          std::to_string(gemmK) + ", stages = 2, atom = <" + atom +
          ">, main_loop = register_staged, raster = columns>> ";
      text.insert(text.find(" : tensor", text.find("layouts = ")) + 1,
                  schedule);
      addTest("Tile",
              std::string("in_flight_") + command + "_" + target + "_" +
                  std::to_string(channels) + "_channels_" + name,
              [text, targets = std::vector<std::string>{target}] {
                checkEverywhere(text, targets);
              });
    }
}

/// A 3x3 window over 2 x 11 x 13 positions: 72 channels, and 200 of the result.
static const std::string kForward = R"(
func.func @f(%x: tensor<2x11x13x72xf16>, %w: tensor<200x3x3x72xf16>) -> tensor<2x11x13x200xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x11x13x72xf16>, tensor<200x3x3x72xf16> -> tensor<2x11x13x200xf32>
  return %y : tensor<2x11x13x200xf32>
}
)";

static const std::string kBackwardData = R"(
func.func @f(%dy: tensor<2x11x13x72xf16>, %w: tensor<72x3x3x200xf16>) -> tensor<2x11x13x200xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x11x13x72xf16>, tensor<72x3x3x200xf16> -> tensor<2x11x13x200xf32>
  return %dx : tensor<2x11x13x200xf32>
}
)";

void test::addTileTests() {
  for (const TileCase &tile : kTiles)
    for (const auto &[direction, function] :
         {std::pair("forward", kForward), {"backward_data", kBackwardData}}) {
      std::string text = function;
      std::string schedule = "<kernel = #conv.staged_gemm<" + tile.tile +
                             ", main_loop = register_staged, raster = rows>>";
      text.replace(text.find("$schedule"), 9, schedule);
      addTest(
          "Tile", tile.name + "_" + direction,
          [text, targets = tile.targets] { checkEverywhere(text, targets); });
    }
  addTilesInFlight();
}
