//===- ReferenceTransformsTest.cpp - errors of transforms -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of sums by Winograd's algorithm, computed by hand for F(2, 3).
//
//===----------------------------------------------------------------------===//

#include "BlockAdditions.h"
#include "Evaluate.h"

#include "conv/Support/Npy.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace conv;
using namespace conv::reference;

namespace {

const std::string kTransforms = R"({
  "input": [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, 0, 1]],
  "filter": [[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]],
  "output": [[1, 1, 1, 0], [0, 1, -1, 1]]})";

/// N1 W4 C1, K1 S3: two results of one tile.
artifact::Entry makeEntry(const std::string &transforms = kTransforms) {
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "host";
  auto add = [&](const char *name, int64_t size, const char *layout) {
    artifact::Argument argument;
    argument.name = argument.role = name;
    argument.access = size == 2 ? "write" : "read";
    argument.dtype = "f32";
    argument.layout = layout;
    argument.shape = {1, size, 1};
    entry.arguments.push_back(argument);
  };
  add("input", 4, "NWC");
  add("filter", 3, "KSC");
  add("output", 2, "NQK");
  entry.reference = R"({"steps": [{
      "input": {"argument": 0}, "filter": {"argument": 1}, "tail_operands": [],
      "layouts": ["NWC", "KSC", "NQK"], "shapes": [[1, 4, 1], [1, 3, 1], [1, 2, 1]],
      "groups": 1, "strides": [1], "dilations": [1], "low": [0],
      "output_type": "f32", "tail": [], "yield": 0,
      "transforms": [)" +
                    transforms + R"(],
      "error_bound": {"accumulation": 9, "output_ulp": 0.5}}],
    "outputs": [{"argument": 2, "step": 0}]})";
  return entry;
}

