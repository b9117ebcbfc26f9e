//===- DirectTests.cpp - depthwise convolutions -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Direct kernels in every direction, dimension and layout, at sizes that no
// tile divides; and the bytes that they move at sizes of models.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Session.h"

#include "conv/Pipeline/Compile.h"
#include "conv/Runtime/SimDevice.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

using namespace conv;
using namespace conv::test;

namespace {
struct Shape {
  std::string name;
  GenOptions options;
};
} // namespace

static GenOptions makeDepthwise(int64_t channels, int64_t multiplier,
                                int64_t size, int64_t filter, int64_t stride) {
  GenOptions options;
  options.type = ElementType::F16;
  options.n = 1;
  options.c = options.groups = channels;
  options.k = channels * multiplier;
  options.input = {1, size, size};
  options.filter = {1, filter, filter};
  options.stride = {1, stride, stride};
  options.low = {0, filter / 2, filter / 2};
  return options;
}

static std::vector<Shape> makeShapes() {
  std::vector<Shape> shapes;
  auto add = [&](const std::string &name, GenOptions options) {
    shapes.push_back({name, std::move(options)});
  };
  add("3x3", makeDepthwise(16, 1, 14, 3, 1));
  GenOptions odd = makeDepthwise(19, 1, 13, 3, 1);
  odd.n = 2;
  odd.input[1] = 11;
  odd.bias = odd.residual = true;
  odd.activation = "relu";
  add("odd_with_epilogue", odd);
  add("few_channels", makeDepthwise(3, 1, 9, 3, 1));
  add("1x1_image", makeDepthwise(24, 1, 1, 1, 1));
  add("multiplier_2", makeDepthwise(12, 2, 10, 3, 1));
  add("multiplier_3", makeDepthwise(8, 3, 7, 3, 1));
  add("stride_2", makeDepthwise(16, 1, 14, 3, 2));
  add("stride_2_5x5", makeDepthwise(16, 1, 16, 5, 2));
  add("stride_beyond_filter", makeDepthwise(8, 1, 12, 1, 2));
  GenOptions dilated = makeDepthwise(16, 1, 12, 3, 1);
  dilated.dilation = {1, 2, 2};
  dilated.low = {0, 2, 2};
  add("dilation_2", dilated);
  GenOptions dead = makeDepthwise(16, 1, 6, 3, 1);
  dead.dilation = {1, 7, 2};
  dead.low = dead.high = {0, 7, 2};
  add("dead_taps", dead);
  GenOptions uneven = makeDepthwise(8, 1, 9, 4, 1);
  uneven.low = {0, 0, 3};
  uneven.high = {0, 2, 1};
  add("uneven_padding", uneven);
  GenOptions causal = makeDepthwise(24, 1, 1, 4, 1);
  causal.n = 2;
  causal.spatialRank = 1;
  causal.input[2] = 37;
  causal.filter[2] = 4;
  causal.low = {0, 0, 3};
  causal.high = {0, 0, 0};
  add("causal", causal);
  // Lines of taps in runs, with a rest and without, at steps and backwards.
  GenOptions wide = makeDepthwise(12, 1, 19, 17, 1);
  wide.input[1] = 5;
  wide.filter[1] = 3;
  wide.low[1] = 1;
  add("wide", wide);
  GenOptions wideStrided = makeDepthwise(5, 2, 41, 24, 2);
  wideStrided.input[1] = 3;
  wideStrided.filter[1] = 1;
  wideStrided.low = {0, 0, 3};
  add("wide_stride_2", wideStrided);
  wideStrided.inputLayout = wideStrided.filterLayout =
      wideStrided.outputLayout = "NCHW";
  wideStrided.filter[2] = 31;
  add("wide_channels_first", wideStrided);
  for (std::string padding : {"reflect", "replicate", "circular"}) {
    GenOptions padded = makeDepthwise(16, 1, 11, 5, 2);
    padded.padding = padding;
    add(padding, padded);
  }
  GenOptions first = makeDepthwise(6, 1, 16, 3, 1);
  first.n = 2;
  first.input[2] = 17;
  first.inputLayout = first.filterLayout = first.outputLayout = "NCHW";
  add("channels_first", first);
  // Whole vectors and a rest, along channels and along positions.
  GenOptions rest = makeDepthwise(58, 1, 15, 3, 2);
  rest.n = 2;
  rest.bias = rest.residual = true;
  rest.activation = "relu";
  add("vectors_with_rest", rest);
  rest.input[2] = 37;
  rest.inputLayout = rest.filterLayout = rest.outputLayout = "NCHW";
  add("channels_first_with_rest", rest);
  GenOptions volume = makeDepthwise(8, 1, 6, 3, 1);
  volume.spatialRank = 3;
  volume.input[0] = 5;
  volume.filter[0] = 3;
  volume.low[0] = 1;
  add("3d", volume);
  return shapes;
}

using DirectionName = std::pair<int64_t, const char *>;
static constexpr DirectionName kDirections[] = {
    {1, "forward"}, {2, "data"}, {4, "weight"}};

