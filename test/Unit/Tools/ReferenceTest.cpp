//===- ReferenceTest.cpp - the reference evaluation -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference decides what is right, so it is itself compared with values
// computed by hand and with a second, index-by-index convolution.
//
//===----------------------------------------------------------------------===//

#include "EpilogueInterpreter.h"
#include "Evaluate.h"
#include "RandomInputs.h"
#include "Verify.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace conv;
using namespace conv::reference;

namespace {

artifact::Argument makeArgument(const std::string &name,
                                std::vector<int64_t> shape,
                                const std::string &layout,
                                const std::string &dtype) {
  artifact::Argument argument;
  argument.name = argument.role = name;
  argument.access = name == "output" ? "write" : "read";
  argument.dtype = dtype;
  argument.layout = layout;
  argument.shape = std::move(shape);
  return argument;
}

/// N1 H4 W5 C2, K3 R3 S2, strides 2 1, dilations 1 2, low padding 1 1: output
/// 1 x 2 x 4 x 3. With a bias and a relu.
artifact::Entry makeEntry(const std::string &dtype) {
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "host";
  entry.arguments = {makeArgument("input", {1, 4, 5, 2}, "NHWC", dtype),
                     makeArgument("filter", {3, 3, 2, 2}, "KRSC", dtype),
                     makeArgument("bias", {3}, "", dtype),
                     makeArgument("output", {1, 2, 4, 3}, "NPQK", dtype)};
  entry.reference = R"({
    "steps": [{
      "input": {"argument": 0}, "filter": {"argument": 1},
      "tail_operands": [{"argument": 2, "per_channel": true}],
      "layouts": ["NHWC", "KRSC", "NPQK"],
      "shapes": [[1, 4, 5, 2], [3, 3, 2, 2], [1, 2, 4, 3]],
      "groups": 1, "strides": [2, 1], "dilations": [1, 2], "low": [1, 1],
      "output_type": ")" +
                    dtype + R"(",
      "tail": [
        {"op": "extf", "operands": [1], "type": "f32"},
        {"op": "addf", "operands": [0, 2], "type": "f32"},
        {"op": "constant", "operands": [], "type": "f32", "value": 0},
        {"op": "maximumf", "operands": [3, 4], "type": "f32"},
        {"op": "truncf", "operands": [5], "type": ")" +
                    dtype + R"("}],
      "yield": 6,
      "error_bound": {"accumulation": 12, "output_ulp": 0.5}}],
    "outputs": [{"argument": 3, "step": 0}]})";
  return entry;
}

/// The same convolution, index by index.
double expectedElement(const ArgumentBytes &arguments, ElementType type,
                       int64_t p, int64_t q, int64_t k) {
  double sum = loadElement(type, arguments[2].data(), k);
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t s = 0; s < 2; ++s)
      for (int64_t c = 0; c < 2; ++c) {
        int64_t h = p * 2 + r - 1, w = q + s * 2 - 1;
        if (h < 0 || h >= 4 || w < 0 || w >= 5)
          continue;
        sum += loadElement(type, arguments[0].data(), (h * 5 + w) * 2 + c) *
               loadElement(type, arguments[1].data(),
                           ((k * 3 + r) * 2 + s) * 2 + c);
      }
  return std::max(sum, 0.0);
}

ArgumentBytes makeInputs(const artifact::Entry &entry, RandomKind kind) {
  ArgumentBytes bytes;
  for (const artifact::Argument &argument : entry.arguments)
    bytes.push_back(argument.access == "read" ? randomBytes(argument, kind, 7)
                                              : std::string());
  return bytes;
}

TEST(Reference, MatchesIndexByIndexLoops) {
  artifact::Entry entry = makeEntry("f32");
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;
  for (RandomKind kind : {RandomKind::Normal, RandomKind::Integers}) {
    ArgumentBytes inputs = makeInputs(entry, kind);
    std::vector<Expected> results = evaluate(*program, entry, inputs);
    ASSERT_EQ(results.size(), 1u);
    for (int64_t i = 0; i < 24; ++i) {
      double want =
          expectedElement(inputs, ElementType::F32, i / 12, i / 3 % 4, i % 3);
      EXPECT_NEAR(results[0].values[i], want, 1e-12);
      EXPECT_EQ(results[0].exact[i], kind == RandomKind::Integers);
      EXPECT_GT(results[0].bounds[i], 0);
    }
  }
}

