//===- DynamicTests.cpp - convolutions with a kernel per token --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All directions, orders and types of small sequences: shorter than a kernel,
// of odd, prime and even lengths, with channels that vectors divide and others,
// and with kernels for each channel and for groups. Packed ones start anywhere.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "CheckTarget.h"

#include "conv/Pipeline/Compile.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace conv;
using namespace conv::test;

namespace {
struct DynamicProblem {
  int64_t b, t, d, g, w;
  int64_t sequences = 0;      ///< That are packed, or 0.
  bool hasState = false;      ///< Tokens before the first ones.
  bool hasWideStarts = false; ///< Starts are i64.
  const char *normalize = "none";
};

const DynamicProblem kProblems[] = {
    {1, 1, 1, 1, 1},      {1, 2, 8, 8, 4},     {2, 7, 13, 13, 3},
    {2, 16, 64, 64, 4},   {3, 9, 24, 24, 2},   {1, 37, 40, 40, 8},
    {2, 11, 32, 4, 4},    {1, 19, 48, 2, 3},   {1, 5, 21, 3, 5},
    {1, 6, 34, 2, 2},     {2, 13, 96, 1, 4},   {1, 300, 16, 16, 1},
    {1, 19, 264, 264, 3}, {1, 9, 12, 12, 12},  {2, 5, 6, 3, 16},
    {1, 67, 512, 512, 7}, {2, 41, 256, 64, 3}, {1, 37, 26, 26, 20}};

/// With fewer sequences than tokens, and more, so that many are empty.
const DynamicProblem kPackedProblems[] = {
    {1, 1, 1, 1, 1, 1},      {1, 2, 8, 8, 4, 3},
    {1, 13, 13, 13, 3, 5},   {1, 64, 64, 64, 4, 9},
    {1, 27, 24, 24, 2, 40},  {1, 37, 40, 40, 8, 4},
    {1, 23, 32, 4, 4, 7},    {1, 19, 48, 2, 3, 2},
    {1, 5, 21, 3, 5, 5},     {1, 29, 96, 1, 4, 6},
    {1, 300, 16, 16, 4, 60}, {1, 31, 24, 24, 4, 7, false, true},
    {1, 67, 512, 512, 5, 4}, {1, 43, 24, 24, 24, 3}};

/// Chunks of sequences, single tokens and chunks shorter than a kernel.
const DynamicProblem kStateProblems[] = {
    {1, 1, 1, 1, 2, 0, true},    {3, 1, 16, 16, 4, 0, true},
    {2, 2, 24, 8, 8, 0, true},   {2, 7, 13, 13, 3, 0, true},
    {1, 16, 64, 64, 4, 0, true}, {2, 37, 40, 10, 5, 0, true}};

/// States of packed sequences, of which some are empty or short.
const DynamicProblem kPackedStateProblems[] = {
    {1, 1, 1, 1, 2, 1, true},
    {1, 13, 13, 13, 3, 5, true},
    {1, 27, 24, 24, 2, 40, true},
    {1, 37, 40, 10, 8, 4, true, true},
    {1, 31, 16, 16, 4, 3, true}};

/// Each kind of kernels: of channels and groups, small and large, of one tap
/// and of as many as a vector has; of packed sequences, and with states.
const DynamicProblem kNormalizedProblems[] = {
    {1, 1, 1, 1, 1, 0, false, false, "softmax"},
    {2, 3, 13, 13, 3, 0, false, false, "softmax"},
    {1, 11, 24, 24, 4, 0, false, false, "softmax"},
    {3, 2, 24, 24, 2, 0, false, false, "l2"},
    {1, 3, 16, 16, 8, 0, false, false, "softmax"},
    {1, 4, 32, 4, 4, 0, false, false, "l2"},
    {1, 3, 48, 2, 3, 0, false, false, "softmax"},
    {1, 9, 16, 16, 4, 4, false, false, "softmax"},
    {2, 3, 13, 13, 3, 0, true, false, "softmax"},
    {1, 7, 24, 6, 2, 5, true, true, "l2"}};

const char *const kDirections[] = {"forward", "backward_input",
                                   "backward_kernel"};
} // namespace