std::string makeBytes(const std::vector<double> &values) {
  std::string bytes(4 * values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(ElementType::F32, bytes.data(), i, values[i]);
  return bytes;
}

Expected evaluateWith(const artifact::Entry &entry,
                      const std::vector<double> &input,
                      const std::vector<double> &filter) {
  Result<Program> program = parseProgram(entry);
  EXPECT_TRUE(program) << program.error().message;
  return evaluate(*program, entry,
                  {makeBytes(input), makeBytes(filter), ""})[0];
}

// Transforms cancel: B^T d = [3, 0, -6, -3] / 2 and G g = [2, 1, 3, 2] / 2,
// with |B^T||d| = [3, 6, 6, 3] / 2 and |G||g| = [2, 3, 3, 2] / 2. The products
// of the first result, 3/2, 0 and -9/2, are together 6; the products with one
// of the latter two are 3, 3/2 and 9, together 27/2; and those of both 3/2, 9/2
// and 9/2, together 21/2. The second result has as much.
TEST(ReferenceTransforms, TransformsOfOperandsHaveAShareOfTheirOwn) {
  artifact::Entry entry = makeEntry();
  std::string from = R"("accumulation": 9, "output_ulp": 0.5)";
  entry.reference.replace(
      entry.reference.find(from), from.size(),
      R"("accumulation": 5, "transforms": 2, "output_ulp": 0)");
  Expected result = evaluateWith(entry, {0, 1.5, -1.5, 0}, {1, -1, 1});
  EXPECT_EQ(result.values, (std::vector<double>{-3, 3}));
  double share = 13.5 + std::ldexp(10.5, -16);
  for (double bound : result.bounds)
    EXPECT_NEAR(bound, std::ldexp(5 * 6 + 2 * share, -24), 1e-20);
}

/// The bounds of the results above by what each rounding loses, in units of
/// 2^-24.
std::vector<double> boundRoundings(const std::string &roundings) {
  artifact::Entry entry = makeEntry();
  std::string from = R"("output_ulp": 0.5)";
  entry.reference.replace(entry.reference.find(from), from.size(),
                          R"("transforms": 2, "output_ulp": 0, "roundings": )" +
                              roundings);
  Expected result = evaluateWith(entry, {0, 1.5, -1.5, 0}, {1, -1, 1});
  for (double &bound : result.bounds)
    bound = std::ldexp(bound, 24);
  return result.bounds;
}

// Half a unit in the last place of a number is that of the power of two before
// it. Each element of B^T d = [3, 0, -6, -3] / 2 is a difference that is
// rounded once, and loses [1, 0, 2, 1]. Of G g = [2, 1, 3, 2] / 2, the second
// rounds 0 and 1/2, the third 1 and 3/2, which lose 1/2 and 2. Times the other
// operand, that is [1, 0, 3 + 6, 1], and 10 for each result. The products,
// rounded once, are [3/2, 0, -9/2, -3/2], which lose [1, 0, 4, 1]. The results
// round 3/2 and -3, and 9/2 and 3. Where a bound has the products, they are 6.
TEST(ReferenceTransforms, RoundingsLoseHalfOfAUnitInTheLastPlace) {
  // What is rounded is off by this much of 21/2.
  double secondOrder = std::ldexp(69 * 69, -24) * 10.5;
  std::vector<double> bounds = boundRoundings(
      R"({"factor": 2, "accumulation": 0, "unordered": 1, "slice": 1})");
  EXPECT_NEAR(bounds[0], 2 * (10 + 5 + (1 + 2) + secondOrder), 1e-9);
  EXPECT_NEAR(bounds[1], 2 * (10 + 5 + (4 + 2) + secondOrder), 1e-9);
  bounds = boundRoundings(
      R"({"factor": 1, "accumulation": 5, "unordered": 0, "slice": 1})");
  for (double bound : bounds)
    EXPECT_NEAR(bound, 10 + 5 * 6 + secondOrder, 1e-9);
}

/// What the additions of 1, -1, 1 and -1 round.
double addAlternating(int64_t unordered, int64_t slice) {
  Block zeros({1, 1, 1}, 1);
  Transformed sums(zeros, zeros);
  artifact::Roundings order{1, 0, unordered, slice};
  BlockAdditions additions(order, /*secondOrder=*/0, sums);
  for (double product : {1.0, -1.0, 1.0, -1.0}) {
    double one = 1;
    additions.add(0, 1, product, &one, 1, &one);
    additions.endProduct();
  }
  additions.end();
  EXPECT_EQ(sums.values.values[0], 0);
  return sums.rounded.values[0];
}

TEST(ReferenceTransforms, AdditionsFollowTheirOrder) {
  EXPECT_EQ(addAlternating(1, 4), 1 + 0 + 1 + 0);
  // Each of several neighbours is rounded itself. Either is added first, and
  // so may be two of four.
  EXPECT_EQ(addAlternating(2, 4), 4 + 2 * 1 + 2 * 1);
  EXPECT_EQ(addAlternating(4, 4), 4 + 4 * 2);
  EXPECT_EQ(addAlternating(1, 3), 1 + 0 + 1 + 1 + 1 * 1); // Slices of 1 and -1.
  EXPECT_EQ(addAlternating(0, 4), 0);
}

// Artifacts without such a share bound all of it by one sum. All products of
// the first result are zero, but the algorithm's sum is not: |B^T||d| =
// [0, 1.5, 1.5, 1.5], |G||g| = [0, 1/2, 1/2, 1].
TEST(ReferenceTransforms, BoundIsOfWhatTheAlgorithmAddsUp) {
  Expected result = evaluateWith(makeEntry(), {0, 1.5, 0, 0}, {0, 0, 1});
  EXPECT_EQ(result.values, (std::vector<double>{0, 0}));
  EXPECT_NEAR(result.bounds[0], std::ldexp(9 * 1.5, -24), 1e-20);
  EXPECT_NEAR(result.bounds[1], std::ldexp(9 * 3.0, -24), 1e-20);
  EXPECT_EQ(result.exact, (std::vector<uint8_t>{0, 0}));
}

// Integers are exact as long as their halves are.
TEST(ReferenceTransforms, KnowsWhatIsExact) {
  double large = 3 << 20;
  Expected small = evaluateWith(makeEntry(), {1, 2, 3, 4}, {1, -1, 2});
  EXPECT_EQ(small.values, (std::vector<double>{5, 7}));
  EXPECT_EQ(small.exact, (std::vector<uint8_t>{1, 1}));
  Expected inRange = evaluateWith(makeEntry(), {0, large, 0, 0}, {0, 0, 2});
  EXPECT_EQ(inRange.exact, (std::vector<uint8_t>{1, 0}));
  std::string third = kTransforms;
  third.replace(third.find("0.5"), 3, "0.333");
  EXPECT_EQ(evaluateWith(makeEntry(third), {1, 2, 3, 4}, {1, -1, 2}).exact,
            (std::vector<uint8_t>{0, 0}));
}

// F(3, 2) in two tiles: three elements of a filter from three gradients of the
// output, the last of which has only the first place of its tile.
TEST(ReferenceTransforms, SumsUpAllTilesOfAFiltersGradient) {
  artifact::Entry entry = makeEntry();
  entry.arguments[0].shape = {1, 5, 1};
  entry.arguments[2].access = "read"; // The gradient of the output.
  entry.arguments[2].shape = {1, 3, 1};
  std::swap(entry.arguments[1], entry.arguments[2]);
  entry.arguments[2].access = "write";
  entry.reference = R"({"steps": [{"direction": "backward_weight",
      "input": {"argument": 0}, "grad_output": {"argument": 1},
      "tail_operands": [],
      "layouts": ["NWC", "KSC", "NQK"], "shapes": [[1, 5, 1], [1, 3, 1], [1, 3, 1]],
      "groups": 1, "strides": [1], "dilations": [1], "low": [0],
      "output_type": "f32", "tail": [], "yield": 0,
      "transforms": [{
        "input": [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, 0, 1]],
        "filter": [[1, 0], [0.5, 0.5], [0.5, -0.5], [0, 1]],
        "output": [[1, 1, 1, 0], [0, 1, -1, 0], [0, 1, 1, 1]]}],
      "error_bound": {"accumulation": 9, "output_ulp": 0}}],
    "outputs": [{"argument": 2, "step": 0}]})";
  Expected result = evaluateWith(entry, {1, 2, 3, 4, 5}, {1, -1, 2});
  EXPECT_EQ(result.values, (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(result.exact, (std::vector<uint8_t>{1, 1, 1}));
  // Of halves, nothing is exact, and the bound is of |B^T||d| = [4, 5, 5, 6]
  // and [8, 9, 9, 4] halves with |G||g| = [1, 1, 1, 1] and [2, 1, 1, 0] halves:
  // their products, added up, are [20, 14, 14, 6] quarters.
  Expected halves = evaluateWith(entry, {0.5, 1, 1.5, 2, 2.5}, {0.5, -0.5, 1});
  std::vector<double> quarters = {48, 28, 34};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(halves.bounds[i], std::ldexp(9 * quarters[i] / 4, -24), 1e-12);
}

TEST(ReferenceTransforms, RefusesMatricesOfOtherSizes) {
  auto expectError = [](const std::string &from, const std::string &to,
                        const std::string &error) {
    std::string transforms = kTransforms;
    transforms.replace(transforms.find(from), from.size(), to);
    Result<Program> program = parseProgram(makeEntry(transforms));
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().message.find(error), std::string::npos)
        << program.error().message;
  };
  expectError("[0, -1, 0, 1]]", "[0, -1, 0]]", "expects rows of 4 elements");
  expectError(", [0, -1, 0, 1]]", "]", "expects a matrix of 4 rows, but got 3");
  expectError("\"output\"", "\"other\"", "output");
  std::string twice = kTransforms + ", " + kTransforms;
  EXPECT_FALSE(parseProgram(makeEntry(twice)));
}

} // namespace
