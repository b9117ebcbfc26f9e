//===- HostTests.cpp - kernels of the host ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only products and transforms of the host do: vectors of results that are
// apart in memory, groups with positions innermost, products of pairs,
// transforms that transpose in registers, rows of windows, and lines of filter
// gradients; at sizes that no vector divides.
//
//===----------------------------------------------------------------------===//

#include "HostTests.h"

using namespace conv;
using namespace conv::test;

std::vector<std::string> test::listLevels() {
  std::vector<std::string> levels = allTargets();
  std::erase_if(levels, [](const std::string &target) {
    return target.starts_with("sim:");
  });
  return levels;
}

void test::addTypes(const std::string &name, GenOptions options) {
  for (const char *command : kCommands) {
    options.type = *lookupDriverCommand(command);
    addTest("Host", name + "_" + command, [options] {
      checkEverywhere(generateText(options), listLevels());
    });
  }
}

GenOptions test::makeLayer(int64_t channels, int64_t groups, int64_t height,
                           int64_t width, int64_t filter, int64_t stride,
                           const std::string &layout) {
  GenOptions options;
  options.n = 2;
  options.c = options.k = channels;
  options.groups = groups;
  options.input = {1, height, width};
  options.filter = {1, filter, filter};
  options.stride = {1, stride, stride};
  options.low = {0, filter / 2, filter / 2};
  options.inputLayout = options.filterLayout = options.outputLayout = layout;
  return options;
}

/// Results of a dgrad phase are every second, third or fifth element of a line.
static void addPhases() {
  auto add = [](const std::string &name, GenOptions options) {
    options.direction = ConvolutionDirection::BackwardData;
    addTypes("phases_" + name, options);
  };
  add("3x3", makeLayer(5, 5, 12, 38, 3, 2, "NCHW"));
  add("odd", makeLayer(3, 3, 11, 37, 3, 2, "NCHW"));
  add("5x5", makeLayer(4, 4, 14, 14, 5, 2, "NCHW"));
  add("stride_3", makeLayer(3, 3, 17, 52, 3, 3, "NCHW"));
  add("stride_5", makeLayer(2, 2, 13, 61, 3, 5, "NCHW"));
  add("dense", makeLayer(6, 1, 13, 35, 3, 2, "NCHW"));
  add("groups", makeLayer(6, 2, 9, 41, 5, 3, "NCHW"));
}

/// Groups of a few channels, which are computed with positions innermost.
static void addGroups() {
  auto add = [](const std::string &name, const GenOptions &layer,
                int64_t direction = 1) {
    GenOptions options = layer;
    options.direction = ConvolutionDirection(direction);
    addTypes("groups_" + name, options);
  };
  GenOptions two = makeLayer(22, 11, 17, 19, 3, 1, "NHWC");
  add("of_2", two);
  add("of_2_data", two, 2);
  GenOptions three = makeLayer(21, 7, 13, 23, 3, 2, "NHWC");
  add("of_3_stride_2_data", three, 2);
  three.bias = three.residual = true;
  three.activation = "relu";
  add("of_3_stride_2", three);
  GenOptions wide = makeLayer(8, 2, 11, 29, 5, 1, "NHWC");
  wide.k = 14;
  add("of_4_to_7", wide);
  add("of_4_to_7_data", wide, 2);
}

/// Dense layers, of which bf16 is multiplied in pairs of the reduction: pairs
/// that are adjacent in memory, that are not, and that an odd reduction or a
/// block of it ends within.
static void addPairs() {
  auto add = [](const std::string &name, const GenOptions &layer) {
    for (const char *layout : {"NHWC", "NCHW"})
      for (int64_t direction : {1, 2, 4}) {
        GenOptions options = layer;
        options.direction = ConvolutionDirection(direction);
        options.inputLayout = options.filterLayout = options.outputLayout =
            layout;
        addTypes("pairs_" + name + "_" + layout + "_F" +
                     std::to_string(direction),
                 options);
      }
  };
  GenOptions one = makeLayer(1, 1, 3, 5, 3, 1, "NHWC");
  one.n = 1;
  add("one_channel", one);
  GenOptions odd = makeLayer(3, 1, 7, 11, 3, 1, "NHWC");
  odd.k = 37;
  add("odd", odd);
  GenOptions even = makeLayer(22, 1, 9, 13, 3, 2, "NHWC");
  even.k = 10;
  add("even", even);
  GenOptions flat = makeLayer(601, 1, 3, 7, 1, 1, "NHWC");
  flat.k = 9;
  add("long_odd", flat);
  flat.c = 1202;
  flat.stride = {1, 2, 2};
  add("long_even", flat);
}