/// In every direction; an epilogue is that of the forward one.
static void addShape(const Shape &shape) {
  for (auto [direction, name] : kDirections) {
    GenOptions options = shape.options;
    options.direction = ConvolutionDirection(direction);
    if (direction != 1) {
      options.bias = options.residual = false;
      options.activation = "";
    }
    addRotated("Direct_" + std::string(name), shape.name, options);
  }
}

/// A depthwise filter gradient in f16 and its schedule, which the cost model
/// would not choose for a layer of this size.
struct ScheduledGradient {
  const char *name, *kernel;
  int64_t splits;
  const char *input, *output, *filter, *strides, *padding, *layouts;
  int64_t groups;
  std::vector<std::string> targets;
};
static const ScheduledGradient kScheduledGradients[] = {
    // A reduction in slices, of which each workgroup has one of a few channels.
    {"splits",
     "workgroup = [2, 8], subgroup = [18, 8], gemm_k = 18, stages = 1, atom = "
     "<fma 4 x 1 x 3>, main_loop = direct_reduction, raster = columns",
     2,
     "8x6x6x16",
     "8x6x6x32",
     "32x3x3x1",
     "1, 1",
     "1, 1",
     R"("NHWC", "KRSC", "NPQK")",
     16,
     {"sim:gfx90a", "sim:gfx1201"}},
    // Slices of five lines, of which the last has three: 13 is prime.
    {"prime_lines",
     "workgroup = [1, 8], subgroup = [14, 8], gemm_k = 55, stages = 1, atom = "
     "<fma 8 x 1 x 1>, main_loop = direct_reduction, raster = columns",
     3,
     "2x13x11x16",
     "2x13x11x16",
     "16x3x3x1",
     "1, 1",
     "1, 1",
     R"("NHWC", "KRSC", "NPQK")",
     16,
     {"sim:gfx942", "sim:gfx1201"}},
    // Runs of four positions, of which the last one of a line has three.
    {"prime_runs",
     "workgroup = [1, 8], subgroup = [14, 8], gemm_k = 55, stages = 1, atom = "
     "<fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns",
     3,
     "2x13x21x16",
     "2x13x11x16",
     "16x3x3x1",
     "1, 2",
     "1, 1",
     R"("NHWC", "KRSC", "NPQK")",
     16,
     {"sim:gfx942", "sim:gfx1201"}},
    // Such runs with positions innermost; lines of the input are longer.
    {"prime_runs_of_lines",
     "workgroup = [1, 2], subgroup = [28, 2], gemm_k = 110, stages = 1, atom = "
     "<fma 1 x 1 x 4>, main_loop = direct_reduction, raster = rows",
     1,
     "2x6x10x15",
     "2x6x10x11",
     "6x1x3x5",
     "1, 1",
     "1, 0",
     R"("NCHW", "KCRS", "NKPQ")",
     6,
     {"sim:gfx90a", "sim:gfx1201"}},
};

static std::string generateText(const ScheduledGradient &of) {
  std::string window = std::string("<strides = [") + of.strides +
                       "], dilations = [1, 1], low = [" + of.padding +
                       "], high = [" + of.padding + "]>";
  return std::string("func.func @gradient(%x: tensor<") + of.input +
         "xf16>, %dy: tensor<" + of.output + "xf16>) -> tensor<" + of.filter +
         "xf16> {\n  %dw = conv.backward_weight %x, %dy window = " + window +
         " layouts = <" + of.layouts +
         "> groups = " + std::to_string(of.groups) +
         " schedule = <kernel = #conv.direct<" + of.kernel +
         ">, splits = " + std::to_string(of.splits) + "> : tensor<" + of.input +
         "xf16>, tensor<" + of.output + "xf16> -> tensor<" + of.filter +
         "xf16>\n  return %dw : tensor<" + of.filter + "xf16>\n}\n";
}

/// Runs a direct schedule on the simulator and checks that it moves at
/// most 1.15 times the bytes of the convolution's tensors.
static void checkTraffic(const GenOptions &options,
                         const std::string &schedule) {
  mlir::conv::CompileOptions compileOptions;
  compileOptions.schedule =
      "#conv.schedule<kernel = #conv.direct<" + schedule + ">";
  compileOptions.targets = {"sim:gfx942"};
  Result<artifact::Artifact> artifact =
      mlir::conv::compile({"test.mlir", generateText(options)}, compileOptions);
  ASSERT_TRUE(artifact) << artifact.error().message;
  const artifact::Entry &entry = artifact->manifest.entries.front();
  EXPECT_EQ(entry.algorithm, "direct");
  runtime::SimOptions sim;
  sim.checks = false;
  sim.counters = true;
  auto device = runtime::createSimDevice("gfx942", sim);
  ASSERT_TRUE(device) << device.error().message;
  Result<tools::Session> session =
      tools::Session::create(**device, *artifact, entry.function);
  ASSERT_TRUE(session) << session.error().message;
  double compulsory = 0;
  tools::ArgumentBytes bytes;
  for (const artifact::Argument &argument : entry.arguments) {
    size_t size = artifact::bufferBytes(argument);
    compulsory += double(size);
    bytes.emplace_back(argument.access == "read" ? size : 0, '\0');
  }
  Result<void> uploaded = session->upload(bytes);
  ASSERT_TRUE(uploaded) << uploaded.error().message;
  (*device)->resetCounters();
  Result<double> ran = session->run();
  ASSERT_TRUE(ran) << ran.error().message;
  const runtime::SimCounters &counters = (*device)->counters();
  double moved = double(counters.globalBytesRead + counters.globalBytesWritten);
  EXPECT_LE(moved, 1.15 * compulsory) << entry.schedule;
}

