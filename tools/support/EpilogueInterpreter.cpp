//===- EpilogueInterpreter.cpp - scalar epilogues in double precision -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One case per scalar operation: its value, a bound on the effect of operand
// errors (a Lipschitz constant or the exact worst case), and whether f32
// computes it without rounding. The entry's own error bound usually covers
// rounding inside the epilogue; it is counted here only where there is no such
// bound.
//
//===----------------------------------------------------------------------===//

#include "EpilogueInterpreter.h"

#include "LogisticQuotient.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv;
using namespace conv::reference;

static bool fitsFloat(double value) {
  return double(float(value)) == value || std::isnan(value);
}

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a > b ? a : b;
}

/// MLIR's predicates: if an operand is NaN, an ordered predicate is false and
/// an unordered one is true.
static bool compare(const std::string &predicate, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return predicate == "uno" || predicate == "true" ||
           (predicate[0] == 'u' && predicate != "uno");
  // "ogt", "ugt" and "sgt"; "eq" of integers.
  std::string relation =
      predicate.size() == 3 ? predicate.substr(1) : predicate;
  if (relation == "gt")
    return a > b;
  if (relation == "ge")
    return a >= b;
  if (relation == "lt")
    return a < b;
  if (relation == "le")
    return a <= b;
  if (relation == "eq")
    return a == b;
  if (relation == "ne")
    return a != b;
  return predicate == "ord" || predicate == "true";
}

/// A comparison whose operands differ by less than their errors can go either
/// way: `error` is 1 then.
static Scalar runCompare(const EpilogueNode &node, const Scalar &a,
                         const Scalar &b) {
  double slack = a.error + b.error;
  bool undecided = slack > 0 && std::fabs(a.value - b.value) <= slack;
  return {compare(node.predicate, a.value, b.value) ? 1.0 : 0.0,
          undecided ? 1.0 : 0.0, a.exact && b.exact};
}

static Scalar runSelect(const Scalar &condition, const Scalar &a,
                        const Scalar &b) {
  Scalar taken = condition.value != 0 ? a : b;
  if (condition.error > 0)
    taken.error = std::max(a.error, b.error) + std::fabs(a.value - b.value);
  taken.exact &= condition.exact;
  return taken;
}

/// The value of the lowest bits of `value` in an integer type.
static double wrapTo(ElementType type, int64_t value) {
  int unused = 64 - 8 * int(elementBytes(type));
  return double(int64_t(uint64_t(value) << unused) >> unused);
}

static Scalar runFunction(const ScalarFunction &function, const Scalar &a) {
  double error = a.error > 0 ? function.spread(a.value, a.error) : 0;
  return {function.value(a.value), error, a.exact && function.ulp == 0};
}

static Scalar runConvert(const EpilogueNode &node, const Scalar &a) {
  // If the operand is exact, so is the rounded result; otherwise the reference
  // keeps the unrounded value.
  return {a.exact ? roundTo(node.type, a.value) : a.value, a.error, a.exact};
}

static Scalar runUnary(const EpilogueNode &node, const Scalar &a) {
  if (node.op == ScalarOp::Function)
    return runFunction(*node.function, a);
  if (node.op == ScalarOp::Neg)
    return {-a.value, a.error, a.exact};
  return {wrapTo(node.type, int64_t(a.value)), a.error, a.exact};
}

/// Powers of positive bases are monotone in each operand, so the farthest value
/// is at a corner of the two intervals. Other bases have no bound.
static Scalar runPower(const Scalar &a, const Scalar &b) {
  double value = std::pow(a.value, b.value), error = 0;
  if (a.error > 0 || b.error > 0) {
    for (double base : {a.value - a.error, a.value + a.error})
      for (double exponent : {b.value - b.error, b.value + b.error})
        error = std::max(error, std::fabs(std::pow(base, exponent) - value));
    if (a.value - a.error <= 0)
      error = INFINITY;
  }
  return {value, error, false};
}