std::string test::insertSchedule(const std::string &text,
                                 const GenOptions &options,
                                 const std::string &schedule) {
  std::string groups = "groups = " + std::to_string(options.groups);
  size_t place = options.groups > 1
                     ? text.find(groups) + groups.size()
                     : text.find('>', text.find("layouts = ")) + 1;
  std::string scheduled = text;
  return scheduled.insert(place, " schedule = <" + schedule + ">");
}

/// Runs a layer on each level with tiles of 32 x 32 and blocks of `gemmK` of
/// the reduction. `form` is what the schedule has after its kernel.
static void addTiles(const std::string &name, const GenOptions &options,
                     int64_t gemmK, const std::string &form = "") {
  for (const std::string &level : listLevels()) {
    bool hasPairs =
        level == "host_v4_bf16" && options.type == ElementType::BF16;
    std::string atom = level == "host" ? "16 x 4 x 1"
                       : hasPairs      ? "32 x 8 x 2"
                                       : "32 x 8 x 1";
    std::string schedule =
        "kernel = #conv.host_gemm<workgroup = [32, 32], subgroup = [32, 32], "
        "gemm_k = " +
        std::to_string(gemmK) + ", stages = 1, atom = <fma " + atom +
        ">, raster = columns>" + form;
    addTest("Host", name + "_" + level, [options, schedule, level] {
      checkEverywhere(insertSchedule(generateText(options), options, schedule),
                      {level});
    });
  }
}

/// Transforms that transpose: channels from first to last and back, with padded
/// ones; as many as one square, less, or several of which the last one starts
/// within the one before. Tiles end within a square, too.
static void addTransposes() {
  auto add = [](int64_t channels, int64_t height, int64_t width,
                int64_t multiple) {
    GenOptions options = makeLayer(channels, 1, height, width, 3, 1, "NCHW");
    for (int64_t direction : {1, 2, 4})
      for (const char *command : {"conv", "convfp16"}) {
        options.type = *lookupDriverCommand(command);
        options.direction = ConvolutionDirection(direction);
        addTiles("transpose_" + std::to_string(channels) + "_" +
                     std::to_string(height) + "x" + std::to_string(width) +
                     "_F" + std::to_string(direction) + "_" + command,
                 options, /*gemmK=*/24,
                 ", layouts = <\"NHWC\", \"KRSC\", \"NPQK\">, "
                 "channel_multiple = " +
                     std::to_string(multiple));
      }
  };
  add(3, 5, 7, 1);
  add(8, 3, 5, 1);
  add(13, 5, 7, 8);
  add(22, 9, 11, 1);
  add(67, 8, 9, 4);
}

