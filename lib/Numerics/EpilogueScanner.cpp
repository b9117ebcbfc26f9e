//===- EpilogueScanner.cpp - an epilogue at one point of its root ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueScanner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

using namespace conv;

static constexpr double kUnitRoundoff = 0x1p-24;

/// What an approximate reciprocal adds to the error of a quotient by 1 + exp(x)
/// in these units, and for each unit of |x| that the power is a part of the
/// divisor, what rounding its exponent adds.
static constexpr double kErrorOfReciprocal = 2, kErrorOfExponent = 1.25;

/// Rounding error of an operation in units of 2^-24 of its result: 1 if it is
/// correctly rounded, 4 for functions, which are accurate to 2 ulp.
static double roundingOf(const EpilogueGraph &graph,
                         const EpilogueValue &value) {
  auto isPowerOfTwo = [&](int index) {
    const EpilogueValue &factor = graph.values[index];
    int exponent;
    return factor.op == EpilogueOp::Constant &&
           std::fabs(std::frexp(factor.constant, &exponent)) == 0.5;
  };
  switch (value.op) {
  case EpilogueOp::Add:
  case EpilogueOp::Sub:
  case EpilogueOp::Fma:
  case EpilogueOp::Sqrt:
    return 1;
  case EpilogueOp::Mul:
    return isPowerOfTwo(value.operands[0]) || isPowerOfTwo(value.operands[1])
               ? 0
               : 1;
  case EpilogueOp::Div:
    return isPowerOfTwo(value.operands[1]) ? 0 : 1;
  case EpilogueOp::Exp:
  case EpilogueOp::Exp2:
  case EpilogueOp::Log:
  case EpilogueOp::Tanh:
  case EpilogueOp::Erf:
  case EpilogueOp::Rsqrt:
    return 4;
  case EpilogueOp::RoundF16:
    return 0x1p13;
  case EpilogueOp::RoundBF16:
    return 0x1p16;
  default:
    return 0;
  }
}

/// The exponential of a quotient by 1 + exp(x), or -1.
static int findLogisticExponential(const EpilogueGraph &graph,
                                   const EpilogueValue &value) {
  if (value.op != EpilogueOp::Div)
    return -1;
  const EpilogueValue &divisor = graph.values[value.operands[1]];
  if (divisor.op != EpilogueOp::Add)
    return -1;
  for (int i : {0, 1}) {
    const EpilogueValue &one = graph.values[divisor.operands[i]];
    int power = divisor.operands[1 - i];
    if (one.op == EpilogueOp::Constant && one.constant == 1 &&
        graph.values[power].op == EpilogueOp::Exp)
      return power;
  }
  return -1;
}

/// Whether such a quotient is approximate: where the result has 16 bits.
static bool isApproximate(const EpilogueGraph &graph,
                          const EpilogueValue &value) {
  EpilogueOp last = graph.values[graph.yield].op;
  return (last == EpilogueOp::RoundF16 || last == EpilogueOp::RoundBF16) &&
         findLogisticExponential(graph, value) >= 0;
}

/// What it may be off by on top then, in units of 2^-24 of its value: of an
/// approximate reciprocal, and of a power whose exponent is rounded.
static double approximationOf(const EpilogueGraph &graph,
                              const EpilogueValue &value,
                              const std::vector<double> &results) {
  if (!isApproximate(graph, value))
    return 0;
  int power = findLogisticExponential(graph, value);
  double x = results[graph.values[power].operands[0]];
  double share = results[power] / (1 + results[power]);
  return kErrorOfReciprocal + kErrorOfExponent * std::fabs(x) * share;
}

/// Derivative of a value by each of its operands `x`.
static std::array<double, 3> getPartials(const EpilogueValue &value,
                                         double result, const double *x) {
  switch (value.op) {
  case EpilogueOp::Neg:
    return {-1};
  case EpilogueOp::Abs:
    return {x[0] < 0 ? -1.0 : 1.0};
  case EpilogueOp::Exp:
    return {result};
  case EpilogueOp::Exp2:
    return {result * M_LN2};
  case EpilogueOp::Log:
    return {1 / x[0]};
  case EpilogueOp::Tanh: {
    double cosh = std::cosh(x[0]);
    return {1 / (cosh * cosh)};
  }
  case EpilogueOp::Erf:
    return {M_2_SQRTPI * std::exp(-x[0] * x[0])};
  case EpilogueOp::Sqrt:
    return {0.5 / result};
  case EpilogueOp::Rsqrt:
    return {-0.5 * result / x[0]};
  case EpilogueOp::RoundF16:
  case EpilogueOp::RoundBF16:
    return {1};
  case EpilogueOp::Add:
    return {1, 1};
  case EpilogueOp::Sub:
    return {1, -1};
  case EpilogueOp::Mul:
    return {x[1], x[0]};
  case EpilogueOp::Div:
    return {1 / x[1], -result / x[1]};
  case EpilogueOp::Max:
    return {double(x[0] >= x[1]), double(x[0] < x[1])};
  case EpilogueOp::Min:
    return {double(x[0] <= x[1]), double(x[0] > x[1])};
  case EpilogueOp::Fma:
    return {x[1], x[0], 1};
  case EpilogueOp::Select:
    return {0, double(x[0] != 0), double(x[0] == 0)};
  default:
    return {};
  }
}