static bool isNormalized(const DynamicProblem &p) {
  return std::string(p.normalize) != "none";
}

static std::string printSizes(const DynamicProblem &p) {
  return "b" + std::to_string(p.b) + "_t" + std::to_string(p.t) + "_d" +
         std::to_string(p.d) + "_g" + std::to_string(p.g) + "_w" +
         std::to_string(p.w) +
         (p.sequences ? "_s" + std::to_string(p.sequences) : "") +
         (p.hasState ? "_state" : "") + (p.hasWideStarts ? "_i64" : "") +
         (isNormalized(p) ? std::string("_") + p.normalize : "");
}

static std::string printTensor(std::initializer_list<int64_t> sizes,
                               const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

static std::string printStarts(const DynamicProblem &p) {
  return printTensor({p.sequences + 1}, p.hasWideStarts ? "i64" : "i32");
}

static std::string printState(const DynamicProblem &p,
                              const std::string &element) {
  return printTensor({p.sequences ? p.sequences : p.b, p.w - 1, p.d}, element);
}

/// Optional operands, as arguments of a function.
static std::string declare(const DynamicProblem &p,
                           const std::string &element) {
  return (p.sequences ? ", %starts: " + printStarts(p) : "") +
         (p.hasState ? ", %state: " + printState(p, element) : "");
}

/// The same, as operands.
static std::string use(const DynamicProblem &p, const std::string &element) {
  std::string text;
  if (p.sequences)
    text += " cu_seqlens(%starts : " + printStarts(p) + ")";
  if (p.hasState)
    text += " initial_state(%state : " + printState(p, element) + ")";
  return text;
}

/// A function of one convolution, with an epilogue after it that adds a tensor
/// to its sum if `epilogue` is set.
static std::string write(const DynamicProblem &p, const std::string &direction,
                         bool tapsLast, const std::string &element,
                         bool epilogue) {
  bool isInteger = element == "i8", isKernel = direction == "backward_kernel";
  std::string sum = isInteger ? "i32" : "f32";
  std::string out = isInteger ? "i32" : element;
  auto kernels = [&](const std::string &type) {
    return tapsLast ? printTensor({p.b, p.t, p.g, p.w}, type)
                    : printTensor({p.b, p.t, p.w, p.g}, type);
  };
  std::string tokens = printTensor({p.b, p.t, p.d}, element);
  std::string rhs = isKernel ? tokens : kernels(element);
  std::string result =
      isKernel ? kernels(out) : printTensor({p.b, p.t, p.d}, out);
  std::string extra = isKernel ? kernels(sum) : printTensor({p.d}, sum);
  std::string add = isInteger ? "arith.addi" : "arith.addf";
  bool hasKernel = isKernel && isNormalized(p);
  std::string given = hasKernel ? " kernel(%k : " + kernels(element) + ")" : "";
  std::string order = tapsLast ? "BTGW" : "BTWG";
  if (isNormalized(p))
    order += std::string(" normalize = ") + p.normalize;
  std::string text = "func.func @f(%a: " + tokens + ", %b: " + rhs +
                     (epilogue ? ", %c: " + extra : "") + declare(p, element) +
                     (hasKernel ? ", %k: " + kernels(element) : "") + ") -> " +
                     result + " {\n  %y = conv.dynamic_" + direction +
                     " %a, %b" + use(p, element) + given + " order = " + order;
  if (epilogue) {
    text += " epilogue(%c : " + extra + ") {\n  ^bb0(%acc: " + sum +
            ", %e: " + sum + "):\n    %s = " + add + " %acc, %e : " + sum +
            "\n";
    bool narrows = out != sum;
    if (narrows)
      text += "    %o = arith.truncf %s : f32 to " + out + "\n";
    text += std::string("    conv.yield ") + (narrows ? "%o" : "%s") + " : " +
            out + "\n  }";
  }
  return text + " : " + tokens + ", " + rhs + " -> " + result +
         "\n  return %y : " + result + "\n}\n";
}

/// A function of all directions.
static std::string writeAll(const DynamicProblem &p) {
  std::string tokens = printTensor({p.b, p.t, p.d}, "f32");
  std::string kernels = printTensor({p.b, p.t, p.w, p.g}, "f32");
  auto write = [&](const char *direction, const char *operands,
                   const std::string &rhs, const std::string &result) {
    return std::string(" = conv.dynamic_") + direction + operands +
           use(p, "f32") + " order = BTWG : " + tokens + ", " + rhs + " -> " +
           result + "\n";
  };
  return "func.func @f(%x: " + tokens + ", %k: " + kernels +
         ", %dy: " + tokens + declare(p, "f32") + ") -> (" + tokens + ", " +
         tokens + ", " + kernels + ") {\n  %y" +
         write("forward", " %x, %k", kernels, tokens) + "  %dx" +
         write("backward_input", " %dy, %k", kernels, tokens) + "  %dk" +
         write("backward_kernel", " %x, %dy", tokens, kernels) +
         "  return %y, %dx, %dk : " + tokens + ", " + tokens + ", " + kernels +
         "\n}\n";
}

static Result<artifact::Artifact> compileAll(const DynamicProblem &p) {
  mlir::conv::CompileOptions options;
  options.targets = allTargets();
  return mlir::conv::compile({"test.mlir", writeAll(p)}, options);
}

/// The bytes of numbers of one type.
template <typename T> static std::string toBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

/// Numbers for each token, those from `first` to `end` NaN.
static std::string createTokens(const DynamicProblem &p, int64_t perToken,
                                int64_t first, int64_t end) {
  std::vector<float> values(p.t * perToken);
  for (int64_t i = 0; i < int64_t(values.size()); ++i) {
    int64_t token = i / perToken;
    values[i] = first <= token && token < end ? NAN : float(i * 5 % 7 - 3);
  }
  return toBytes(values);
}

/// Sequences that start at 0, `first` and `end`, of which the second is NaN.
static tools::CheckOptions poison(const DynamicProblem &p, int32_t first,
                                  int32_t end) {
  tools::CheckOptions options;
  options.sim.threads = 1;
  options.sim.checks = true;
  std::string tokens = createTokens(p, p.d, first, end);
  options.inputs = {
      {"input", tokens},
      {"grad_output", tokens},
      {"kernel", createTokens(p, p.g * p.w, first, end)},
      {"cu_seqlens", toBytes<int32_t>({0, first, end, int32_t(p.t)})}};
  return options;
}

/// Three sequences with each place of their borders: what is NaN in the second
/// one stays there, and all others have the bits of the reference.
static void checkBorders() {
  DynamicProblem p{1, 11, 8, 4, 4, 3};
  Result<artifact::Artifact> artifact = compileAll(p);
  ASSERT_TRUE(artifact) << artifact.error().message;
  for (int32_t first = 0; first <= p.t; ++first)
    for (int32_t end = first; end <= p.t; ++end) {
      tools::ExpectedResults expected;
      for (const std::string &target : allTargets()) {
        Result<tools::CheckSummary> summary = tools::checkTarget(
            *artifact, "f", target, poison(p, first, end), expected);
        ASSERT_TRUE(summary) << summary.error().message;
        EXPECT_GE(summary->exact, (p.t - end + first) * (2 * p.d + p.g * p.w));
      }
    }
}

/// The tokens that a bisection of `list` takes for the first ones of sequences
/// (`conv.count_neighbours`), followed by the number of tokens.
static std::vector<int32_t> listFirstTokens(const std::vector<int32_t> &list,
                                            int64_t tokens) {
  std::vector<int32_t> first;
  for (int32_t token = 0; token < tokens; ++token) {
    size_t low = 0, high = list.size() + 1;
    int32_t start = 0;
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      if (list[middle - 1] <= token) {
        low = middle;
        start = std::max(list[middle - 1], 0);
      } else {
        high = middle;
      }
    }
    if (start == token)
      first.push_back(token);
  }
  first.resize(list.size(), int32_t(tokens));
  return first;
}

