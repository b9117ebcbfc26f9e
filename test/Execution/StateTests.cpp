//===- StateTests.cpp - what sequences leave for their next tokens --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding steps, final states and gradients of initial states, of sizes and
// strides that vectors divide and others, against the reference. The state of a
// step is updated in place. Indices, positions and starts may be anything, and
// what is NaN in one state stays there.
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
struct UpdateProblem {
  int64_t b, d, t, w, states, length;
  bool hasPositions = false, hasIndices = false;
  bool isWide = false;       ///< Positions and indices are i64.
  bool channelsLast = false; ///< Tokens of all channels follow each other.
};

const UpdateProblem kUpdates[] = {
    {1, 1, 1, 1, 1, 1},
    {2, 8, 1, 4, 2, 3},
    {3, 40, 1, 4, 3, 3, false, false, false, true},
    {2, 13, 2, 3, 2, 2},
    {2, 16, 5, 4, 2, 3},
    {2, 12, 3, 2, 2, 7},
    {2, 6, 16, 8, 2, 9, false, false, false, true},
    {3, 16, 1, 4, 7, 3, false, true},
    {4, 7, 2, 4, 5, 4, false, true, true},
    {2, 8, 1, 4, 2, 3, true},
    {3, 24, 3, 4, 3, 11, true, false, true, true},
    {4, 9, 5, 3, 6, 2, true, true},
    {2, 32, 16, 4, 3, 40, true, true, true, true},
    {3, 8, 4, 5, 9, 4, true, true, false, true}};

struct FinalProblem {
  int64_t n, t, d, p;
  bool isPacked = false, hasState = false, isWide = false;
  int64_t rows = 0; ///< Of a cache.
};

const FinalProblem kFinals[] = {{1, 1, 1, 1},
                                {2, 7, 16, 3},
                                {3, 2, 13, 3},
                                {3, 2, 24, 7, false, true},
                                {1, 9, 8, 2, true},
                                {5, 23, 40, 3, true, true, true},
                                {9, 6, 12, 4, true, true},
                                {3, 5, 16, 3, false, false, false, 7},
                                {4, 12, 6, 2, true, true, true, 5}};

struct GradientProblem {
  int64_t b, t, d, g, w;
  bool hasOneKernel = false;
};

const GradientProblem kGradients[] = {
    {1, 1, 1, 1, 2},         {2, 7, 16, 16, 4},     {3, 2, 13, 13, 5},
    {2, 9, 24, 3, 4},        {2, 3, 40, 8, 8},      {1, 1, 8, 8, 9},
    {2, 5, 16, 16, 3, true}, {1, 4, 12, 2, 4, true}};
} // namespace