double EpilogueScanner::getApproximation() const {
  bool hasAny = std::any_of(computed.begin(), computed.end(), [&](int i) {
    return isApproximate(graph, graph.values[i]);
  });
  return hasAny ? kErrorOfReciprocal : 0;
}

void EpilogueScanner::collect() {
  std::vector<bool> seen(value + 1);
  seen[root] = true;
  std::vector<int> worklist;
  auto visit = [&](int index) {
    if (seen[index])
      return;
    seen[index] = true;
    worklist.push_back(index);
  };
  visit(value);
  while (!worklist.empty()) {
    int index = worklist.back();
    worklist.pop_back();
    computed.push_back(index);
    for (int operand : graph.values[index].operands)
      visit(operand);
  }
  std::sort(computed.begin(), computed.end());
}

bool EpilogueScanner::evaluateForward(double y) {
  bool inRange = true;
  results[root] = y;
  narrow[root] = static_cast<float>(y);
  for (int i : computed) {
    const EpilogueValue &node = graph.values[i];
    double wide[3] = {};
    float single[3] = {};
    for (size_t k = 0; k < node.operands.size(); ++k) {
      wide[k] = results[node.operands[k]];
      single[k] = narrow[node.operands[k]];
    }
    results[i] = evaluateEpilogueOp(node, wide);
    narrow[i] = evaluateEpilogueOp(node, single);
    double magnitude = std::fabs(results[i]);
    inRange &=
        magnitude == 0 || (magnitude >= std::numeric_limits<float>::min() &&
                           magnitude <= std::numeric_limits<float>::max());
  }
  return inRange;
}

void EpilogueScanner::evaluateBackward() {
  adjoints[root] = 0;
  for (int i : computed)
    adjoints[i] = 0;
  adjoints[value] = 1;
  for (int i : std::views::reverse(computed)) {
    if (adjoints[i] == 0)
      continue;
    const EpilogueValue &node = graph.values[i];
    double operands[3] = {};
    for (size_t k = 0; k < node.operands.size(); ++k)
      operands[k] = results[node.operands[k]];
    std::array<double, 3> partial = getPartials(node, results[i], operands);
    for (size_t k = 0; k < node.operands.size(); ++k)
      if (partial[k] != 0) // An unreached operand may be infinite.
        adjoints[node.operands[k]] += adjoints[i] * partial[k];
  }
}

ScanPoint EpilogueScanner::evaluate(double y) {
  ScanPoint point;
  y = static_cast<float>(y); // Only f32 values arrive here.
  point.y = y;
  work -= int64_t(computed.size());
  if (work < 0)
    return point;
  point.measured = !evaluateForward(y);
  point.f = results[value];
  point.valid = std::isfinite(point.f) && std::isfinite(narrow[value]);
  if (!point.valid)
    return point;
  evaluateBackward();
  point.slope = std::fabs(adjoints[root]);
  if (point.measured) {
    point.slope = std::isfinite(point.slope) ? point.slope : 0;
    point.error = std::fabs(narrow[value] - point.f) / kUnitRoundoff;
    return point;
  }
  point.error = relative * std::fabs(y) * point.slope;
  for (int i : computed)
    point.error += (roundingOf(graph, graph.values[i]) +
                    approximationOf(graph, graph.values[i], results)) *
                   std::fabs(results[i]) * std::fabs(adjoints[i]);
  return point;
}

std::vector<double> EpilogueScanner::computeGrid() const {
  std::vector<double> grid = {0};
  auto addBoth = [&](double y) {
    grid.push_back(y);
    grid.push_back(-y);
  };
  for (int quarter = -160; quarter <= 400; ++quarter)
    addBoth(std::exp2(quarter / 4.0));
  for (int sixteenth = 1; sixteenth <= 16 * 24; ++sixteenth)
    addBoth(sixteenth / 16.0);
  for (int i : computed)
    if (graph.values[i].op == EpilogueOp::Constant)
      for (double factor : {1 - 0x1p-22, 1.0, 1 + 0x1p-22})
        addBoth(graph.values[i].constant * factor);
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}