static Scalar runBinary(const EpilogueNode &node, const Scalar &a,
                        const Scalar &b) {
  bool exact = a.exact && b.exact;
  double value = 0, error = std::max(a.error, b.error);
  switch (node.op) {
  case ScalarOp::Add:
  case ScalarOp::Sub:
    value = node.op == ScalarOp::Add ? a.value + b.value : a.value - b.value;
    error = a.error + b.error;
    return {value, error, exact && fitsFloat(value)};
  case ScalarOp::Mul:
    value = a.value * b.value;
    error = std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
            a.error * b.error;
    return {value, error, exact && fitsFloat(value)};
  case ScalarOp::Div: {
    value = a.value / b.value;
    double nearest = std::fabs(b.value) - b.error;
    // A divisor that is infinite in f32 gives zero.
    if (std::fabs(b.value) + b.error > std::numeric_limits<float>::max())
      error = std::fabs(value);
    else if (a.error == 0 && b.error == 0)
      error = 0;
    else
      error = nearest > 0 ? (a.error + std::fabs(value) * b.error) / nearest
                          : INFINITY;
    return {value, error, false};
  }
  case ScalarOp::Power:
    return runPower(a, b);
  case ScalarOp::Differ:
    return {a.value != b.value ? 1.0 : 0.0, error, exact};
  case ScalarOp::Maximum:
    return {maximum(a.value, b.value), error, exact};
  case ScalarOp::Minimum:
    return {-maximum(-a.value, -b.value), error, exact};
  case ScalarOp::MaxNum:
    return {std::fmax(a.value, b.value), error, exact};
  default:
    return {std::fmin(a.value, b.value), error, exact};
  }
}

/// Addition, subtraction and multiplication of integers wrap around.
static double runInteger(const EpilogueNode &node, double a, double b) {
  int64_t x = int64_t(a), y = int64_t(b);
  int64_t value = node.op == ScalarOp::Add   ? x + y
                  : node.op == ScalarOp::Sub ? x - y
                                             : x * y;
  return wrapTo(node.type, value);
}

static Scalar runFma(const Scalar &a, const Scalar &b, const Scalar &c) {
  double value = std::fma(a.value, b.value, c.value);
  double error = std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
                 a.error * b.error + c.error;
  return {value, error, a.exact && b.exact && c.exact && fitsFloat(value)};
}

/// Whether the result or an operand of a node has 64 bits.
static bool isWide(const EpilogueNode &node,
                   const std::vector<Scalar> &values) {
  return node.isWide ||
         std::any_of(node.operands.begin(), node.operands.end(),
                     [&](int64_t index) { return values[index].isWide; });
}

/// A shift by the number of bits or more is undefined.
static int64_t shift(ScalarOp op, int64_t value, int64_t distance) {
  if (distance < 0 || distance > 63)
    return 0;
  return op == ScalarOp::ShiftLeft ? int64_t(uint64_t(value) << distance)
                                   : value >> distance;
}

static int64_t computeWide(const EpilogueNode &node, int64_t x, int64_t y) {
  switch (node.op) {
  case ScalarOp::Add:
    return int64_t(uint64_t(x) + uint64_t(y));
  case ScalarOp::Sub:
    return int64_t(uint64_t(x) - uint64_t(y));
  case ScalarOp::Mul:
    return int64_t(uint64_t(x) * uint64_t(y));
  case ScalarOp::Maximum:
    return std::max(x, y);
  case ScalarOp::Minimum:
    return std::min(x, y);
  case ScalarOp::ShiftLeft:
  case ScalarOp::ShiftRight:
    return shift(node.op, x, y);
  default:
    return x; // A conversion.
  }
}

static bool compareIntegers(const std::string &predicate, int64_t x,
                            int64_t y) {
  // As for doubles, by the sign of the difference.
  return compare(predicate, x < y ? -1 : x > y, 0);
}

