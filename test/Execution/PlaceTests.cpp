//===- PlaceTests.cpp - loads that keep their places in runs --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.placed_load` in the main loops of AMD chips: channels that make one
// step or five, so that places are new in each step, in some, or never,
// and channels that fill no step, where nothing is kept. Windows of at most 32
// taps, whose borders are bits of a mask, and of more.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct Tile {
  std::string name, text;
  std::vector<std::string> targets;
  bool isTriedOnForms;
};
} // namespace

static const std::vector<std::string> kWmma = {"sim:gfx1100", "sim:gfx1201"};
static const std::vector<std::string> kMfma = {"sim:gfx90a", "sim:gfx942"};

/// Schedules between the algorithm and the main loop, in steps of 32.
static const Tile kTiles[] = {
    {"wmma_one_stage",
     "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1, "
     "atom = <wmma 16 x 16 x 16>",
     kWmma, true},
    {"wmma_two_stages",
     "workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2, "
     "atom = <wmma 16 x 16 x 16>",
     kWmma, false},
    {"mfma_one_stage",
     "workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 1, "
     "atom = <mfma 32 x 32 x 8>",
     kMfma, false},
    {"mfma_two_stages",
     "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, "
     "atom = <mfma 16 x 16 x 16>",
     kMfma, true},
};

static const std::pair<std::string, int64_t> kDirections[] = {
    {"forward", 1}, {"backward_data", 2}, {"backward_weight", 4}};

/// Positions that fill no tile: 2 x 7 x 9 of them, padded on one side or both.
static GenOptions getBase(const char *command, int64_t direction,
                          int64_t channels) {
  GenOptions options;
  options.type = *lookupDriverCommand(command);
  options.direction = ConvolutionDirection(direction);
  options.n = 2, options.c = options.k = channels;
  options.input = {1, 7, 9};
  options.low = {0, 1, 1};
  return options;
}

static void add(const std::string &name, const GenOptions &options,
                const Tile &tile) {
  addTest("Place", tile.name + "_" + name, [options, tile] {
    std::string text = generateText(options);
    std::string schedule = "schedule = <kernel = #conv.staged_gemm<" +
                           tile.text +
                           ", main_loop = register_staged, raster = columns>> ";
    size_t types = text.find(" : tensor", text.find("layouts = "));
    if (types != std::string::npos)
      text.insert(types + 1, schedule);
    checkEverywhere(text, tile.targets);
  });
}

/// Positions of which some are outside: their borders meet vectors of the
/// reduction in weight gradients, whose image has 8, 16 or 24 of them in a row.
static void addForms(const std::string &direction, int64_t flag,
                     const Tile &tile) {
  GenOptions strided = getBase("convbfp16", flag, 64);
  strided.input = {1, 11, 16};
  strided.stride = {1, 2, 2};
  strided.high = {0, 2, 1};
  add("strided_" + direction, strided, tile);
  GenOptions dilated = getBase("convfp16", flag, 64);
  dilated.input = {1, 5, 24};
  dilated.dilation = {1, 2, 3};
  dilated.low = {0, 2, 3};
  add("dilated_" + direction, dilated, tile);
  GenOptions wide = getBase("convfp16", flag, 32);
  wide.input = {1, 3, 8};
  wide.filter = {1, 5, 7};
  wide.low = {0, 4, 5}, wide.high = {0, 1, 3};
  add("wide_border_" + direction, wide, tile);
  GenOptions masked = wide; // Its last tap has the last bit of a mask.
  masked.input = {1, 5, 9};
  masked.filter = {1, 4, 8};
  add("whole_mask_" + direction, masked, tile);
  GenOptions spatial = getBase("convbfp16", flag, 32);
  spatial.n = 3;
  spatial.spatialRank = 3;
  spatial.input = {3, 5, 7};
  spatial.filter = {3, 3, 3};
  spatial.low = {1, 2, 0}, spatial.high = {1, 0, 1};
  add("three_dimensions_" + direction, spatial, tile);
  GenOptions grouped = getBase("convfp16", flag, 128);
  grouped.groups = 2;
  add("groups_" + direction, grouped, tile);
  GenOptions reflected = getBase("convfp16", flag, 64);
  reflected.padding = "reflect";
  add("reflected_" + direction, reflected, tile);
  GenOptions pointwise = getBase("convbfp16", flag, 160);
  pointwise.filter = {1, 1, 1}, pointwise.low = {0, 0, 0};
  add("pointwise_" + direction, pointwise, tile);
}

void test::addPlaceTests() {
  for (const Tile &tile : kTiles)
    for (const auto &[direction, flag] : kDirections) {
      for (int64_t channels : {32, 72, 160})
        add(std::to_string(channels) + "_channels_" + direction,
            getBase("convfp16", flag, channels), tile);
      if (tile.isTriedOnForms)
        addForms(direction, flag, tile);
    }
  // Bytes have twice as many elements in a vector, f32 half as many.
  GenOptions bytes = getBase("convint8", 1, 64);
  add("i8", bytes, kTiles[1]);
  GenOptions exact = getBase("conv", 1, 32);
  exact.exact = true;
  Tile lanes = {"fma",
                "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, "
                "stages = 2, atom = <fma 16 x 32 x 4>",
                kWmma, false};
  add("f32", exact, lanes);
}