TEST(Reference, BoundIsTheNumericRule) {
  artifact::Entry entry = makeEntry("f16");
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;
  ArgumentBytes inputs = makeInputs(entry, RandomKind::Normal);
  Expected result = evaluate(*program, entry, inputs)[0];
  // Element (0, 1, 2, 1): every tap is inside the input.
  double magnitude = 0;
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t s = 0; s < 2; ++s)
      for (int64_t c = 0; c < 2; ++c) {
        int64_t h = 2 + r - 1, w = 2 + s * 2 - 1;
        magnitude += std::fabs(loadElement(ElementType::F16, inputs[0].data(),
                                           (h * 5 + w) * 2 + c) *
                               loadElement(ElementType::F16, inputs[1].data(),
                                           ((3 + r) * 2 + s) * 2 + c));
      }
  int64_t element = (1 * 4 + 2) * 3 + 1;
  EXPECT_NEAR(result.bounds[element],
              0.5 * ulp(ElementType::F16, result.values[element]) +
                  12 * std::ldexp(magnitude, -24),
              1e-15);
}

TEST(Reference, RefusesWhatDoesNotFit) {
  auto expectError = [](const std::string &from, const std::string &to,
                        const std::string &message) {
    artifact::Entry entry = makeEntry("f32");
    size_t place = entry.reference.find(from);
    ASSERT_NE(place, std::string::npos);
    entry.reference.replace(place, from.size(), to);
    Result<Program> program = parseProgram(entry);
    ASSERT_FALSE(program) << to;
    EXPECT_EQ(program.error().kind, ErrorKind::BadInput);
    EXPECT_NE(program.error().message.find(message), std::string::npos)
        << program.error().message;
  };
  expectError("{\"argument\": 0}", "{\"argument\": 9}",
              "expects argument between 0 and 3, but got 9");
  expectError("{\"argument\": 0}", "{\"step\": 0}",
              "expects step between 0 and -1, but got 0");
  expectError("[1, 4, 5, 2]", "[1, 4, 5, 3]",
              "expects input to have 60 elements, but got 40");
  expectError("\"operands\": [3, 4]", "\"operands\": [3, 5]",
              "expects operand between 0 and 4, but got 5");
  expectError("\"maximumf\"", "\"frobnicate\"",
              "expects a scalar operation, but got \"frobnicate\"");
  expectError("\"maximumf\"", "\"\\u001b[31m\"",
              "expects op to be a plain string, but got \"\\u001b[31m\"");
  expectError("\"NPQK\"", "\"NPPK\"", "expects an order string");
  expectError("[2, 1]", "[2]", "expects strides to have 2 entries, but got 1");
  expectError("\"yield\": 6", "\"yield\": 7", "expects yield between 0 and 6");
  expectError("\"steps\"", "\"step\"", "expects a field \"steps\"");
  expectError("{", "", "parse error");
}

// An edited artifact may name a cache without rows to fill, or more states than
// any machine holds.
TEST(Reference, FinalStatesAreCounted) {
  auto parse = [](int64_t indices, const std::string &rows) {
    artifact::Entry entry;
    entry.function = "f";
    entry.target = "host";
    entry.arguments = {makeArgument("input", {4, 2}, "", "f32"),
                       makeArgument("indices", {indices}, "", "i32"),
                       makeArgument("state", {3, 1, 2}, "", "f32")};
    entry.reference = R"({"steps": [{"direction": "final_state",
      "shape": )" + rows +
                      R"(, "input": {"argument": 0},
      "indices": {"argument": 1}, "state": {"argument": 2},
      "output_type": "f32",
      "error_bound": {"accumulation": 0, "output_ulp": 0}}],
      "outputs": [{"argument": 2, "step": 0}]})";
    return parseProgram(entry);
  };
  const std::string message = "expects an index for each sequence";
  Result<Program> empty = parse(0, "[3, 1, 2]");
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find(message), std::string::npos)
      << empty.error().message;
  Result<Program> huge = parse(int64_t(1) << 30, "[1, 1073741824, 2]");
  ASSERT_FALSE(huge);
  EXPECT_NE(huge.error().message.find(message), std::string::npos)
      << huge.error().message;
  // Matches the number of tokens.
  Result<Program> right = parse(2, "[3, 1, 2]");
  EXPECT_TRUE(right) << right.error().message;
}

