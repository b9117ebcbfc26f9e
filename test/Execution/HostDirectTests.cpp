//===- HostDirectTests.cpp - direct kernels of the host ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise layers and small groups: lines of which a register tile has
// several, register tiles of channels, and tiles of direct_reduction; at sizes
// that no vector divides.
//
//===----------------------------------------------------------------------===//

#include "HostTests.h"

using namespace conv;
using namespace conv::test;

/// Depthwise lines, of which a register tile has several: lines of less than a
/// vector, of more than those of a register tile, and an odd number of lines;
/// windows that move by two, dilated ones, and planes of lines.
static void addLines() {
  auto add = [](const std::string &name, GenOptions options) {
    for (int64_t direction : {1, 2}) {
      options.direction = ConvolutionDirection(direction);
      addTypes("lines_" + name + "_F" + std::to_string(direction), options);
    }
  };
  add("short", makeLayer(3, 3, 14, 13, 7, 1, "NCHW"));
  add("long", makeLayer(2, 2, 12, 45, 3, 1, "NCHW"));
  add("odd", makeLayer(3, 3, 7, 7, 5, 1, "NCHW"));
  add("stride_2", makeLayer(3, 3, 24, 37, 5, 2, "NCHW"));
  GenOptions layer = makeLayer(2, 2, 16, 56, 3, 1, "NCHW");
  layer.dilation = {1, 2, 1};
  add("dilated", layer);
  layer = makeLayer(2, 2, 8, 35, 3, 1, "NCHW");
  layer.bias = true;
  layer.activation = "relu";
  layer.inputLayout = layer.filterLayout = layer.outputLayout = "NCDHW";
  layer.spatialRank = 3;
  layer.input[0] = 5;
  layer.filter[0] = 3;
  layer.low[0] = 1;
  add("planes", layer);
}

namespace {
/// A tile of `direct_reduction`: matrices of a register tile and of the whole
/// tile, and indices of the reduction that are copied at a time.
struct ReductionTile {
  int64_t run, matrices, part, splits;
};
} // namespace

static std::string scheduleReduction(const std::string &text,
                                     const GenOptions &options,
                                     const ReductionTile &tile) {
  auto pair = [](int64_t first, int64_t second) {
    return "[" + std::to_string(first) + ", " + std::to_string(second) + "]";
  };
  std::string schedule = "kernel = #conv.direct<workgroup = " +
                         pair(options.k / options.groups, tile.matrices) +
                         ", subgroup = " + pair(tile.part, tile.matrices) +
                         ", gemm_k = " + std::to_string(tile.part) +
                         ", stages = 1, atom = <fma " +
                         std::to_string(tile.run) +
                         " x 1 x 1>, main_loop = direct_reduction, raster = " +
                         (options.inputLayout == "NHWC" ? "columns" : "rows") +
                         ">, splits = " + std::to_string(tile.splits);
  return insertSchedule(text, options, schedule);
}