/// Results of few channels that are unfolded (col2im): terms are added in
/// vectors along lines, of whose ends they have masks, and stored one, three or
/// nine elements apart, or in phases of 2.
static void addFolds() {
  auto add = [](const std::string &name, GenOptions options, int64_t few,
                int64_t dims) {
    for (int64_t direction : {1, 2})
      for (const char *layout : {"NCHW", "NHWC"})
        for (const std::string &level : listLevels()) {
          options.direction = ConvolutionDirection(direction);
          (direction == 1 ? options.k : options.c) = few;
          (direction == 1 ? options.c : options.k) = 11;
          options.inputLayout = options.outputLayout = layout;
          std::string atom = level == "host" ? "16 x 4 x 1" : "32 x 8 x 1";
          bool isFirst = layout == std::string("NCHW");
          std::string form =
              direction == 1
                  ? std::string("\"") + layout + "\", \"KRSC\", \"NKPQ\""
                  : std::string("\"NCHW\", \"CRSK\", \"") +
                        (isFirst ? "NKPQ\"" : "NPQK\"");
          std::string schedule =
              "kernel = #conv.host_gemm<workgroup = [64, 32], subgroup = "
              "[64, 32], gemm_k = 16, stages = 1, atom = <fma " +
              atom + ">, raster = columns>, layouts = <" + form +
              ">, im2col = " + std::to_string(dims);
          addTest("Host",
                  "folds_" + name + "_F" + std::to_string(direction) + "_" +
                      layout + "_" + level,
                  [options, schedule, level] {
                    checkEverywhere(insertSchedule(generateText(options),
                                                   options, schedule),
                                    {level});
                  });
        }
  };
  GenOptions layer = makeLayer(1, 1, 7, 37, 3, 1, "NCHW");
  layer.high = {0, 0, 2};
  add("one_channel", layer, 1, 2);
  layer.dilation = {1, 2, 3};
  add("dilated", layer, 3, 2);
  add("nine_channels", makeLayer(1, 1, 6, 19, 3, 1, "NCHW"), 9, 1);
  add("phases", makeLayer(1, 1, 11, 41, 3, 2, "NCHW"), 3, 2);
}

/// Rows of a window of few channels, which are one run of several pixels with a
/// mask of those inside; blocks of the reduction start and end within a pixel.
static void addWindowRows() {
  auto add = [](const std::string &name, const GenOptions &layer) {
    GenOptions options = layer;
    options.direction = ConvolutionDirection::Forward;
    for (const char *command : {"conv", "convfp16"}) {
      options.type = *lookupDriverCommand(command);
      addTiles("rows_" + name + "_" + command, options, /*gemmK=*/16);
    }
  };
  GenOptions stem = makeLayer(3, 1, 19, 23, 7, 2, "NHWC");
  stem.k = 40;
  add("7x7", stem);
  GenOptions wide = makeLayer(5, 1, 6, 3, 5, 1, "NHWC");
  wide.k = 37;
  add("wider_than_the_image", wide);
  wide.dilation = {1, 1, 2};
  wide.low = {0, 2, 4};
  add("dilated", wide);
  GenOptions far = makeLayer(2, 1, 5, 9, 3, 1, "NHWC");
  far.k = 33;
  far.low = {0, 0, 3};
  add("far_padding", far);
}

/// Reductions of a length that only small numbers divide: iterations of several
/// steps, and a rest.
static void addSteps() {
  for (int64_t channels : {11, 22, 37}) {
    GenOptions options = makeLayer(channels, 1, 5, 7, 1, 1, "NHWC");
    options.direction = ConvolutionDirection::Forward;
    for (const char *command : {"conv", "convfp16"}) {
      options.type = *lookupDriverCommand(command);
      addTiles("steps_" + std::to_string(channels) + "_" + command, options,
               /*gemmK=*/channels);
    }
  }
}

