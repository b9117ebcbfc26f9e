//===- RunTimeSizeTests.cpp - one artifact for every batch ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is compiled once, and run with sizes from one token on: odd,
// prime, shorter than a kernel, and one more and less than a block of tokens.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "CheckTarget.h"

#include "conv/Pipeline/Compile.h"

#include <gtest/gtest.h>

#include <map>
#include <span>

using namespace conv;
using namespace conv::test;

namespace {
using Sizes = std::map<std::string, int64_t>;

/// What is static of a dynamic convolution.
struct TokenProblem {
  int64_t d, g, w;
  bool isPacked = false, hasState = false, hasWideStarts = false;
  const char *normalize = "none";
};

const TokenProblem kTokens[] = {{1, 1, 1},
                                {8, 8, 4},
                                {13, 13, 3},
                                {24, 24, 2},
                                {32, 4, 4},
                                {48, 3, 3},
                                {21, 3, 5},
                                {96, 6, 4},
                                {40, 40, 8},
                                {1, 1, 1, true},
                                {16, 16, 4, true},
                                {15, 5, 3, true, false, true},
                                {24, 24, 4, false, true},
                                {13, 13, 3, false, true},
                                {24, 24, 4, false, true, false, "softmax"},
                                {13, 13, 3, false, false, false, "l2"},
                                {32, 4, 4, true, false, false, "softmax"}};

const Sizes kBatches[] = {{{"B", 1}, {"T", 1}},  {{"B", 3}, {"T", 2}},
                          {{"B", 2}, {"T", 7}},  {{"B", 1}, {"T", 8}},
                          {{"B", 2}, {"T", 9}},  {{"B", 5}, {"T", 17}},
                          {{"B", 1}, {"T", 131}}};
const Sizes kPacked[] = {{{"T", 1}, {"starts", 2}},
                         {{"T", 7}, {"starts", 3}},
                         {{"T", 31}, {"starts", 9}},
                         {{"T", 9}, {"starts", 40}}};
} // namespace

static std::string tensor(const std::vector<std::string> &sizes,
                          const std::string &element) {
  std::string text = "tensor<";
  for (const std::string &size : sizes)
    text += size + "x";
  return text + element + ">";
}

/// A function of one direction, with a tensor added to the sum if `epilogue` is
/// set.
static std::string write(const TokenProblem &p, const std::string &direction,
                         bool tapsLast, const std::string &element,
                         bool epilogue) {
  bool isInteger = element == "i8", isKernel = direction == "backward_kernel";
  std::string sum = isInteger ? "i32" : "f32", b = p.isPacked ? "1" : "?";
  std::string out = isInteger ? "i32" : element;
  std::string d = std::to_string(p.d), g = std::to_string(p.g),
              w = std::to_string(p.w);
  auto kernels = [&](const std::string &type) {
    return tensor({b, "?", tapsLast ? g : w, tapsLast ? w : g}, type);
  };
  std::string tokens = tensor({b, "?", d}, element), declared, given;
  std::string rhs = isKernel ? tokens : kernels(element);
  std::string result = isKernel ? kernels(out) : tensor({b, "?", d}, out);
  std::string extra = isKernel ? kernels(sum) : tensor({b, "?", d}, sum);
  if (p.isPacked) {
    std::string starts = tensor({"?"}, p.hasWideStarts ? "i64" : "i32");
    declared += ", %s: " + starts;
    given += " cu_seqlens(%s : " + starts + ")";
  }
  if (p.hasState) {
    std::string state = tensor({b, std::to_string(p.w - 1), d}, element);
    declared += ", %s: " + state;
    given += " initial_state(%s : " + state + ")";
  }
  bool isNormalized = std::string(p.normalize) != "none";
  std::string order = tapsLast ? "BTGW" : "BTWG";
  if (isNormalized)
    order += std::string(" normalize = ") + p.normalize;
  if (isNormalized && isKernel) {
    declared += ", %k: " + kernels(element);
    given += " kernel(%k : " + kernels(element) + ")";
  }
  std::string text = "func.func @f(%a: " + tokens + ", %b: " + rhs +
                     (epilogue ? ", %c: " + extra : "") + declared + ") -> " +
                     result + " {\n  %y = conv.dynamic_" + direction +
                     " %a, %b" + given + " order = " + order;
  if (epilogue) {
    std::string add = isInteger ? "arith.addi" : "arith.addf";
    text += " epilogue(%c : " + extra + ") {\n  ^bb0(%acc: " + sum +
            ", %e: " + sum + "):\n    %v = " + add + " %acc, %e : " + sum +
            "\n";
    if (out != sum)
      text += "    %o = arith.truncf %v : f32 to " + out + "\n";
    text += std::string("    conv.yield ") + (out != sum ? "%o" : "%v") +
            " : " + out + "\n  }";
  }
  return text + " : " + tokens + ", " + rhs + " -> " + result +
         "\n  return %y : " + result + "\n}\n";
}