TEST(Reference, ErrorsOfResultsSpreadIntoLaterSteps) {
  // Two 1x1 convolutions of one pixel and one channel: y = x * v, z = y * w.
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "host";
  entry.arguments = {makeArgument("input", {1, 1, 1, 1}, "NHWC", "f32"),
                     makeArgument("v", {1, 1, 1, 1}, "KRSC", "f32"),
                     makeArgument("w", {1, 1, 1, 1}, "KRSC", "f32"),
                     makeArgument("output", {1, 1, 1, 1}, "NPQK", "f32")};
  auto step = [](const char *input, int filter) {
    return std::string(R"({"input": )") + input +
           R"(, "filter": {"argument": )" + std::to_string(filter) +
           R"(}, "tail_operands": [], "layouts": ["NHWC", "KRSC", "NPQK"],
        "shapes": [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], "groups": 1,
        "strides": [1, 1], "dilations": [1, 1], "low": [0, 0],
        "output_type": "f32", "tail": [], "yield": 0,
        "error_bound": {"accumulation": 1, "output_ulp": 0.5}})";
  };
  entry.reference = "{\"steps\": [" + step("{\"argument\": 0}", 1) + "," +
                    step("{\"step\": 0}", 2) +
                    "], \"outputs\": [{\"argument\": 3, \"step\": 1}]}";
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;

  ArgumentBytes inputs(4, std::string(4, '\0'));
  storeElement(ElementType::F32, inputs[0].data(), 0, 1.5);
  storeElement(ElementType::F32, inputs[1].data(), 0, 1.25);
  storeElement(ElementType::F32, inputs[2].data(), 0, -8);
  Expected result = evaluate(*program, entry, inputs)[0];
  EXPECT_EQ(result.values[0], -15);
  EXPECT_FALSE(result.exact[0]);
  double first = 0.5 * 0x1p-23 + 0x1p-24 * 1.875;
  double second = 0.5 * 0x1p-20 + 0x1p-24 * (15 + 8 * first) + 8 * first;
  EXPECT_DOUBLE_EQ(result.bounds[0], second);
}

TEST(EpilogueInterpreter, KnowsWhatIsExactInFloat) {
  auto run = [](ScalarOp op, Scalar a, Scalar b) {
    std::vector<Scalar> values = {a, b};
    EpilogueNode node;
    node.op = op;
    node.operands = {0, 1};
    runEpilogue({node}, values);
    return values[2];
  };
  Scalar three = {3, 0, true}, tenth = {double(0.1f), 0, true};
  EXPECT_TRUE(run(ScalarOp::Add, three, three).exact);
  EXPECT_TRUE(run(ScalarOp::Mul, three, three).exact);
  EXPECT_FALSE(run(ScalarOp::Mul, three, tenth).exact);
  EXPECT_FALSE(run(ScalarOp::Div, three, three).exact);
  EXPECT_TRUE(run(ScalarOp::Maximum, three, tenth).exact);
  EXPECT_FALSE(run(ScalarOp::Add, three, {1, 0.5, false}).exact);
}

/// A node that applies the named function to the first value.
static EpilogueNode makeFunction(const char *name) {
  EpilogueNode node;
  node.op = ScalarOp::Function;
  node.operands = {0};
  node.function = lookupFunction(name);
  EXPECT_TRUE(node.function) << name;
  return node;
}

/// Moves the argument in steps through everything that the error allows.
static void checkSpread(const char *name, double x, double error) {
  EpilogueNode node = makeFunction(name);
  std::vector<Scalar> values = {{x, error, false}};
  runEpilogue({node}, values);
  for (int step = -8; step <= 8; ++step) {
    double moved = node.function->value(x + error * step / 8);
    if (!std::isnan(moved))
      EXPECT_LE(std::fabs(moved - values[1].value), values[1].error + 1e-12)
          << name << " of " << x << ", " << step << "/8 of " << error;
  }
}

TEST(EpilogueInterpreter, BoundsHowErrorsMove) {
  for (const char *name :
       {"abs",   "acos", "acosh", "asin",      "asinh", "atan",
        "atanh", "cbrt", "ceil",  "cos",       "cosh",  "erf",
        "exp",   "exp2", "expm1", "floor",     "log",   "log10",
        "log1p", "log2", "round", "roundeven", "rsqrt", "sin",
        "sinh",  "sqrt", "tan",   "tanh",      "trunc"})
    for (double x : {-1.4, -0.9, 0.3, 0.99, 1.0, 1.5, 2.5})
      for (double error : {1e-6, 0.2})
        if (std::isfinite(lookupFunction(name)->value(x)))
          checkSpread(name, x, error);
}

