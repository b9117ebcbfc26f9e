//===- DirectionTests.cpp - gradients, dimensions, groups -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of shapes for gradients, groups, one and three dimensions, and
// every layout and padding mode in each direction. Shapes are scaled down to
// what the simulator does in a second: strides, filters, dilations, groups and
// remainders stay. Types and targets take turns (`addCovering`); the nightly
// run has all of them, and all shapes of the long list.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <algorithm>

using namespace conv;
using namespace conv::test;

/// Multiplications of a problem, or somewhat more.
static double estimateWork(const tools::GenOptions &problem) {
  double work = double(problem.n) * double(problem.c) * double(problem.k) /
                double(problem.groups);
  for (int64_t d = 3 - problem.spatialRank; d < 3; ++d)
    work *= double(problem.input[d]) * double(problem.filter[d]) /
            double(problem.stride[d]);
  return work;
}

/// About half of `size`, and odd, but at least `minimum`.
static int64_t halve(int64_t size, int64_t minimum) {
  return std::max(minimum, size / 2 | 1);
}

/// Halves what is largest until the simulator takes no longer than a second.
static tools::GenOptions scaleDown(tools::GenOptions problem) {
  constexpr double kMaxWork = 4e6;
  while (estimateWork(problem) > kMaxWork) {
    double before = estimateWork(problem);
    int64_t channels = std::max(problem.c, problem.k) / problem.groups;
    int64_t *largest = &problem.n;
    int64_t minimum = 1;
    for (int64_t d = 3 - problem.spatialRank; d < 3; ++d)
      // Two windows, with what a stride leaves over.
      if (int64_t span = problem.dilation[d] * (problem.filter[d] - 1) + 1 +
                         2 * problem.stride[d];
          problem.input[d] > std::max(*largest, span)) {
        largest = &problem.input[d];
        minimum = span;
      }
    if (*largest >= channels) {
      *largest = halve(*largest, minimum);
    } else if (channels > 1) {
      int64_t c = halve(problem.c / problem.groups, 1);
      int64_t k = halve(problem.k / problem.groups, 1);
      problem.c = c * problem.groups;
      problem.k = k * problem.groups;
    } else {
      problem.groups = problem.c = problem.k = halve(problem.groups, 1);
    }
    if (estimateWork(problem) >= before)
      break;
  }
  return problem;
}

static void addProblem(const std::string &suite, tools::GenOptions problem,
                       int64_t direction) {
  problem.direction = direction;
  addCovering(suite, scaleDown(problem));
}

static void addLists() {
  struct List {
    const char *name;
    std::vector<int64_t> directions;
  };
  const List lists[] = {{"grouped_forward", {1}},
                        {"grouped_backward_data", {2}},
                        {"grouped_backward_weight", {4}},
                        {"1d", {1, 2, 4}},
                        {"3d", {1, 2, 4}},
                        {"traps", {2, 4}}};
  for (const List &list : lists)
    for (const tools::GenOptions &shape : readShapes(kTestShapes, list.name))
      for (int64_t direction : list.directions)
        addProblem(std::string("Direction_") + list.name, shape, direction);
  // Of the long list, every ninth: its filters, strides and paddings repeat.
  size_t index = 0;
  for (const tools::GenOptions &shape :
       readShapes(kTestShapes, "backward_weight_grid"))
    if (isNightly() || index++ % 9 == 0)
      addProblem("Direction_backward_weight_grid", shape, 4);
}

/// A 3x3 convolution whose sizes all differ, in three dimensions if asked.
static tools::GenOptions makeUsual(int64_t rank = 2) {
  tools::GenOptions problem;
  problem.spatialRank = rank;
  problem.n = 2;
  problem.c = 12;
  problem.k = 20;
  problem.input = {4, 7, 9};
  problem.filter = {2, 3, 3};
  problem.low = {1, 1, 1};
  problem.high = {0, 2, 1};
  return problem;
}

static void addLayouts() {
  struct Layout {
    int64_t rank, groups;
    const char *input, *filter, *output;
  };
  const Layout layouts[] = {
      {2, 1, "NCHW", "NCHW", "NCHW"},      {2, 1, "NHWC", "HWCN", "NHWC"},
      {2, 1, "NCHW", "NHWC", "NHWC"},      {2, 1, "CHWN", "CWHN", "WCNH"},
      {2, 4, "NCHW", "NCHW", "NCHW"},      {2, 4, "NHWGC", "GNHWC", "NHWGC"},
      {2, 4, "NGCHW", "NGCHW", "GNCHW"},   {1, 1, "NCW", "NCW", "NCW"},
      {1, 2, "CWN", "WNC", "NWC"},         {3, 1, "NCDHW", "NCDHW", "NCDHW"},
      {3, 2, "NDHWGC", "GNDHWC", "NGDHWC"}};
  for (const Layout &layout : layouts)
    for (int64_t direction : {1, 2, 4}) {
      tools::GenOptions problem = makeUsual(layout.rank);
      problem.groups = layout.groups;
      problem.inputLayout = layout.input;
      problem.filterLayout = layout.filter;
      problem.outputLayout = layout.output;
      problem.stride = {1, 2, 1};
      problem.bias = direction != 4;
      addProblem("Direction_layouts", problem, direction);
    }
}

static void addGroups() {
  for (int64_t direction : {1, 2, 4})
    for (int64_t multiplier : {1, 2})
      for (int64_t stride : {1, 2}) {
        tools::GenOptions problem = makeUsual();
        problem.groups = problem.c;
        problem.k = multiplier * problem.c;
        problem.stride = {1, stride, stride};
        addProblem("Direction_depthwise", problem, direction);
      }
}

static void addPaddingModes() {
  for (const char *mode : {"reflect", "replicate", "circular"})
    for (int64_t direction : {1, 2, 4}) {
      tools::GenOptions problem = makeUsual();
      problem.padding = mode;
      problem.low = {1, 3, 2};
      problem.stride = {1, 1, 2};
      addProblem("Direction_padding", problem, direction);
    }
}

/// Strides beyond the filter leave elements of a gradient that no window
/// reaches; output padding adds such elements at the end.
static void addTransposed() {
  for (int64_t direction : {1, 2, 4}) {
    tools::GenOptions problem = makeUsual();
    problem.mode = "trans";
    problem.stride = {1, 2, 3};
    problem.outputPadding = {0, 1, 2};
    problem.bias = direction != 4;
    addProblem("Direction_transposed", problem, direction);
    problem.stride = {1, 5, 4};
    problem.groups = 2;
    addProblem("Direction_transposed", problem, direction);
    // Filters that see nothing but padding: the result is the tail of zeros.
    problem.input = {1, 1, 1};
    problem.filter = {1, 1, 1};
    problem.low = {0, 1, 0};
    problem.high = {0, 0, 0};
    problem.outputPadding = {0, 2, 0};
    addProblem("Direction_transposed", problem, direction);
  }
}

/// A gradient that is added to one that is there.
static void addAccumulation() {
  for (int64_t direction : {2, 4}) {
    tools::GenOptions problem = makeUsual();
    problem.residual = true;
    problem.outputType = "f32";
    addProblem("Direction_accumulated", problem, direction);
  }
}

void test::addDirectionTests() {
  addLists();
  addLayouts();
  addGroups();
  addPaddingModes();
  addTransposed();
  addAccumulation();
}
