//===- SplitTests.cpp - reductions in parts -------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts that do not divide the reduction, and parts of several of its digits,
// in all directions; of gradients of inputs, those of each dgrad phase, of
// joined ones, and of a padded input that is folded after them. The epilogue
// sees the sum.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct Tile {
  std::string targets;
  std::string text;
};
} // namespace

static const Tile kTiles[] = {
    {"sim:gfx942", "workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, "
                   "stages = 2, atom = <mfma 32 x 32 x 8>"},
    {"sim:gfx1201", "workgroup = [32, 64], subgroup = [16, 32], gemm_k = 32, "
                    "stages = 1, atom = <wmma 16 x 16 x 16>"},
};

static void add(const std::string &name, const GenOptions &options,
                int64_t splits) {
  addTest("Split", name, [options, splits] {
    for (const Tile &tile : kTiles) {
      std::string text = generateText(options);
      std::string schedule =
          "schedule = <kernel = #conv.staged_gemm<" + tile.text +
          ", main_loop = register_staged, raster = columns>, splits = " +
          std::to_string(splits) + "> ";
      text.insert(text.find(" : tensor", text.find("layouts = ")) + 1,
                  schedule);
      checkEverywhere(text, {tile.targets});
    }
  });
}

static GenOptions getBase(int64_t direction) {
  GenOptions options;
  options.type = ElementType::F16;
  options.direction = ConvolutionDirection(direction);
  options.n = 2, options.c = 24, options.k = 40;
  options.input = {1, 7, 9};
  options.low = options.high = {0, 1, 1};
  return options;
}

void test::addSplitTests() {
  for (auto [direction, flag] : {std::pair("forward", 1),
                                 {"backward_data", 2},
                                 {"backward_weight", 4}}) {
    std::string name = direction;
    add("plain_" + name, getBase(flag), 3);
    GenOptions grouped = getBase(flag);
    grouped.groups = 2;
    add("groups_" + name, grouped, 4);
    GenOptions first = getBase(flag);
    first.inputLayout = first.filterLayout = first.outputLayout = "NCHW";
    add("channels_first_" + name, first, 3);
    // Slices of images and lines, or of both dimensions of the filter.
    GenOptions several = getBase(flag);
    several.n = 4;
    several.input = {1, 6, 9};
    add("several_digits_" + name, several, flag == 4 ? 8 : 9);
  }
  // Sums of more parts than fit into registers: a loop, and the rest of one.
  GenOptions many = getBase(4);
  many.input = {1, 3, 330};
  add("many_backward_weight", many, 163);
  GenOptions manyFused = getBase(1);
  manyFused.input = {1, 3, 3};
  manyFused.c = 340;
  manyFused.bias = manyFused.residual = true;
  manyFused.activation = "relu";
  add("many_fused_forward", manyFused, 170);
  GenOptions fused = getBase(2);
  fused.bias = fused.residual = true;
  fused.activation = "relu";
  add("fused_backward_data", fused, 5);
  GenOptions phases = getBase(2);
  phases.stride = {1, 2, 2};
  add("phases", phases, 3);
  phases.dilation = {1, 2, 1};
  add("phases_without_elements", phases, 5);
  phases.bias = true;
  add("phases_fused", phases, 2);
  GenOptions joined = getBase(2);
  joined.filter = joined.stride = {1, 4, 4};
  add("joined_phases", joined, 3);
  joined.filter = {1, 5, 3};
  add("joined_phases_that_differ", joined, 7);
  for (const char *padding : {"reflect", "replicate", "circular"}) {
    GenOptions folded = getBase(2);
    folded.padding = padding;
    add(std::string("folded_") + padding, folded, 3);
    folded.stride = {1, 2, 1};
    add(std::string("folded_phases_") + padding, folded, 3);
  }
  GenOptions volume = getBase(2);
  volume.spatialRank = 3;
  volume.input = {5, 4, 3}, volume.filter = {3, 2, 3};
  volume.stride = {2, 1, 2}, volume.low = {1, 0, 1};
  add("phases_of_volumes", volume, 3);
}