/// Filter gradients of depthwise layers and of small groups with each kind of
/// tile, which the cost model would not choose for layers of this size.
static void addReductions() {
  auto add = [](const std::string &name, GenOptions options,
                const std::vector<ReductionTile> &tiles) {
    options.direction = ConvolutionDirection::BackwardWeight;
    for (const char *command : kCommands)
      for (const ReductionTile &tile : tiles) {
        options.type = *lookupDriverCommand(command);
        std::string of =
            std::to_string(tile.run) + "_" + std::to_string(tile.matrices) +
            "_" + std::to_string(tile.part) + "_" + std::to_string(tile.splits);
        addTest("Host", "reduction_" + name + "_" + of + "_" + command,
                [options, tile] {
                  checkEverywhere(
                      scheduleReduction(generateText(options), options, tile),
                      listLevels());
                });
      }
  };
  add("channels_last", makeLayer(13, 13, 5, 7, 3, 1, "NHWC"),
      {{8, 8, 70, 1}, {8, 16, 7, 1}, {16, 16, 35, 1}, {32, 32, 7, 2}});
  add("channels_first", makeLayer(13, 13, 5, 7, 3, 1, "NCHW"),
      {{1, 1, 70, 1}, {1, 4, 7, 1}, {1, 13, 14, 5}, {1, 13, 5, 7}});
  GenOptions strided = makeLayer(11, 11, 9, 17, 5, 2, "NHWC");
  strided.k = 22;
  add("multiplier_2", strided, {{8, 16, 9, 1}, {32, 32, 45, 2}});
  // More taps than registers: whole register tiles, with a rest and without.
  GenOptions wide = makeLayer(3, 3, 1, 700, 1, 1, "NHWC");
  wide.n = 1;
  wide.filter[2] = 600;
  add("600_taps", wide, {{8, 8, 101, 1}, {16, 16, 34, 3}});
  wide.inputLayout = wide.filterLayout = wide.outputLayout = "NCHW";
  wide.filter[2] = 601;
  add("601_taps", wide, {{1, 3, 100, 1}});
  // Rows of 1, 3, 4 and 7 share their input. The ends of lines are half a
  // vector, and another part of it.
  add("groups_of_3", makeLayer(9, 3, 6, 24, 3, 1, "NCHW"),
      {{1, 1, 24, 1}, {1, 3, 144, 2}});
  add("groups_of_7", makeLayer(28, 4, 5, 13, 5, 2, "NCHW"), {{1, 2, 7, 1}});
  GenOptions uneven = makeLayer(10, 2, 7, 19, 3, 1, "NCHW");
  uneven.k = 8;
  add("groups_of_5_to_4", uneven, {{1, 1, 19, 1}, {1, 2, 133, 1}});
}

/// Depthwise layers whose register tiles are stored from registers, or are no
/// whole vectors of results; with lines that are one run of all channels, parts
/// of the channels, and tiles of which the last one has less.
static void addDepthwise() {
  struct Tile {
    int64_t pixels, channels, run, across;
  };
  auto add = [](const std::string &name, GenOptions options,
                const std::vector<Tile> &tiles) {
    for (int64_t direction : {1, 2})
      for (const char *command : kCommands)
        for (const Tile &tile : tiles) {
          options.direction = ConvolutionDirection(direction);
          options.type = *lookupDriverCommand(command);
          options.bias = direction == 1;
          std::string size = std::to_string(tile.pixels) + ", " +
                             std::to_string(tile.channels) + "]";
          std::string schedule =
              "kernel = #conv.direct<workgroup = [" + size + ", subgroup = [" +
              size + ", gemm_k = " +
              std::to_string(options.filter[1] * options.filter[2]) +
              ", stages = 1, atom = <fma " + std::to_string(tile.run) + " x " +
              std::to_string(tile.across) +
              " x 1>, main_loop = direct, raster = columns>";
          addTest("Host",
                  "depthwise_" + name + "_" + std::to_string(tile.pixels) +
                      "_" + std::to_string(tile.channels) + "_" +
                      std::to_string(tile.run) + "_" +
                      std::to_string(direction) + "_" + command,
                  [options, schedule] {
                    checkEverywhere(insertSchedule(generateText(options),
                                                   options, schedule),
                                    listLevels());
                  });
        }
  };
  add("whole", makeLayer(48, 48, 6, 4, 3, 1, "NHWC"),
      {{4, 32, 16, 4}, {8, 48, 16, 4}, {24, 16, 8, 4}, {12, 32, 32, 4}});
  add("lines", makeLayer(32, 32, 6, 8, 3, 1, "NHWC"),
      {{8, 32, 16, 8}, {16, 32, 8, 8}, {48, 32, 32, 4}});
  add("odd", makeLayer(13, 13, 5, 7, 3, 1, "NHWC"),
      {{7, 16, 8, 7}, {35, 16, 16, 7}, {7, 8, 8, 7}});
  add("halves", makeLayer(24, 24, 3, 6, 5, 1, "NHWC"),
      {{6, 24, 8, 4}, {6, 16, 16, 4}, {18, 24, 8, 6}});
}

void test::addHostDirectTests() {
  addDepthwise();
  addReductions();
  addLines();
}
