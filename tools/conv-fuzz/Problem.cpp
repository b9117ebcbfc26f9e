//===- Problem.cpp - random problems and smaller ones -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every axis of a problem is in one of three lists, so that drawing, shrinking
// and printing stay consistent. Only integers of the generator itself are used:
// distributions differ between libraries.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <algorithm>
#include <array>

using namespace conv;
using namespace conv::tools;

namespace {
/// A size of a problem: its conv-gen flag and the range from which it is drawn.
/// It is a member, or the entry of a list for one of three spatial dimensions.
struct Axis {
  const char *flag;
  int64_t low, high;
  int64_t GenOptions::*size;
  PerDimension GenOptions::*sizes = nullptr;
  int64_t dimension = 2;

  int64_t &get(GenOptions &problem) const {
    return sizes ? (problem.*sizes)[dimension] : problem.*size;
  }
  /// Whether the problem has that dimension.
  bool isUsed(const GenOptions &problem) const {
    return dimension >= 3 - problem.spatialRank;
  }
};

/// A property with named values; the first one is the simplest.
struct Choice {
  const char *flag;
  std::vector<std::string> values;
  std::string GenOptions::*value;
};
} // namespace

static const Axis kAxes[] = {
    {"-n", 1, 3, &GenOptions::n},
    {"-g", 1, 6, &GenOptions::groups},
    {"-c", 1, 48, &GenOptions::c},
    {"-k", 1, 80, &GenOptions::k},
    {"--in_d", 1, 6, nullptr, &GenOptions::input, 0},
    {"--fil_d", 1, 3, nullptr, &GenOptions::filter, 0},
    {"--pad_d", 0, 3, nullptr, &GenOptions::low, 0},
    {"--pad_d_high", 0, 3, nullptr, &GenOptions::high, 0},
    {"--conv_stride_d", 1, 3, nullptr, &GenOptions::stride, 0},
    {"--dilation_d", 1, 3, nullptr, &GenOptions::dilation, 0},
    {"-H", 1, 14, nullptr, &GenOptions::input, 1},
    {"-y", 1, 5, nullptr, &GenOptions::filter, 1},
    {"-p", 0, 3, nullptr, &GenOptions::low, 1},
    {"--pad_h_high", 0, 3, nullptr, &GenOptions::high, 1},
    {"-u", 1, 3, nullptr, &GenOptions::stride, 1},
    {"-l", 1, 3, nullptr, &GenOptions::dilation, 1},
    {"-W", 1, 14, nullptr, &GenOptions::input, 2},
    {"-x", 1, 5, nullptr, &GenOptions::filter, 2},
    {"-q", 0, 3, nullptr, &GenOptions::low, 2},
    {"--pad_w_high", 0, 3, nullptr, &GenOptions::high, 2},
    {"-v", 1, 3, nullptr, &GenOptions::stride, 2},
    {"-j", 1, 3, nullptr, &GenOptions::dilation, 2},
};

static const Choice kChoices[] = {
    {"--mode", {"conv", "trans"}, &GenOptions::mode},
    {"--padding_mode",
     {"zeros", "reflect", "replicate", "circular"},
     &GenOptions::padding},
    {"--activation",
     {"", "relu", "relu6", "leaky_relu", "silu", "sigmoid", "gelu", "gelu_tanh",
      "tanh", "hardswish", "hardsigmoid", "elu", "mish"},
     &GenOptions::activation},
};

/// The layout flags. Their values are permutations of letters.
static const std::pair<const char *, std::string GenOptions::*> kLayouts[] = {
    {"--in_layout", &GenOptions::inputLayout},
    {"--fil_layout", &GenOptions::filterLayout},
    {"--out_layout", &GenOptions::outputLayout},
};

static constexpr std::array kTypes = {ElementType::F32, ElementType::F16,
                                      ElementType::BF16, ElementType::I8};

/// Multiplications, or a few times more: whether simulation takes seconds.
static double estimateWork(const GenOptions &problem) {
  double work = double(problem.n) * double(problem.c) * double(problem.k) /
                double(problem.groups);
  for (int64_t d = 3 - problem.spatialRank; d < 3; ++d)
    work *= double((problem.low[d] + problem.input[d] + problem.high[d]) *
                   problem.filter[d]);
  return work;
}

bool tools::isValid(const GenOptions &problem) {
  constexpr double kMaxWork = 2e7;
  if (estimateWork(problem) > kMaxWork)
    return false;
  // conv-gen checks which sizes fit each other, and the op's verifier the rest.
  Result<std::string> text = generate(problem);
  return text || text.error().kind != ErrorKind::BadInput;
}