/// Starts that no caller should pass: kernels stay inside of all buffers, and
/// see the neighbours that the documentation says.
static void checkBadStarts() {
  DynamicProblem p{1, 19, 8, 4, 4, 7};
  Result<artifact::Artifact> artifact = compileAll(p);
  ASSERT_TRUE(artifact) << artifact.error().message;
  constexpr int32_t kLeast = INT32_MIN, kMost = INT32_MAX;
  const std::vector<int32_t> starts[] = {
      {0, 7, 3, 12, 2, 19, 5, 19},
      {19, 15, 9, 4, 2, 0, 0, 0},
      {5, 6, 7, 8, 9, 10, 10, 10},
      {-9, -2, 3, 11, 40, 80, 80, 80},
      {20, 20, 20, 20, 20, 20, 20, 20},
      {-1, -1, -1, -1, -1, -1, -1, -1},
      {kLeast, kMost, kLeast, kMost, kLeast, kMost, kLeast, kMost},
      {kMost, kMost, 0, kLeast, kLeast, kLeast, kLeast, kLeast}};
  for (const std::vector<int32_t> &list : starts)
    for (const std::string &target : allTargets()) {
      tools::CheckOptions options = poison(p, 0, 0);
      // AMD's GPUs forget at each token that is the first of a sequence.
      bool forgets = target.starts_with("sim:");
      options.inputs["cu_seqlens"] =
          toBytes(forgets ? listFirstTokens(list, p.t) : list);
      options.ofDevice["cu_seqlens"] = toBytes(list);
      tools::ExpectedResults expected;
      Result<tools::CheckSummary> summary =
          tools::checkTarget(*artifact, "f", target, options, expected);
      EXPECT_TRUE(summary) << summary.error().message;
    }
}