/// Depthwise layers, and of each direction a schedule that moves few bytes: the
/// default where memory is the bound. Of so small a batch, others are faster.
struct TrafficCase {
  const char *name;
  int64_t channels, size, filter, stride;
  std::array<const char *, 3> schedules;
};
static const TrafficCase kTrafficCases[] = {
    {"3x3_384_56",
     384,
     56,
     3,
     1,
     {"workgroup = [560, 8], subgroup = [280, 8], gemm_k = 9, stages = 1, atom "
      "= <fma 8 x 7 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [560, 8], subgroup = [280, 8], gemm_k = 9, stages = 1, atom "
      "= <fma 8 x 7 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [1, 8], subgroup = [392, 8], gemm_k = 784, stages = 1, atom "
      "= <fma 8 x 1 x 7>, main_loop = direct_reduction, raster = columns>, "
      "splits = 4"}},
    {"3x3_384_56_stride_2",
     384,
     56,
     3,
     2,
     {"workgroup = [112, 8], subgroup = [56, 8], gemm_k = 9, stages = 1, atom "
      "= <fma 8 x 1 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [84, 8], subgroup = [42, 8], gemm_k = 4, stages = 1, atom = "
      "<fma 8 x 1 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [1, 8], subgroup = [98, 8], gemm_k = 196, stages = 1, atom "
      "= <fma 8 x 1 x 1>, main_loop = direct_reduction, raster = columns>, "
      "splits = 4"}},
    {"5x5_240_28",
     240,
     28,
     5,
     1,
     {"workgroup = [392, 8], subgroup = [196, 8], gemm_k = 25, stages = 1, "
      "atom = <fma 8 x 3 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [392, 8], subgroup = [196, 8], gemm_k = 25, stages = 1, "
      "atom = <fma 8 x 3 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [1, 16], subgroup = [196, 16], gemm_k = 784, stages = 1, "
      "atom = <fma 8 x 1 x 7>, main_loop = direct_reduction, raster = "
      "columns>"}},
    {"7x7_192_56",
     192,
     56,
     7,
     1,
     {"workgroup = [1064, 8], subgroup = [532, 8], gemm_k = 49, stages = 1, "
      "atom = <fma 8 x 7 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [1064, 8], subgroup = [532, 8], gemm_k = 49, stages = 1, "
      "atom = <fma 8 x 7 x 1>, main_loop = direct, raster = columns>",
      "workgroup = [1, 8], subgroup = [392, 8], gemm_k = 1568, stages = 1, "
      "atom = <fma 8 x 1 x 8>, main_loop = direct_reduction, raster = "
      "columns>, "
      "splits = 2"}},
};

/// By direct kernels, which the cost model prefers for few layers of this size.
static void addDirect(const Shape &shape, const std::string &command,
                      std::span<const DirectionName> directions) {
  for (auto [direction, name] : directions) {
    GenOptions options = shape.options;
    options.type = *lookupDriverCommand(command);
    options.direction = ConvolutionDirection(direction);
    if (direction != 1) {
      options.bias = options.residual = false;
      options.activation = "";
    }
    if (command == "convint8" && !options.activation.empty()) {
      options.outputType = ElementType::I8;
      options.scale = 0.003;
    }
    addTest("Direct_only_" + std::string(name), shape.name + "_" + command,
            [options] {
              checkEverywhere(generateText(options),
                              {"sim:gfx942", "sim:gfx1201"}, "direct");
            });
  }
}

void test::addDirectTests() {
  size_t turn = 0;
  for (const Shape &shape : makeShapes()) {
    addShape(shape);
    addDirect(shape, "convfp16", kDirections);
    // Directions take turns with integers, unless there is time for all.
    std::span<const DirectionName> directions = kDirections;
    if (!isExhaustive())
      directions = directions.subspan(turn++ % directions.size(), 1);
    addDirect(shape, "convint8", directions);
  }
  for (const ScheduledGradient &each : kScheduledGradients)
    addTest("Direct_weight", each.name,
            [&each] { checkEverywhere(generateText(each), each.targets); });
  for (const TrafficCase &each : kTrafficCases)
    for (size_t i = 0; i < std::size(kDirections); ++i) {
      auto [direction, name] = kDirections[i];
      GenOptions options =
          makeDepthwise(each.channels, 1, each.size, each.filter, each.stride);
      options.direction = ConvolutionDirection(direction);
      addTest("Direct_traffic", std::string(each.name) + "_" + name,
              [options, schedule = std::string(each.schedules[i])] {
                checkTraffic(options, schedule);
              });
    }
}