/// Register tiles that are parts of a line, of 13 or 14 pixels, whose channels
/// or rows of windows products read in place: windows that are outside with the
/// first or the last pixel, with two, with a whole line and with all; tiles end
/// within the last image. With half vectors of results, too.
static void addLineParts() {
  struct Part {
    const char *rows, *columns, *atom;
  };
  auto add = [](const std::string &name, const GenOptions &layer,
                const Part &part, int64_t gemmK) {
    for (const std::string &level : listLevels()) {
      GenOptions options = layer;
      options.direction = ConvolutionDirection::Forward;
      bool isNarrow = level == "host";
      std::string tile = std::string("[") + part.rows + ", " +
                         (isNarrow ? "16" : part.columns) + "]";
      std::string schedule =
          "kernel = #conv.host_gemm<workgroup = " + tile +
          ", subgroup = " + tile + ", gemm_k = " + std::to_string(gemmK) +
          ", stages = 1, atom = <fma " + (isNarrow ? "16 x 4 x 1" : part.atom) +
          ">, raster = columns>";
      addTest("Host", "line_parts_" + name + "_" + level,
              [options, schedule, level] {
                checkEverywhere(
                    insertSchedule(generateText(options), options, schedule),
                    {level});
              });
    }
  };
  constexpr Part kVector = {"42", "16", "16 x 16 x 1"};
  constexpr Part kTwo = {"42", "64", "32 x 14 x 1"};
  constexpr Part kHalf = {"28", "8", "8 x 16 x 1"};
  GenOptions layer = makeLayer(32, 2, 5, 14, 3, 1, "NHWC");
  add("groups", layer, kVector, 144);
  add("groups_runs", layer, kVector, 16);
  layer.stride = {1, 2, 2};
  layer.input = {1, 9, 28};
  add("strided", layer, kVector, 144);
  layer = makeLayer(20, 1, 4, 28, 5, 1, "NHWC");
  layer.k = 37;
  add("two_outside", layer, kTwo, 100);
  layer.dilation = {1, 3, 7};
  layer.low = {0, 6, 14};
  add("far_outside", layer, kTwo, 20);
  layer = makeLayer(24, 3, 6, 14, 3, 1, "NHWC");
  add("half_vectors", layer, kHalf, 72);
  layer.k = 15;
  add("less_than_half_vectors", layer, kHalf, 24);
  layer = makeLayer(3, 1, 10, 28, 7, 2, "NHWC");
  layer.k = 40;
  layer.bias = true;
  layer.activation = "relu";
  add("rows_of_windows", layer, kTwo, 152);
  add("blocks_of_rows", layer, kTwo, 21);
  add("parts_of_rows", layer, kTwo, 16);
  layer.low = {0, 0, 20};
  add("rows_far_outside", layer, kTwo, 42);
  // A window's row has 21 elements, of which a block has 16.
  layer = makeLayer(3, 1, 10, 32, 7, 2, "NHWC");
  layer.k = 16;
  add("one_tile", layer, {"16", "16", "16 x 16 x 1"}, 16);
  layer = makeLayer(3, 1, 7, 13, 3, 1, "NHWC");
  layer.k = 16;
  add("lines_of_13", layer, {"39", "16", "16 x 16 x 1"}, 32);
}

/// Rows of many channels, which products read in place: pixels that are inside,
/// and zeros for those that are not; blocks of the reduction start and end
/// within a pixel, and pairs of it are adjacent.
static void addPlaces() {
  auto add = [](const std::string &name, const GenOptions &layer) {
    GenOptions options = layer;
    for (int64_t direction : {1, 2})
      for (const char *command : {"conv", "convbfp16"}) {
        options.type = *lookupDriverCommand(command);
        options.direction = ConvolutionDirection(direction);
        addTiles("places_" + name + "_F" + std::to_string(direction) + "_" +
                     command,
                 options, /*gemmK=*/24);
      }
  };
  GenOptions odd = makeLayer(17, 1, 5, 7, 3, 1, "NHWC");
  odd.k = 37;
  add("odd", odd);
  GenOptions even = makeLayer(22, 1, 9, 13, 3, 2, "NHWC");
  even.k = 18;
  add("even_strided", even);
  GenOptions dilated = makeLayer(34, 1, 6, 3, 5, 1, "NHWC");
  dilated.dilation = {1, 2, 3};
  dilated.low = {0, 5, 6};
  add("dilated_beyond_the_image", dilated);
  GenOptions pointwise = makeLayer(61, 1, 3, 5, 1, 1, "NHWC");
  pointwise.k = 43;
  add("pointwise", pointwise);
  GenOptions strided = makeLayer(48, 2, 7, 11, 1, 3, "NHWC");
  add("pointwise_groups_strided", strided);
  GenOptions deep = makeLayer(16, 1, 4, 5, 3, 2, "NHWC");
  deep.input[0] = deep.filter[0] = 3;
  deep.low[0] = 1;
  deep.spatialRank = 3;
  deep.inputLayout = deep.filterLayout = deep.outputLayout = "NDHWC";
  add("deep", deep);
  GenOptions first = makeLayer(19, 1, 7, 9, 3, 1, "NCHW");
  first.k = 26;
  add("filter", first);
}