/// Compiles `text` for `targets`, and for GPUs that are only compiled for.
static Result<artifact::Artifact>
compileFor(const std::string &text, const std::vector<std::string> &targets) {
  mlir::conv::CompileOptions options;
  options.targets = targets;
  for (const std::string &target : targets)
    if (target.starts_with("sim:"))
      options.targets.push_back(target.substr(4));
  options.targets.push_back("sm_90a");
  return mlir::conv::compile({"test.mlir", text}, options);
}

/// Runs function `f` with these sizes on `targets`, with both kinds of data.
static void check(const artifact::Artifact &artifact,
                  const std::vector<std::string> &targets, const Sizes &sizes,
                  const std::map<std::string, std::string> &inputs = {}) {
  for (RandomKind kind : {RandomKind::Integers, RandomKind::Normal}) {
    tools::ExpectedResults expected;
    for (const std::string &target : targets) {
      tools::CheckOptions options;
      options.kind = kind;
      options.seed = 1;
      options.inputs = inputs;
      options.sizes = sizes;
      options.sim.threads = 1;
      options.sim.checks = true;
      Result<tools::CheckSummary> summary =
          tools::checkTarget(artifact, "f", target, options, expected);
      EXPECT_TRUE(summary) << summary.error().message;
      if (summary)
        EXPECT_GT(summary->elements, 0);
    }
  }
}

static void checkAll(const std::string &text, std::span<const Sizes> batches,
                     const std::vector<std::string> &targets = allTargets()) {
  Result<artifact::Artifact> artifact = compileFor(text, targets);
  ASSERT_TRUE(artifact) << artifact.error().message << "\n" << text;
  for (const Sizes &sizes : batches)
    check(*artifact, targets, sizes);
}

static void addTokens(const TokenProblem &p, const char *direction) {
  std::string name = std::string(direction) + "_d" + std::to_string(p.d) +
                     "_g" + std::to_string(p.g) + "_w" + std::to_string(p.w) +
                     (p.isPacked ? "_packed" : "") +
                     (p.hasState ? "_state" : "") + "_" + p.normalize;
  bool isPlain = std::string(p.normalize) == "none";
  struct Run {
    const char *element;
    bool tapsLast, epilogue;
    std::vector<std::string> targets;
  };
  const std::vector<Run> runs = {
      {"bf16", true, false, takeTurn()},
      {"f32", true, true, takeTurn()},
      {"f16", false, true, takeTurn()},
      {isPlain ? "i8" : "f32", false, false, takeTurn()}};
  addTest("RunTimeSizes", name, [=] {
    std::span<const Sizes> batches(kBatches);
    if (p.isPacked)
      batches = kPacked;
    for (const Run &run : runs)
      checkAll(write(p, direction, run.tapsLast, run.element, run.epilogue),
               batches, run.targets);
  });
}

/// A decoding step, whose states have gaps between them.
static std::string writeUpdate(bool hasIndices, bool hasPositions) {
  std::string given;
  if (hasPositions)
    given += " positions(%p : tensor<?xi32>)";
  if (hasIndices)
    given += " indices(%i : tensor<?xi64>)";
  return std::string("func.func @f(%x: tensor<?x24x2xbf16>, ") +
         "%w: tensor<24x4xbf16>, %s: tensor<?x24x5xbf16> {conv.in_place = 1, "
         "conv.strides = array<i64: 168, 1, 24>}" +
         (hasPositions ? ", %p: tensor<?xi32>" : "") +
         (hasIndices ? ", %i: tensor<?xi64>" : "") +
         ") -> (tensor<?x24x2xbf16>, tensor<?x24x5xbf16>) {\n"
         "  %y, %n = conv.causal_update %x, %w, %s" +
         given +
         " : tensor<?x24x2xbf16>, tensor<24x4xbf16>, tensor<?x24x5xbf16>"
         " -> tensor<?x24x2xbf16>, tensor<?x24x5xbf16>\n"
         "  return %y, %n : tensor<?x24x2xbf16>, tensor<?x24x5xbf16>\n}\n";
}

static void checkUpdates() {
  for (bool hasPositions : {false, true}) {
    const Sizes own[] = {{{"B", 1}}, {{"B", 3}}, {{"B", 130}}};
    checkAll(writeUpdate(false, hasPositions), own);
    const Sizes chosen[] = {
        {{"B", 1}, {"S", 1}}, {{"B", 3}, {"S", 7}}, {{"B", 5}, {"S", 2}}};
    checkAll(writeUpdate(true, hasPositions), chosen);
  }
}