/// Integers of 64 bits, which wrap around. Operands with errors leave no
/// bound.
static Scalar runWide(const EpilogueNode &node,
                      const std::vector<Scalar> &values) {
  auto operand = [&](size_t index) {
    if (index >= node.operands.size())
      return int64_t(0);
    const Scalar &scalar = values[node.operands[index]];
    return scalar.isWide ? scalar.integer : int64_t(scalar.value);
  };
  bool exact = true;
  for (int64_t index : node.operands)
    exact &= values[index].error == 0;
  int64_t result = node.op == ScalarOp::Constant ? node.wideConstant
                   : node.op == ScalarOp::Select
                       ? operand(operand(0) != 0 ? 1 : 2)
                       : computeWide(node, operand(0), operand(1));
  double error = exact ? 0 : INFINITY;
  if (node.op == ScalarOp::Compare)
    return {compareIntegers(node.predicate, operand(0), operand(1)) ? 1.0 : 0.0,
            exact ? 0.0 : 1.0, exact};
  if (!node.isWide)
    return {wrapTo(node.type, result), error, exact};
  return {double(result), error, exact, true, result};
}

/// The error that computing `node` in f32 may add, in units in the last place,
/// as docs/numerics.md grants it.
static double getUlp(const EpilogueNode &node) {
  switch (node.op) {
  case ScalarOp::Add:
  case ScalarOp::Sub:
  case ScalarOp::Mul:
  case ScalarOp::Div:
  case ScalarOp::Fma:
    return 0.5;
  case ScalarOp::Function:
    return node.function->ulp;
  case ScalarOp::Power:
    return 16;
  default:
    return 0;
  }
}

/// Whether IEEE 754 prescribes every bit of the result for exact operands.
static bool isCorrectlyRounded(const EpilogueNode &node) {
  return getUlp(node) == 0.5;
}

/// The result that IEEE 754 prescribes.
static double roundCorrectly(const EpilogueNode &node, double value,
                             const std::vector<Scalar> &values) {
  auto operand = [&](int index) { return values[node.operands[index]].value; };
  if (!isFloat(node.type))
    return runInteger(node, operand(0), operand(1));
  // In double, f32 plus an exact product of two f32 is rounded before.
  if (node.op == ScalarOp::Fma)
    return std::fma(float(operand(0)), float(operand(1)), float(operand(2)));
  return roundTo(node.type, value);
}

void conv::reference::runEpilogue(const std::vector<EpilogueNode> &nodes,
                                  std::vector<Scalar> &values,
                                  Rounding rounding) {
  size_t inputs = values.size();
  for (const EpilogueNode &node : nodes) {
    auto operand = [&](int index) -> const Scalar & {
      return values[node.operands[index]];
    };
    if (isWide(node, values)) {
      values.push_back(runWide(node, values));
      continue;
    }
    Scalar result;
    if (node.op == ScalarOp::Constant)
      result = {node.constant, 0, fitsFloat(node.constant)};
    else if (node.op == ScalarOp::Convert)
      result = runConvert(node, operand(0));
    else if (node.op == ScalarOp::Compare)
      result = runCompare(node, operand(0), operand(1));
    else if (node.op == ScalarOp::Select)
      result = runSelect(operand(0), operand(1), operand(2));
    else if (node.op == ScalarOp::Fma)
      result = runFma(operand(0), operand(1), operand(2));
    else if (node.operands.size() == 2)
      result = runBinary(node, operand(0), operand(1));
    else
      result = runUnary(node, operand(0));
    bool operandsExact =
        std::all_of(node.operands.begin(), node.operands.end(),
                    [&](int64_t index) { return values[index].exact; });
    if (rounding == Rounding::Counted && operandsExact &&
        isCorrectlyRounded(node))
      result = {roundCorrectly(node, result.value, values), 0, true};
    else if (rounding == Rounding::Counted && !result.exact)
      result.error +=
          getUlp(node) * ulp(ElementType::F32, result.value) +
          getApproximation({nodes, inputs, values}, node, result.value);
    values.push_back(result);
  }
}
