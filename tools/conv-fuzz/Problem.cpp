//===- Problem.cpp - random problems and smaller ones -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every axis of a problem is in one list of sizes, so that what is drawn at
// random, what shrinks and what is printed cannot drift apart. Only integers of
// the generator itself are used: distributions differ between libraries.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <algorithm>

using namespace conv;
using namespace conv::tools;

namespace {
/// A size of a problem: its flag of conv-gen and the range it is drawn from.
struct Axis {
  const char *flag;
  int64_t low, high;
  int64_t &(*get)(GenOptions &);
};
} // namespace

static const Axis kAxes[] = {
    {"-n", 1, 3, [](GenOptions &p) -> int64_t & { return p.n; }},
    {"-c", 1, 48, [](GenOptions &p) -> int64_t & { return p.c; }},
    {"-k", 1, 80, [](GenOptions &p) -> int64_t & { return p.k; }},
    {"-H", 1, 14, [](GenOptions &p) -> int64_t & { return p.input[1]; }},
    {"-W", 1, 14, [](GenOptions &p) -> int64_t & { return p.input[2]; }},
    {"-y", 1, 5, [](GenOptions &p) -> int64_t & { return p.filter[1]; }},
    {"-x", 1, 5, [](GenOptions &p) -> int64_t & { return p.filter[2]; }},
    {"-p", 0, 3, [](GenOptions &p) -> int64_t & { return p.low[1]; }},
    {"-q", 0, 3, [](GenOptions &p) -> int64_t & { return p.low[2]; }},
    {"--pad_h_high", 0, 3,
     [](GenOptions &p) -> int64_t & { return p.high[1]; }},
    {"--pad_w_high", 0, 3,
     [](GenOptions &p) -> int64_t & { return p.high[2]; }},
    {"-u", 1, 3, [](GenOptions &p) -> int64_t & { return p.stride[1]; }},
    {"-v", 1, 3, [](GenOptions &p) -> int64_t & { return p.stride[2]; }},
    {"-l", 1, 3, [](GenOptions &p) -> int64_t & { return p.dilation[1]; }},
    {"-j", 1, 3, [](GenOptions &p) -> int64_t & { return p.dilation[2]; }},
};

static const char *const kCommands[] = {"conv", "convfp16", "convbfp16",
                                        "convint8"};
static const char *const kActivations[] = {
    "", "relu", "relu6", "leaky_relu", "silu", "sigmoid", "gelu", "gelu_tanh"};

bool tools::isValid(const GenOptions &problem) {
  for (int dim : {1, 2}) {
    int64_t span = problem.dilation[dim] * (problem.filter[dim] - 1) + 1;
    if (span > problem.low[dim] + problem.input[dim] + problem.high[dim])
      return false;
  }
  return true;
}

GenOptions tools::randomProblem(std::mt19937_64 &random) {
  auto draw = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  GenOptions problem;
  do {
    for (const Axis &axis : kAxes) {
      // Every fourth size is the smallest: corners are where mistakes are.
      bool smallest = draw(0, 3) == 0;
      axis.get(problem) = smallest ? axis.low : draw(axis.low, axis.high);
    }
  } while (!isValid(problem));
  problem.command = kCommands[draw(0, 3)];
  problem.activation = kActivations[draw(0, 7)];
  problem.bias = draw(0, 1);
  problem.residual = draw(0, 2) == 0;
  if (draw(0, 3) == 0)
    problem.scale = 0.25 * double(draw(1, 8));
  if (problem.command != "conv" && draw(0, 2) == 0)
    problem.outputType = "f32";
  problem.name = "fuzz";
  return problem;
}

/// Adds `problem` with one axis set to each of: the smallest size, half, one
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
  add(!problem.activation.empty(), [](GenOptions &p) { p.activation = ""; });
  add(problem.residual, [](GenOptions &p) { p.residual = false; });
  add(problem.bias, [](GenOptions &p) { p.bias = false; });
  add(problem.scale.has_value(), [](GenOptions &p) { p.scale.reset(); });
  add(!problem.outputType.empty(), [](GenOptions &p) { p.outputType = ""; });
  for (const Axis &axis : kAxes)
    shrinkAxis(problem, axis, simpler);
  std::erase_if(simpler, [](const GenOptions &p) { return !isValid(p); });
  return simpler;
}

std::string tools::formatArguments(const GenOptions &problem) {
  GenOptions copy = problem;
  std::string text = problem.command;
  for (const Axis &axis : kAxes)
    text += std::string(" ") + axis.flag + " " + std::to_string(axis.get(copy));
  if (problem.scale)
    text += " --scale " + std::to_string(*problem.scale);
  if (problem.bias)
    text += " --bias";
  if (problem.residual)
    text += " --residual";
  if (!problem.activation.empty())
    text += " --activation " + problem.activation;
  if (!problem.outputType.empty())
    text += " --out_dtype " + problem.outputType;
  return text;
}