/// Draws all properties. The result need not be valid.
static GenOptions drawProblem(std::mt19937_64 &random) {
  auto draw = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  GenOptions problem;
  problem.spatialRank = std::array{2, 2, 1, 3}[draw(0, 3)];
  problem.direction = kConvolutionDirections[draw(0, 2)];
  for (const Axis &axis : kAxes) {
    // Every fourth size is the smallest: mistakes hide in corner cases.
    bool smallest = draw(0, 3) == 0;
    axis.get(problem) = smallest ? axis.low : draw(axis.low, axis.high);
  }
  // Channels of whole groups, or one channel per group.
  if (draw(0, 1) == 0)
    problem.groups = 1;
  else if (draw(0, 2) == 0)
    problem.groups = problem.c;
  problem.c = std::max<int64_t>(1, problem.c / problem.groups) * problem.groups;
  problem.k = std::max<int64_t>(1, problem.k / problem.groups) * problem.groups;
  for (const Choice &choice : kChoices)
    if (draw(0, 1))
      problem.*choice.value = choice.values[draw(0, choice.values.size() - 1)];
  if (draw(0, 1) && draw(0, 1))
    problem.outputType = ElementType::F32;
  if (draw(0, 1)) {
    std::string letters =
        "NC" + std::string("DHW").substr(3 - problem.spatialRank);
    if (draw(0, 3) == 0)
      letters += "G";
    for (auto [flag, layout] : kLayouts) {
      for (size_t i = letters.size(); i > 1; --i)
        std::swap(letters[i - 1], letters[draw(0, i - 1)]);
      problem.*layout = letters;
    }
  }
  problem.type = kTypes[draw(0, 3)];
  problem.bias = draw(0, 1);
  problem.residual = draw(0, 2) == 0;
  if (draw(0, 3) == 0)
    problem.scale = 0.25 * double(draw(1, 8));
  problem.name = "fuzz";
  return problem;
}

GenOptions tools::randomProblem(std::mt19937_64 &random) {
  for (;;)
    if (GenOptions problem = drawProblem(random); isValid(problem))
      return problem;
}

/// Adds `problem` with one axis set to its smallest size, to half, and to one
/// less.
static void shrinkAxis(const GenOptions &problem, const Axis &axis,
                       std::vector<GenOptions> &simpler) {
  GenOptions copy = problem;
  int64_t size = axis.get(copy);
  std::vector<int64_t> sizes = {axis.low, std::max(axis.low, size / 2),
                                size - 1};
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (int64_t next : sizes)
    if (next >= axis.low && next < size) {
      axis.get(copy) = next;
      simpler.push_back(copy);
    }
}

std::vector<GenOptions> tools::simplerProblems(const GenOptions &problem) {
  std::vector<GenOptions> simpler;
  auto add = [&](bool applies, auto change) {
    if (!applies)
      return;
    simpler.push_back(problem);
    change(simpler.back());
  };
  for (const Choice &choice : kChoices)
    add(problem.*choice.value != choice.values.front(),
        [&](GenOptions &p) { p.*choice.value = choice.values.front(); });
  add(problem.outputType.has_value(),
      [](GenOptions &p) { p.outputType.reset(); });
  add(!problem.inputLayout.empty(), [](GenOptions &p) {
    for (auto [flag, layout] : kLayouts)
      (p.*layout).clear();
  });
  add(problem.residual, [](GenOptions &p) { p.residual = false; });
  add(problem.bias, [](GenOptions &p) { p.bias = false; });
  add(problem.scale.has_value(), [](GenOptions &p) { p.scale.reset(); });
  add(problem.direction != ConvolutionDirection::Forward,
      [](GenOptions &p) { p.direction = ConvolutionDirection::Forward; });
  add(problem.groups > 1, [](GenOptions &p) {
    p.c /= p.groups;
    p.k /= p.groups;
    p.groups = 1;
  });
  for (const Axis &axis : kAxes)
    if (axis.isUsed(problem))
      shrinkAxis(problem, axis, simpler);
  std::erase_if(simpler, [](const GenOptions &p) { return !isValid(p); });
  return simpler;
}

std::string tools::formatArguments(const GenOptions &problem) {
  GenOptions copy = problem;
  std::string text(getDriverCommand(problem.type));
  auto print = [&](const std::string &flag, const std::string &value) {
    if (!value.empty())
      text += " " + flag + " " + value;
  };
  print("--layout",
        "nhwc"); // Operands without a layout of their own.
  print("-F", std::to_string(int(problem.direction)));
  print("--spatial_dim", std::to_string(problem.spatialRank));
  for (const Axis &axis : kAxes)
    if (axis.isUsed(problem))
      print(axis.flag, std::to_string(axis.get(copy)));
  for (const Choice &choice : kChoices)
    print(choice.flag, problem.*choice.value);
  if (problem.outputType)
    print("--out_dtype", std::string(elementTypeName(*problem.outputType)));
  for (auto [flag, layout] : kLayouts)
    print(flag, problem.*layout);
  if (problem.scale)
    print("--scale", std::to_string(*problem.scale));
  if (problem.bias)
    text += " --bias";
  if (problem.residual)
    text += " --residual";
  return text;
}