TEST(EpilogueInterpreter, BoundsHowErrorsMovePowers) {
  EpilogueNode power;
  power.op = ScalarOp::Power;
  power.operands = {0, 1};
  for (double base : {0.5, 2.0, 3.5})
    for (double exponent : {-1.5, 0.25, 2.0}) {
      std::vector<Scalar> values = {{base, 0.1, false}, {exponent, 0.1, false}};
      runEpilogue({power}, values);
      for (double a : {-0.1, 0.0, 0.1})
        for (double b : {-0.1, 0.0, 0.1})
          EXPECT_LE(
              std::fabs(std::pow(base + a, exponent + b) - values[2].value),
              values[2].error + 1e-12);
    }
  std::vector<Scalar> values = {{0.05, 0.1, false}, {0.5, 0, true}};
  runEpilogue({power}, values);
  EXPECT_EQ(values[2].error, INFINITY); // The base may be negative.
}

TEST(EpilogueInterpreter, CombinesConditions) {
  auto run = [](ScalarOp op, double a, double b) {
    EpilogueNode node;
    node.op = op;
    node.operands = {0, 1};
    std::vector<Scalar> values = {{a, 0, true}, {b, 0, true}};
    runEpilogue({node}, values);
    return values[2].value;
  };
  for (int a : {0, 1})
    for (int b : {0, 1}) {
      EXPECT_EQ(run(ScalarOp::Minimum, a, b), a && b);
      EXPECT_EQ(run(ScalarOp::Maximum, a, b), a || b);
      EXPECT_EQ(run(ScalarOp::Differ, a, b), a != b);
    }
}

TEST(EpilogueInterpreter, UndecidedComparisonCoversBothSides) {
  // select(x > 0, x, 5) near 0.
  EpilogueNode compare, select;
  compare.op = ScalarOp::Compare;
  compare.predicate = "ogt";
  compare.operands = {0, 1};
  select.op = ScalarOp::Select;
  select.operands = {3, 0, 2};
  std::vector<Scalar> values = {{0.1, 0.2, false}, {0, 0, true}, {5, 0, true}};
  runEpilogue({compare, select}, values);
  EXPECT_EQ(values[4].value, 0.1);
  EXPECT_GE(values[4].error, 4.9);
}

TEST(EpilogueInterpreter, RoundsWhatIeeePrescribes) {
  // roundeven((float)acc * 0.1f), as kernels requantise.
  auto node = [](ScalarOp op, std::vector<int64_t> operands, ElementType type) {
    EpilogueNode node;
    node.op = op;
    node.operands = std::move(operands);
    node.type = type;
    return node;
  };
  EpilogueNode round = makeFunction("roundeven");
  round.operands = {3};
  for (int32_t sum : {5, 25, 16777217, 2147483647}) {
    std::vector<Scalar> values = {{double(sum), 0, true},
                                  {double(0.1f), 0, true}};
    runEpilogue({node(ScalarOp::Convert, {0}, ElementType::F32),
                 node(ScalarOp::Mul, {2, 1}, ElementType::F32), round},
                values, Rounding::Counted);
    EXPECT_TRUE(values.back().exact);
    EXPECT_EQ(values.back().value, std::nearbyint(float(sum) * 0.1f));
  }
}

TEST(EpilogueInterpreter, CountsRoundingsAsTheNumericRule) {
  auto runNode = [](EpilogueNode node, std::vector<Scalar> values) {
    node.operands.clear();
    for (size_t i = 0; i < values.size(); ++i)
      node.operands.push_back(int64_t(i));
    runEpilogue({node}, values, Rounding::Counted);
    return values.back();
  };
  auto run = [&](ScalarOp op, std::vector<Scalar> values) {
    EpilogueNode node;
    node.op = op;
    return runNode(node, values);
  };
  // Division and square root of exact operands have one correct result.
  Scalar quotient = run(ScalarOp::Div, {{1, 0, true}, {3, 0, true}});
  EXPECT_TRUE(quotient.exact);
  EXPECT_EQ(quotient.value, 1.0f / 3.0f);
  Scalar root = runNode(makeFunction("sqrt"), {{2, 0, true}});
  EXPECT_TRUE(root.exact);
  EXPECT_EQ(root.value, std::sqrt(2.0f));
  // Results of inexact operands are rounded once; functions err by a few ulp.
  Scalar inexact = run(ScalarOp::Div, {{1, 0, false}, {3, 0, true}});
  EXPECT_FALSE(inexact.exact);
  EXPECT_EQ(inexact.error, 0.5 * ulp(ElementType::F32, inexact.value));
  Scalar power = runNode(makeFunction("exp"), {{1, 0, true}});
  EXPECT_FALSE(power.exact);
  EXPECT_EQ(power.error, 2 * ulp(ElementType::F32, power.value));
}