/// Each type on another chip: those of channels with the epilogue.
static void addProblem(const DynamicProblem &problem, const char *direction) {
  struct Run {
    const char *element;
    bool tapsLast;
    std::vector<std::string> targets;
  };
  std::vector<Run> runs;
  auto add = [&](const char *element, bool tapsLast) {
    runs.push_back({element, tapsLast, takeTurn()});
  };
  add("bf16", /*tapsLast=*/true);
  add("f32", /*tapsLast=*/!isNormalized(problem));
  if (!isNormalized(problem)) {
    add("f16", /*tapsLast=*/false);
    add("i8", /*tapsLast=*/false);
  }
  addTest("Dynamic", std::string(direction) + "_" + printSizes(problem), [=] {
    for (const Run &run : runs)
      checkEverywhere(write(problem, direction, run.tapsLast, run.element,
                            /*epilogue=*/!run.tapsLast),
                      run.targets);
  });
}

void conv::test::addDynamicTests() {
  for (const char *direction : kDirections) {
    for (const DynamicProblem &problem : kProblems)
      addProblem(problem, direction);
    for (const DynamicProblem &problem : kPackedProblems)
      addProblem(problem, direction);
  }
  for (const DynamicProblem &problem : kNormalizedProblems)
    for (const char *direction : kDirections)
      if (!problem.hasState || std::string(direction) != "backward_input")
        addProblem(problem, direction);
  for (const DynamicProblem &problem : kPackedStateProblems)
    for (const char *direction : {"forward", "backward_kernel"})
      addProblem(problem, direction);
  for (const DynamicProblem &problem : kStateProblems)
    for (const char *direction : {"forward", "backward_kernel"})
      addProblem(problem, direction);
  addTest("Dynamic", "borders", checkBorders);
  addTest("Dynamic", "bad_starts", checkBadStarts);
}
