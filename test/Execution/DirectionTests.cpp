//===- DirectionTests.cpp - every direction, group and layout ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small odd problems in every combination of direction, dimensions, layouts and
// groups, and the lists of shapes for groups, gradients, one and three
// dimensions. The lists are scaled down to what simulators compute in a moment:
// to 2 million products, with the same windows and groups. Chips take turns.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <algorithm>

using namespace conv;
using namespace conv::test;

namespace {
struct NamedDirection {
  const char *name;
  int64_t flag; ///< -F.
};
constexpr NamedDirection kDirections[] = {
    {"Forward", 1}, {"BackwardData", 2}, {"BackwardWeight", 4}};

/// Layouts in the letters of an input, by spatial rank.
struct NamedLayouts {
  const char *name;
  const char *input[3], *filter[3], *output[3];
};
constexpr NamedLayouts kLayouts[] = {
    {"channels_last",
     {"NWC", "NHWC", "NDHWC"},
     {"NWC", "NHWC", "NDHWC"},
     {"NWC", "NHWC", "NDHWC"}},
    {"channels_first",
     {"NCW", "NCHW", "NCDHW"},
     {"NCW", "NCHW", "NCDHW"},
     {"NCW", "NCHW", "NCDHW"}},
    {"group_dimension",
     {"NWGC", "NHWGC", "NDHWGC"},
     {"GNWC", "GNHWC", "GNDHWC"},
     {"NGCW", "NGCHW", "NGCDHW"}},
    {"mixed",
     {"WNC", "HCNW", "CDWNH"},
     {"WCN", "HWCN", "WCDNH"},
     {"CNW", "WNHC", "NHCWD"}},
};

/// Input and output channels of all groups.
struct NamedGroups {
  const char *name;
  int64_t groups, c, k;
};
constexpr NamedGroups kGroups[] = {
    {"dense", 1, 9, 20}, {"groups", 3, 24, 15}, {"depthwise", 10, 10, 20}};
} // namespace

/// Sizes, strides, dilations and paddings differ in all dimensions.
static GenOptions makeBase(int64_t rank, const NamedGroups &groups) {
  GenOptions options;
  options.spatialRank = rank;
  options.n = 2;
  options.groups = groups.groups;
  options.c = groups.c;
  options.k = groups.k;
  options.input = {4, 7, 11};
  options.filter = {2, 3, 3};
  options.stride = {1, 2, 1};
  options.dilation = {1, 1, 2};
  options.low = {1, 1, 2};
  options.high = {0, 1, 1};
  return options;
}

static void addCombinations() {
  for (const NamedDirection &direction : kDirections)
    for (int64_t rank : {1, 2, 3})
      for (const NamedLayouts &layouts : kLayouts)
        for (const NamedGroups &groups : kGroups) {
          GenOptions options = makeBase(rank, groups);
          options.direction = ConvolutionDirection(direction.flag);
          options.inputLayout = layouts.input[rank - 1];
          options.filterLayout = layouts.filter[rank - 1];
          options.outputLayout = layouts.output[rank - 1];
          addRotated(std::string(direction.name) + "_combinations",
                     std::string(layouts.name) + "_" + groups.name + "_" +
                         std::to_string(rank) + "d",
                     options);
        }
}

static void addPaddingModes() {
  for (const NamedDirection &direction : kDirections)
    for (std::string padding : {"reflect", "replicate", "circular"})
      for (int64_t rank : {1, 2, 3}) {
        GenOptions options = makeBase(rank, kGroups[rank % 3]);
        options.direction = ConvolutionDirection(direction.flag);
        options.padding = padding;
        addRotated(std::string(direction.name) + "_padding",
                   padding + "_" + std::to_string(rank) + "d", options);
      }
}

/// Positions that no filter element meets, and elements that meet only some:
/// strides above the filter, and strides and dilations with a common divisor.
static void addStrides() {
  struct Steps {
    int64_t filter, stride, dilation;
  };
  for (const Steps &steps : {Steps{1, 2, 1},
                             {2, 3, 1},
                             {3, 2, 2},
                             {4, 6, 4},
                             {3, 4, 6},
                             {5, 3, 1}}) {
    GenOptions options = makeBase(/*rank=*/2, kGroups[0]);
    options.direction = ConvolutionDirection::BackwardData;
    options.input = {1, 19, 14};
    options.filter = {1, steps.filter, 2};
    options.stride = {1, steps.stride, steps.stride};
    options.dilation = {1, steps.dilation, steps.dilation};
    options.bias = options.residual = true;
    options.activation = "relu";
    addRotated("BackwardData_strides", describe(options), options);
  }
}

/// Lines of positions whose padding and taps are apart by four elements, so
/// that copies of four are inside or outside together; and once only by two.
static void addAlignedPadding() {
  for (const NamedDirection &direction : kDirections)
    for (int64_t distance : {2, 4}) {
      GenOptions options = makeBase(/*rank=*/2, kGroups[0]);
      options.direction = ConvolutionDirection(direction.flag);
      options.inputLayout = options.filterLayout = options.outputLayout =
          "NCHW";
      options.input = {1, 5, 16};
      options.filter = {1, 2, 3};
      options.stride = {1, 1, 1};
      options.dilation = {1, 1, distance};
      options.low = {0, 1, 4};
      options.high = {0, 0, 2 * distance};
      addRotated(std::string(direction.name) + "_padding",
                 "aligned_" + std::to_string(distance), options,
                 /*typesTakeTurns=*/true);
    }
}