static std::string tensor(std::initializer_list<int64_t> sizes,
                          const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

static std::string strides(std::initializer_list<int64_t> steps) {
  std::string text = "conv.strides = array<i64";
  const char *separator = ": ";
  for (int64_t step : steps) {
    text += separator + std::to_string(step);
    separator = ", ";
  }
  return text + ">";
}

static std::string in(const std::string &attributes) {
  return attributes.empty() ? "" : " {" + attributes + "}";
}

static std::string sumType(const std::string &element) {
  return element == "i8" ? "i32" : "f32";
}

/// A decoding step with a bias after it if `hasBias` is set. Tokens that are
/// channels-last have gaps between sequences, too, and so have states.
static std::string write(const UpdateProblem &p, const std::string &element,
                         bool hasBias) {
  std::string sum = sumType(element);
  std::string out = element == "i8" ? "i32" : element;
  std::string x = tensor({p.b, p.d, p.t}, element);
  std::string w = tensor({p.d, p.w}, element);
  std::string s = tensor({p.states, p.d, p.length}, element);
  std::string y = tensor({p.b, p.d, p.t}, out), bias = tensor({p.d}, sum);
  std::string number = tensor({p.b}, p.isWide ? "i64" : "i32");
  std::string tokens, states, given, declared;
  if (p.channelsLast) {
    tokens = strides({(p.t + 1) * p.d, 1, p.d});
    states = ", " + strides({(p.length + 2) * p.d, 1, p.d});
  }
  for (auto [name, isThere] : {std::pair("positions", p.hasPositions),
                               std::pair("indices", p.hasIndices)})
    if (isThere) {
      declared += std::string(", %") + name + ": " + number;
      given += std::string(" ") + name + "(%" + name + " : " + number + ")";
    }
  std::string text = "func.func @f(%x: " + x + in(tokens) + ", %w: " + w +
                     ", %s: " + s + in("conv.in_place = 1" + states) +
                     (hasBias ? ", %bias: " + bias : "") + declared + ") -> (" +
                     y + in(tokens) + ", " + s +
                     ") {\n  %y, %n = conv.causal_update %x, %w, %s" + given;
  if (hasBias) {
    std::string add = element == "i8" ? "arith.addi" : "arith.addf";
    text += " epilogue(%bias : " + bias + ") {\n  ^bb0(%acc: " + sum +
            ", %b: " + sum + "):\n    %v = " + add + " %acc, %b : " + sum +
            "\n";
    bool narrows = out != sum;
    if (narrows)
      text += "    %o = arith.truncf %v : f32 to " + out + "\n";
    text += std::string("    conv.yield ") + (narrows ? "%o" : "%v") + " : " +
            out + "\n  }";
  }
  return text + " : " + x + ", " + w + ", " + s + " -> " + y + ", " + s +
         "\n  return %y, %n : " + y + ", " + s + "\n}\n";
}

static std::string write(const FinalProblem &p, const std::string &element) {
  std::string x = tensor({p.isPacked ? 1 : p.n, p.t, p.d}, element);
  std::string before = tensor({p.n, p.p, p.d}, element);
  std::string result = tensor({p.rows ? p.rows : p.n, p.p, p.d}, element);
  std::string number = p.isWide ? "i64" : "i32", given, declared;
  if (p.isPacked) {
    std::string starts = tensor({p.n + 1}, number);
    declared += ", %c: " + starts + " {conv.name = \"cu_seqlens\"}";
    given += " cu_seqlens(%c : " + starts + ")";
  }
  if (p.hasState) {
    declared += ", %b: " + before;
    given += " initial_state(%b : " + before + ")";
  }
  if (p.rows) {
    std::string places = tensor({p.n}, number);
    declared += ", %s: " + result +
                in("conv.in_place = 0, " + strides({p.p * p.d + 5, 1, p.p})) +
                ", %i: " + places;
    given += " into(%s : " + result + ") indices(%i : " + places + ")";
  }
  return "func.func @f(%x: " + x + " {conv.name = \"input\"}" + declared +
         ") -> " + result + " {\n  %r = conv.final_state %x" + given + " : " +
         x + " -> " + result + "\n  return %r : " + result + "\n}\n";
}

static std::string write(const GradientProblem &p, const std::string &element,
                         bool tapsLast) {
  int64_t b = p.hasOneKernel ? 1 : p.b, t = p.hasOneKernel ? 1 : p.t;
  std::string dy = tensor({p.b, p.t, p.d}, element);
  std::string k = tapsLast ? tensor({b, t, p.g, p.w}, element)
                           : tensor({b, t, p.w, p.g}, element);
  std::string ds = tensor({p.b, p.w - 1, p.d}, element);
  return "func.func @f(%dy: " + dy + ", %k: " + k + ") -> " + ds +
         " {\n  %ds = conv.dynamic_backward_state %dy, %k order = " +
         (tapsLast ? "BTGW" : "BTWG") + " : " + dy + ", " + k + " -> " + ds +
         "\n  return %ds : " + ds + "\n}\n";
}

/// Sequences that are packed, one kernel for all, of both directions.
static std::string writeOneKernel(int64_t t, int64_t d, int64_t g, int64_t w,
                                  bool tapsLast, const std::string &element) {
  std::string x = tensor({1, t, d}, element);
  std::string k =
      tapsLast ? tensor({1, 1, g, w}, element) : tensor({1, 1, w, g}, element);
  std::string starts = tensor({4}, "i64");
  std::string given = std::string(" cu_seqlens(%c : ") + starts +
                      ") order = " + (tapsLast ? "BTGW" : "BTWG") + " : " + x +
                      ", " + k + " -> " + x + "\n";
  return "func.func @f(%x: " + x + ", %k: " + k + ", %dy: " + x +
         ", %c: " + starts + ") -> (" + x + ", " + x +
         ") {\n  %y = conv.dynamic_forward %x, %k" + given +
         "  %dx = conv.dynamic_backward_input %dy, %k" + given +
         "  return %y, %dx : " + x + ", " + x + "\n}\n";
}

static Result<artifact::Artifact> compileFor(const std::string &text) {
  mlir::conv::CompileOptions options;
  options.targets = allTargets();
  return mlir::conv::compile({"test.mlir", text}, options);
}

template <typename T> static std::string toBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

static void checkWith(const artifact::Artifact &artifact,
                      const std::map<std::string, std::string> &inputs) {
  for (const std::string &target : allTargets()) {
    tools::CheckOptions options;
    options.sim.threads = 1;
    options.sim.checks = true;
    options.inputs = inputs;
    tools::ExpectedResults expected;
    Result<tools::CheckSummary> summary =
        tools::checkTarget(artifact, "f", target, options, expected);
    EXPECT_TRUE(summary) << summary.error().message;
    if (summary)
      EXPECT_EQ(summary->exact, summary->elements);
  }
}

/// Integers, with NaN in one of `rows` rows of `size` elements.
static std::string poison(int64_t rows, int64_t size, int64_t row) {
  std::vector<float> values(rows * size);
  for (int64_t i = 0; i < rows * size; ++i)
    values[i] = i / size == row ? NAN : float(i * 5 % 7 - 3);
  return toBytes(values);
}

/// Indices and positions that no caller should pass: kernels stay inside of all
/// buffers, and states of others keep their bits. State 2, which is NaN, is one
/// that no index names.
static void checkBadNumbers() {
  UpdateProblem p{3, 8, 2, 4, 5, 6, true, true, true};
  Result<artifact::Artifact> artifact = compileFor(write(p, "f32", false));
  ASSERT_TRUE(artifact) << artifact.error().message;
  const std::vector<int64_t> indices[] = {{-1, 5, 4},
                                          {INT64_MIN, INT64_MAX, 0},
                                          {int64_t(1) << 32, 3, -5},
                                          {5, 6, 7},
                                          {4, 3, 0}};
  const std::vector<int64_t> positions[] = {
      {0, 1, 2}, {-1, -6, -7}, {5, 6, 1000003}, {int64_t(1) << 40, -3, 17}};
  for (const std::vector<int64_t> &index : indices)
    for (const std::vector<int64_t> &position : positions)
      checkWith(*artifact, {{"input", poison(3, 16, -1)},
                            {"weight", poison(8, 4, -1)},
                            {"state", poison(5, 48, 2)},
                            {"indices", toBytes(index)},
                            {"positions", toBytes(position)}});
}

/// Starts that are none: what is outside of the tokens is not read.
static void checkBadStarts() {
  FinalProblem p{3, 11, 8, 4, true, true, true};
  Result<artifact::Artifact> artifact = compileFor(write(p, "f32"));
  ASSERT_TRUE(artifact) << artifact.error().message;
  const std::vector<int64_t> starts[] = {
      {0, 0, 0, 0},     {0, 4, 7, 11},
      {11, 7, 4, 0},    {-9, -2, 3, 40},
      {20, 30, 40, 50}, {-50, -40, -3, 2},
      {0, 1, 2, 3},     {INT64_MIN / 4, INT64_MAX / 4, 0, 11},
      {5, 5, 11, 11}};
  for (const std::vector<int64_t> &list : starts)
    checkWith(*artifact, {{"input", poison(11, 8, -1)},
                          {"initial_state", poison(12, 8, -1)},
                          {"cu_seqlens", toBytes(list)}});
}

/// What is NaN in one sequence does not reach the states of others.
static void checkBorders() {
  FinalProblem p{3, 9, 8, 3, true, true};
  Result<artifact::Artifact> artifact = compileFor(write(p, "f32"));
  ASSERT_TRUE(artifact) << artifact.error().message;
  for (int32_t first = 0; first <= 9; ++first)
    for (int32_t end = first; end <= 9; ++end) {
      std::vector<float> tokens(9 * 8);
      for (int64_t i = 0; i < 9 * 8; ++i)
        tokens[i] = first <= i / 8 && i / 8 < end ? NAN : float(i % 7);
      tools::CheckOptions options;
      options.sim.checks = true;
      options.inputs = {{"input", toBytes(tokens)},
                        {"initial_state", poison(3, 24, 1)},
                        {"cu_seqlens", toBytes<int32_t>({0, first, end, 9})}};
      for (const std::string &target : allTargets()) {
        tools::ExpectedResults expected;
        Result<tools::CheckSummary> summary =
            tools::checkTarget(*artifact, "f", target, options, expected);
        ASSERT_TRUE(summary) << summary.error().message;
        EXPECT_GE(summary->exact, 2 * 3 * 8);
      }
    }
}

static std::string name(std::initializer_list<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += "_" + std::to_string(number);
  return text;
}

void conv::test::addStateTests() {
  for (const UpdateProblem &p : kUpdates)
    for (const char *element : {"bf16", "f16", "f32", "i8"})
      addTest("State",
              "update" +
                  name({p.b, p.d, p.t, p.w, p.states, p.length, p.hasPositions,
                        p.hasIndices}) +
                  "_" + element,
              [p, element, targets = takeTurn()] {
                bool hasBias = std::string(element) != "f16";
                checkEverywhere(write(p, element, hasBias), targets);
              });
  for (const FinalProblem &p : kFinals)
    for (const char *element : {"bf16", "f32", "i8"})
      addTest("State",
              "final" + name({p.n, p.t, p.d, p.p, p.isPacked, p.rows}) + "_" +
                  element,
              [p, element, targets = takeTurn()] {
                checkEverywhere(write(p, element), targets);
              });
  for (const GradientProblem &p : kGradients)
    addTest("State", "gradient" + name({p.b, p.t, p.d, p.g, p.w}), [p] {
      checkEverywhere(write(p, "bf16", true));
      checkEverywhere(write(p, "f32", false));
    });
  addTest("State", "one_kernel", [] {
    for (const char *element : {"bf16", "f32"})
      for (bool tapsLast : {false, true}) {
        checkEverywhere(writeOneKernel(19, 16, 16, 4, tapsLast, element));
        checkEverywhere(writeOneKernel(13, 15, 5, 3, tapsLast, element));
      }
  });
  addTest("State", "bad_numbers", checkBadNumbers);
  addTest("State", "bad_starts", checkBadStarts);
  addTest("State", "borders", checkBorders);
}