static void checkFinalStates() {
  checkAll("func.func @f(%x: tensor<?x?x13xf16>, %b: tensor<?x3x13xf16>) -> "
           "tensor<?x3x13xf16> {\n  %r = conv.final_state %x initial_state(%b "
           ": tensor<?x3x13xf16>) : tensor<?x?x13xf16> -> tensor<?x3x13xf16>\n"
           "  return %r : tensor<?x3x13xf16>\n}\n",
           kBatches);
  const Sizes cached[] = {{{"B", 1}, {"T", 1}, {"S", 1}},
                          {{"B", 3}, {"T", 2}, {"S", 5}},
                          {{"B", 4}, {"T", 19}, {"S", 2}}};
  checkAll("func.func @f(%x: tensor<?x?x16xf32>, %s: tensor<?x3x16xf32> "
           "{conv.in_place = 0}, %i: tensor<?xi32>) -> tensor<?x3x16xf32> {\n"
           "  %r = conv.final_state %x into(%s : tensor<?x3x16xf32>) "
           "indices(%i : tensor<?xi32>) : tensor<?x?x16xf32> -> "
           "tensor<?x3x16xf32>\n  return %r : tensor<?x3x16xf32>\n}\n",
           cached);
}

static void checkStateGradients() {
  for (const char *order : {"BTGW", "BTWG"}) {
    std::string k = std::string(order) == "BTGW" ? "tensor<?x?x6x4xbf16>"
                                                 : "tensor<?x?x4x6xbf16>";
    checkAll("func.func @f(%dy: tensor<?x?x24xbf16>, %k: " + k +
                 ") -> tensor<?x3x24xf32> {\n"
                 "  %ds = conv.dynamic_backward_state %dy, %k order = " +
                 order + " : tensor<?x?x24xbf16>, " + k +
                 " -> tensor<?x3x24xf32>\n  return %ds : tensor<?x3x24xf32>\n"
                 "}\n",
             kBatches);
  }
}

/// One of both sizes is static, and all tokens have one kernel.
static void checkHalfStatic() {
  const Sizes tokens[] = {{{"T", 1}}, {{"T", 12}}};
  checkAll("func.func @f(%x: tensor<2x?x16xf32>, %k: tensor<1x1x16x4xf32>) -> "
           "tensor<2x?x16xf32> {\n  %y = conv.dynamic_forward %x, %k order = "
           "BTGW : tensor<2x?x16xf32>, tensor<1x1x16x4xf32> -> "
           "tensor<2x?x16xf32>\n  return %y : tensor<2x?x16xf32>\n}\n",
           tokens);
  const Sizes batches[] = {{{"B", 1}}, {{"B", 5}}};
  checkAll("func.func @f(%x: tensor<?x3x8xf32>, %k: tensor<?x3x8x4xf32>) -> "
           "tensor<?x3x8xf32> {\n  %y = conv.dynamic_forward %x, %k order = "
           "BTGW : tensor<?x3x8xf32>, tensor<?x3x8x4xf32> -> "
           "tensor<?x3x8xf32>\n  return %y : tensor<?x3x8xf32>\n}\n",
           batches);
}

/// Starts that no caller should pass: what kernels see is documented.
static void checkBadStarts() {
  TokenProblem p{8, 4, 4, true};
  const std::vector<int32_t> starts[] = {
      {0, 7, 3, 12, 2, 19},
      {19, 15, 9, 4, 2, 0},
      {-9, -2, 3, 11, 40, 80},
      {20, 20, 20, 20, 20, 20},
      {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX},
      {INT32_MAX, INT32_MAX, 0, INT32_MIN, INT32_MIN, INT32_MIN}};
  for (const char *direction :
       {"forward", "backward_input", "backward_kernel"}) {
    Result<artifact::Artifact> artifact =
        compileFor(write(p, direction, true, "f32", false), allTargets());
    ASSERT_TRUE(artifact) << artifact.error().message;
    for (const std::vector<int32_t> &list : starts)
      check(*artifact, allTargets(), {{"T", 19}, {"starts", 6}},
            {{"cu_seqlens",
              std::string(reinterpret_cast<const char *>(list.data()),
                          list.size() * sizeof(int32_t))}});
  }
}

void conv::test::addRunTimeSizeTests() {
  for (const TokenProblem &p : kTokens)
    for (const char *direction :
         {"forward", "backward_input", "backward_kernel"})
      if (!p.hasState || std::string(direction) != "backward_input")
        addTokens(p, direction);
  addTest("RunTimeSizes", "update", checkUpdates);
  addTest("RunTimeSizes", "final_state", checkFinalStates);
  addTest("RunTimeSizes", "state_gradient", checkStateGradients);
  addTest("RunTimeSizes", "half_static", checkHalfStatic);
  addTest("RunTimeSizes", "bad_starts", checkBadStarts);
}