/// Lines of channels-first images, of which vectors of positions continue over
/// the end of a line, start in each line, or take every second element; with a
/// last vector that is not whole.
static void addLines() {
  for (const NamedDirection &direction : kDirections)
    for (int64_t width : {7, 21})
      for (int64_t stride : {1, 2}) {
        GenOptions options = makeBase(/*rank=*/2, kGroups[0]);
        options.direction = ConvolutionDirection(direction.flag);
        options.inputLayout = options.filterLayout = options.outputLayout =
            "NCHW";
        options.input = {1, 5, width};
        options.filter = {1, 3, 3};
        options.stride = {1, 1, stride};
        options.dilation = {1, 1, 1};
        options.low = options.high = {0, 1, 1};
        addRotated(std::string(direction.name) + "_lines",
                   std::to_string(width) + "_by_" + std::to_string(stride),
                   options, /*typesTakeTurns=*/true);
      }
}

/// Taps that see nothing but padding: beside the one in the middle of a line,
/// after the first ones, and of a strided window.
static void addDeadTaps() {
  for (const NamedDirection &direction : kDirections)
    for (const NamedGroups &groups : kGroups)
      for (int64_t layouts : {0, 1}) {
        GenOptions options = makeBase(/*rank=*/2, groups);
        options.direction = ConvolutionDirection(direction.flag);
        options.inputLayout = kLayouts[layouts].input[1];
        options.filterLayout = kLayouts[layouts].filter[1];
        options.outputLayout = kLayouts[layouts].output[1];
        options.filter = {1, 3, 3};
        options.stride = {1, 1, 1};
        options.dilation = {1, 8, 2};
        options.low = options.high = {0, 8, 2};
        auto add = [&] {
          addRotated(std::string(direction.name) + "_dead_taps",
                     std::string(kLayouts[layouts].name) + "_" +
                         describe(options),
                     options, /*typesTakeTurns=*/true);
        };
        add();
        options.dilation = {1, 5, 9};
        options.low = {0, 0, 9};
        options.high = {0, 10, 9};
        add();
        options.stride = {1, 2, 3};
        add();
      }
}

/// Output padding is in the size of the result. The second kind has strides
/// above the filter; in the third, filters see nothing but padding.
static void addTransposed() {
  for (const NamedDirection &direction : kDirections) {
    GenOptions options = makeBase(/*rank=*/2, kGroups[0]);
    options.mode = "trans";
    options.direction = ConvolutionDirection(direction.flag);
    options.bias = direction.flag != 4;
    options.stride = {1, 2, 3};
    options.outputPadding = {0, 1, 2};
    std::string suite = std::string(direction.name) + "_transposed";
    addRotated(suite, describe(options), options);
    options.stride = {1, 5, 4};
    addRotated(suite, describe(options), options);
    options.input = options.filter = {1, 1, 1};
    options.low = {0, 1, 0};
    options.high = {0, 0, 0};
    options.outputPadding = {0, 2, 0};
    addRotated(suite, describe(options), options);
  }
}

/// A gradient in f32 that is added to one that is there.
static void addAccumulated() {
  for (const NamedDirection &direction : {kDirections[1], kDirections[2]}) {
    GenOptions options = makeBase(/*rank=*/2, kGroups[1]);
    options.direction = ConvolutionDirection(direction.flag);
    options.residual = true;
    options.outputType = ElementType::F32;
    addRotated(std::string(direction.name) + "_accumulated", describe(options),
               options);
  }
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// Whether the window still fits half of dimension `d`.
static bool fitsHalved(const GenOptions &options, int64_t d) {
  int64_t span = options.dilation[d] * (options.filter[d] - 1) + 1;
  return span <= options.low[d] + (options.input[d] + 1) / 2 + options.high[d];
}

/// Halves the largest of batch, spatial sizes and channels of a group until few
/// products are left. Window and groups stay.
static GenOptions scaleDown(GenOptions options) {
  constexpr int64_t kProducts = 1 << 21;
  while (true) {
    int64_t products = options.n * options.c / options.groups * options.k;
    std::vector<int64_t *> sizes = {&options.n};
    for (int64_t d = 3 - options.spatialRank; d < 3; ++d) {
      products *= options.input[d] / options.stride[d] * options.filter[d];
      if (fitsHalved(options, d))
        sizes.push_back(&options.input[d]);
    }
    if (products <= kProducts)
      return options;
    int64_t c = options.c / options.groups, k = options.k / options.groups;
    sizes.push_back(&c);
    sizes.push_back(&k);
    int64_t &largest =
        **std::max_element(sizes.begin(), sizes.end(),
                           [](int64_t *a, int64_t *b) { return *a < *b; });
    largest = (largest + 1) / 2;
    options.c = c * options.groups;
    options.k = k * options.groups;
  }
}

static void addList(const std::string &list, const NamedDirection &direction,
                    bool typesTakeTurns = false) {
  for (GenOptions shape : readShapes(kTestShapes, list)) {
    shape = scaleDown(shape);
    shape.direction = ConvolutionDirection(direction.flag);
    addRotated(std::string(direction.name) + "_" + list, describe(shape), shape,
               typesTakeTurns);
  }
}

void test::addDirectionTests() {
  addCombinations();
  addPaddingModes();
  addStrides();
  addAlignedPadding();
  addLines();
  addDeadTaps();
  addTransposed();
  addAccumulated();
  addList("grouped_forward", kDirections[0]);
  addList("grouped_backward_data", kDirections[1]);
  addList("grouped_backward_weight", kDirections[2]);
  // Many shapes with few differences.
  addList("backward_weight_grid", kDirections[2], /*typesTakeTurns=*/true);
  for (const NamedDirection &direction : kDirections)
    for (const char *list : {"1d", "3d"})
      addList(list, direction);
  for (const NamedDirection &direction : {kDirections[1], kDirections[2]})
    for (const char *list : {"forward_edge", "traps"})
      addList(list, direction);
}