TEST(EpilogueInterpreter, IntegersWrapAround) {
  auto run = [](ScalarOp op, double a, double b, ElementType type) {
    EpilogueNode node;
    node.op = op;
    node.operands = {0, 1};
    node.type = type;
    std::vector<Scalar> values = {{a, 0, true}, {b, 0, true}};
    runEpilogue({node}, values, Rounding::Counted);
    EXPECT_TRUE(values[2].exact);
    return values[2].value;
  };
  EXPECT_EQ(run(ScalarOp::Add, INT32_MAX, 1, ElementType::I32), INT32_MIN);
  EXPECT_EQ(run(ScalarOp::Sub, INT32_MIN, 1, ElementType::I32), INT32_MAX);
  EXPECT_EQ(run(ScalarOp::Mul, INT32_MAX, INT32_MAX, ElementType::I32), 1);
  EXPECT_EQ(run(ScalarOp::Add, 100, 100, ElementType::I8), -56);
}

TEST(EpilogueInterpreter, RoundingToAnIntegerMayJump) {
  EpilogueNode node = makeFunction("roundeven");
  std::vector<Scalar> values = {{2.4, 0.2, false}};
  runEpilogue({node}, values);
  EXPECT_EQ(values[1].value, 2);
  EXPECT_EQ(values[1].error, 1);
}

TEST(Verify, FindsAWrongElement) {
  artifact::Argument argument =
      makeArgument("output", {1, 2, 1, 2}, "NPQK", "f16");
  Expected expected;
  expected.type = ElementType::F16;
  expected.values = {1, 2, 3, -0.0};
  expected.bounds = {0.01, 0.01, 0.01, 0.01};
  expected.exact = {0, 0, 1, 1};
  std::string bytes(8, '\0');
  for (int i = 0; i < 4; ++i)
    storeElement(ElementType::F16, bytes.data(), i, expected.values[i]);
  EXPECT_EQ(compare(expected, bytes).wrong, 0);
  EXPECT_EQ(compare(expected, bytes).exact, 2);

  storeElement(ElementType::F16, bytes.data(), 1, 2.0078125);
  EXPECT_EQ(compare(expected, bytes).wrong, 0);
  EXPECT_NEAR(compare(expected, bytes).worstRatio, 0.78125, 1e-12);

  storeElement(ElementType::F16, bytes.data(), 1, 2.015625);
  Comparison wrong = compare(expected, bytes);
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_EQ(describeFirstWrong(wrong, argument),
            "element [0, 0, 0, 1] of output expects 2 within 0.01, but got "
            "2.015625");

  // Exact elements have no tolerance: one unit in the last place is wrong.
  storeElement(ElementType::F16, bytes.data(), 1, 2);
  storeElement(ElementType::F16, bytes.data(), 2, 3.001953125);
  EXPECT_EQ(compare(expected, bytes).firstWrong, 2);
  storeElement(ElementType::F16, bytes.data(), 2, NAN);
  EXPECT_EQ(compare(expected, bytes).wrong, 1);
}

TEST(Verify, InfinityOnlyWhereTheBoundReachesIt) {
  Expected expected;
  expected.type = ElementType::F16;
  expected.values = {65510, 60000, NAN};
  expected.bounds = {20, 20, 1};
  expected.exact = {0, 0, 0};
  std::string bytes(6, '\0');
  storeElement(ElementType::F16, bytes.data(), 0, INFINITY);
  storeElement(ElementType::F16, bytes.data(), 1, INFINITY);
  storeElement(ElementType::F16, bytes.data(), 2, NAN);
  Comparison result = compare(expected, bytes);
  EXPECT_EQ(result.wrong, 1);
  EXPECT_EQ(result.firstWrong, 1);
}

TEST(Verify, NanIsBeyondTheLargestValueOfATypeWithoutInfinity) {
  Expected expected;
  expected.type = ElementType::F8E4M3FN;
  expected.values = {463, 440};
  expected.bounds = {2, 2};
  expected.exact = {0, 0};
  std::string bytes(2, '\x7f');
  Comparison result = compare(expected, bytes);
  EXPECT_EQ(result.wrong, 1);
  EXPECT_EQ(result.firstWrong, 1);
}

} // namespace