/// Panels of three vectors, of which the last one of the result has fewer, or
/// of which no tile has a whole number; blocks that are parts of a pixel.
static void addPanels() {
  auto add = [](const std::string &name, GenOptions options, int64_t wide,
                int64_t gemmK) {
    bool isFirst = options.inputLayout == "NCHW";
    std::string tile =
        isFirst ? std::to_string(wide) + ", 16" : "16, " + std::to_string(wide);
    for (const std::string &level : listLevels())
      for (const char *command : {"conv", "convbfp16"}) {
        if (level == "host")
          continue;
        options.type = *lookupDriverCommand(command);
        options.direction = ConvolutionDirection::Forward;
        bool hasPairs =
            level == "host_v4_bf16" && options.type == ElementType::BF16;
        std::string schedule = "kernel = #conv.host_gemm<workgroup = [" + tile +
                               "], subgroup = [" + tile +
                               "], gemm_k = " + std::to_string(gemmK) +
                               ", stages = 1, atom = <fma 48 x 8 x " +
                               (hasPairs ? "2" : "1") + ">, raster = columns>";
        addTest("Host", "panels_" + name + "_" + level + "_" + command,
                [options, schedule, level] {
                  checkEverywhere(
                      insertSchedule(generateText(options), options, schedule),
                      {level});
                });
      }
  };
  GenOptions layer = makeLayer(32, 1, 5, 7, 3, 1, "NHWC");
  layer.k = 80;
  add("80", layer, 96, 32);
  add("parts", layer, 48, 16);
  add("no_panel", layer, 40, 24);
  layer.k = 131;
  add("131", layer, 96, 288);
  layer.k = 37;
  add("37", layer, 48, 32);
  add("first", makeLayer(9, 1, 11, 13, 3, 1, "NCHW"), 96, 24);
  add("groups", makeLayer(112, 2, 6, 5, 3, 1, "NHWC"), 96, 56);
}

/// Filter gradients in NCHW: lines of the image are transposed with masks of
/// what is inside it. Lines of a vector, a little more, and less in a block.
static void addGradientLines() {
  auto add = [](const std::string &name, const GenOptions &layer,
                const std::string &form = "") {
    GenOptions options = layer;
    options.direction = ConvolutionDirection::BackwardWeight;
    addTypes("lines_" + name, options);
    options.type = ElementType::F32;
    addTiles("lines_" + name + "_in_blocks", options, /*gemmK=*/24, form);
  };
  add("3x3", makeLayer(5, 1, 7, 19, 3, 1, "NCHW"));
  add("of_8", makeLayer(3, 1, 5, 8, 3, 1, "NCHW"));
  add("stride_2", makeLayer(3, 1, 15, 37, 5, 2, "NCHW"));
  add("stride_3", makeLayer(3, 1, 11, 53, 3, 3, "NCHW"));
  add("groups", makeLayer(14, 2, 9, 21, 3, 1, "NCHW"));
  GenOptions far = makeLayer(2, 1, 4, 9, 3, 1, "NCHW");
  far.low = {0, 4, 11};
  far.dilation = {1, 2, 3};
  add("far_padding", far);
  GenOptions last = makeLayer(1, 1, 9, 17, 3, 1, "NHWC");
  last.k = 6;
  add("one_channel_last", last);
  add("gathered", makeLayer(21, 7, 9, 13, 3, 1, "NHWC"));
  add("brought_first", makeLayer(22, 11, 9, 13, 3, 1, "NHWC"),
      ", layouts = <\"NCHW\", \"KRSC\", \"NKPQ\">");
}

void test::addHostTests() {
  addLineParts();
  addSteps();
  addGroups();
  addPhases();
  addPairs();
  addTransposes();
  addFolds();
  addWindowRows();
  addPlaces();
  addPanels();
  addGradientLines();
}
