//===- CProblem.cpp - a convolution given by its sizes, from C --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request.h"
#include "Structure.h"

#include "conv/Generate/Generate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

using namespace conv;
using namespace conv::compiler;

namespace {
/// Reads the fields of a problem one by one; keeps the first error.
class Reader {
public:
  explicit Reader(const conv_problem &problem) : problem(problem) {}

  Result<GenOptions> read();

private:
  template <typename Names>
  std::string choose(const char *field, const char *given, const Names &names,
                     const char *otherwise);
  /// One of `types`; none if the problem leaves the field open.
  std::optional<ElementType> chooseType(const char *field, const char *given,
                                        std::span<const ElementType> types);
  int64_t check(const std::string &field, int64_t value, int64_t least);
  PerDimension checkEach(const char *field, const int64_t (&values)[3],
                         int64_t least);
  void fail(const std::string &message) {
    if (!error)
      error = badInput(message);
  }

  const conv_problem &problem;
  std::optional<Error> error;
};
} // namespace

template <typename Names>
std::string Reader::choose(const char *field, const char *given,
                           const Names &names, const char *otherwise) {
  if (!given || !*given)
    return otherwise;
  std::string list;
  for (std::string_view name : names) {
    if (name == given)
      return given;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  fail(std::string(field) + ": expects " + list + ", but got '" + given + "'");
  return otherwise;
}

std::optional<ElementType>
Reader::chooseType(const char *field, const char *given,
                   std::span<const ElementType> types) {
  std::vector<std::string_view> names;
  std::ranges::transform(types, std::back_inserter(names), elementTypeName);
  return lookupElementType(choose(field, given, names, ""));
}

int64_t Reader::check(const std::string &field, int64_t value, int64_t least) {
  // Below this bound, no sum or product of the geometry overflows.
  constexpr int64_t kMost = int64_t(1) << 30;
  if (value < least || value > kMost)
    fail(field + ": expects " + std::to_string(least) + " to " +
         std::to_string(kMost) + ", but got " + std::to_string(value));
  return std::clamp(value, least, kMost);
}

/// The problem's dimensions are the last of three.
PerDimension Reader::checkEach(const char *field, const int64_t (&values)[3],
                               int64_t least) {
  PerDimension all = {least, least, least};
  for (int64_t d = 0; d < problem.spatial_rank; ++d)
    all[3 - problem.spatial_rank + d] = check(
        std::string(field) + "[" + std::to_string(d) + "]", values[d], least);
  return all;
}

Result<GenOptions> Reader::read() {
  if (problem.spatial_rank < 1 || problem.spatial_rank > 3)
    return badInput("spatial_rank: expects 1 to 3, but got " +
                    std::to_string(problem.spatial_rank));
  using enum ElementType;
  constexpr std::array kTypes = {F32, F16, BF16, I8, F8E4M3FN, F8E5M2};
  constexpr std::array kResultTypes = {F32, F16,      BF16,  I32,
                                       I8,  F8E4M3FN, F8E5M2};
  constexpr std::array kBiasTypes = {F32, F16, BF16};
  constexpr std::array kPaddings = {"zeros", "reflect", "replicate",
                                    "circular"};
  auto text = [](const char *given) { return std::string(given ? given : ""); };
  GenOptions options;
  std::array<std::string_view, kConvolutionDirections.size()> directions;
  std::ranges::transform(
      kConvolutionDirections, directions.begin(),
      [](ConvolutionDirection each) { return getName(each); });
  options.direction = *lookupDirection(
      choose("direction", problem.direction, directions, "forward"));
  options.type = chooseType("dtype", problem.dtype, kTypes).value_or(F32);
  options.outputType =
      chooseType("result_dtype", problem.result_dtype, kResultTypes);
  options.biasType = chooseType("bias_dtype", problem.bias_dtype, kBiasTypes);
  options.padding =
      choose("padding_mode", problem.padding_mode, kPaddings, "zeros");
  options.activation =
      choose("activation", problem.activation, kActivations, "");
  options.inputLayout = text(problem.input_layout);
  options.filterLayout = text(problem.filter_layout);
  options.outputLayout = text(problem.output_layout);
  options.name = text(problem.function);
  options.n = check("n", problem.n, 1);
  options.c = check("c", problem.c, 1);
  options.k = check("k", problem.k, 1);
  options.groups = check("groups", problem.groups, 1);
  options.spatialRank = problem.spatial_rank;
  options.input = checkEach("input", problem.input, 1);
  options.filter = checkEach("filter", problem.filter, 1);
  options.stride = checkEach("stride", problem.stride, 1);
  options.dilation = checkEach("dilation", problem.dilation, 1);
  options.low = checkEach("low", problem.low, 0);
  options.high = checkEach("high", problem.high, 0);
  if (!std::isfinite(problem.activation_alpha))
    fail("activation_alpha: expects a finite number, but got " +
         std::to_string(problem.activation_alpha));
  options.activationAlpha = problem.activation_alpha;
  options.bias = problem.bias != 0;
  options.residual = problem.residual != 0;
  options.tf32 = problem.tf32 != 0;
  options.exact = problem.exact != 0;
  options.promoted = problem.promoted != 0;
  if (error)
    return *error;
  return options;
}

extern "C" conv_status conv_problem_module(const conv_problem *problem,
                                           conv_compilation **compilation) {
  return guard([&]() -> Result<void> {
    if (!problem || !compilation)
      return badInput("expects a problem and a place for the module, but got "
                      "null");
    Result<conv_problem> given = readStructure(
        problem, CONV_BYTES_THROUGH(conv_problem, high), "a problem");
    if (!given)
      return given.error();
    Result<GenOptions> options = Reader(*given).read();
    if (!options)
      return options.error();
    Result<std::string> module = generate(*options);
    if (!module)
      return module.error();
    *compilation =
        createCompilation(std::make_shared<std::string>(std::move(*module)));
    return {};
  });
}
