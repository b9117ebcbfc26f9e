//===- TileTests.cpp - tiles of three or five atoms along a side ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subgroups of 96, 80 or 48 rows and columns: sizes that are no powers of two,
// on positions and channels that fill no tile. Steps of one round are in pairs.
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
}
