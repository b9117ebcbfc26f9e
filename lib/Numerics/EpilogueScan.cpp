//===- EpilogueScan.cpp - one-dimensional analysis of an epilogue ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First-order error analysis by automatic differentiation: the rounding of
// every operation is an independent perturbation of its result, and reaches the
// output times the derivative of the output by that result. The suprema over y
// are taken over a grid that covers f32 in quarter octaves and the
// neighbourhood of zero in steps of 1/16, refined where the function is steep
// and around the maximum slope. Where an intermediate leaves the range of f32,
// the error is measured instead.
//
//===----------------------------------------------------------------------===//

#include "EpilogueScan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

using namespace conv;

static constexpr double kUnitRoundoff = 0x1p-24;
/// The largest slope that is not taken for a jump or for growth without bound.
static constexpr double kMaxSlope = 1e6;
/// Errors are expressed by the result's magnitude alone up to this; beyond it,
/// up to the second, and by the root's magnitude for what remains.
static constexpr double kMaxRelative = 128;
static constexpr double kPreferredRelative = 4;

/// Rounding error of an operation in units of 2^-24 of its result: 1 if it is
/// correctly rounded, 4 for the functions, which are good to 2 ulp.
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

/// Derivative of a value by each of its operands.
static void computePartials(const EpilogueValue &value, double result,
                            const double *x, double *partial) {
  switch (value.op) {
  case EpilogueOp::Neg:
    partial[0] = -1;
    break;
  case EpilogueOp::Abs:
    partial[0] = x[0] < 0 ? -1 : 1;
    break;
  case EpilogueOp::Exp:
    partial[0] = result;
    break;
  case EpilogueOp::Exp2:
    partial[0] = result * M_LN2;
    break;
  case EpilogueOp::Log:
    partial[0] = 1 / x[0];
    break;
  case EpilogueOp::Tanh: {
    double cosh = std::cosh(x[0]);
    partial[0] = 1 / (cosh * cosh);
    break;
  }
  case EpilogueOp::Erf:
    partial[0] = M_2_SQRTPI * std::exp(-x[0] * x[0]);
    break;
  case EpilogueOp::Sqrt:
    partial[0] = 0.5 / result;
    break;
  case EpilogueOp::Rsqrt:
    partial[0] = -0.5 * result / x[0];
    break;
  case EpilogueOp::RoundF16:
  case EpilogueOp::RoundBF16:
    partial[0] = 1;
    break;
  case EpilogueOp::Add:
    partial[0] = partial[1] = 1;
    break;
  case EpilogueOp::Sub:
    partial[0] = 1;
    partial[1] = -1;
    break;
  case EpilogueOp::Mul:
    partial[0] = x[1];
    partial[1] = x[0];
    break;
  case EpilogueOp::Div:
    partial[0] = 1 / x[1];
    partial[1] = -result / x[1];
    break;
  case EpilogueOp::Max:
    partial[0] = x[0] >= x[1];
    partial[1] = x[0] < x[1];
    break;
  case EpilogueOp::Min:
    partial[0] = x[0] <= x[1];
    partial[1] = x[0] > x[1];
    break;
  case EpilogueOp::Fma:
    partial[0] = x[1];
    partial[1] = x[0];
    partial[2] = 1;
    break;
  case EpilogueOp::Select:
    partial[1] = x[0] != 0;
    partial[2] = x[0] == 0;
    break;
  default:
    break;
  }
}

namespace {

/// What one point of the grid says.
struct Point {
  double y = 0, f = 0, slope = 0;
  double error = 0;      ///< Of f, in units of 2^-24.
  bool measured = false; ///< An intermediate left the range of f32.
  bool valid = false;    ///< f is a number, in f64 and in f32.
};

/// Evaluates the part of a graph that lies between the root and the value of a
/// span. Its cost is that of the part, however long the graph is.
class Scanner {
public:
  Scanner(const EpilogueGraph &graph, EpilogueSpan span, double relative,
          int64_t &work)
      : graph(graph), root(span.root), value(span.value), relative(relative),
        work(work), results(value + 1), narrow(value + 1), adjoints(value + 1) {
    collect();
  }

  /// Invalid as well where no work is left.
  Point evaluate(double y);
  /// Points in ascending order, around every constant of the part as well.
  std::vector<double> computeGrid() const;

private:
  void collect();
  /// Evaluates in f64 and f32; says whether everything stayed in range.
  bool evaluateForward(double y);
  /// The derivative of the value by every intermediate, into `adjoints`.
  void evaluateBackward();

  const EpilogueGraph &graph;
  int root, value;
  double relative;
  int64_t &work;
  std::vector<double> results;
  std::vector<float> narrow;
  std::vector<double> adjoints;
  std::vector<int> computed; ///< The part without the root, in order.
};

} // namespace

void Scanner::collect() {
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

bool Scanner::evaluateForward(double y) {
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

void Scanner::evaluateBackward() {
  adjoints[root] = 0;
  for (int i : computed)
    adjoints[i] = 0;
  adjoints[value] = 1;
  for (int i : std::views::reverse(computed)) {
    if (adjoints[i] == 0)
      continue;
    const EpilogueValue &node = graph.values[i];
    double operands[3] = {}, partial[3] = {};
    for (size_t k = 0; k < node.operands.size(); ++k)
      operands[k] = results[node.operands[k]];
    computePartials(node, results[i], operands, partial);
    for (size_t k = 0; k < node.operands.size(); ++k)
      if (partial[k] != 0) // An unreached operand may be infinite.
        adjoints[node.operands[k]] += adjoints[i] * partial[k];
  }
}

Point Scanner::evaluate(double y) {
  Point point;
  y = static_cast<float>(y); // Only what f32 can hold arrives here.
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
    point.error += roundingOf(graph, graph.values[i]) * std::fabs(results[i]) *
                   std::fabs(adjoints[i]);
  return point;
}

std::vector<double> Scanner::computeGrid() const {
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

/// Whether the function changes by no more than its slopes explain between two
/// points, halving the interval where it seems to. Adds the points it tries.
static bool isContinuous(Scanner &scanner, const Point &left,
                         const Point &right, std::vector<Point> &points,
                         int depth = 0) {
  double width = right.y - left.y;
  double change = std::fabs(right.f - left.f);
  double allowed = 4 * std::max(left.slope, right.slope) * width;
  // Rounding of f64, and what f32 holds with few digits or not at all.
  double noise = 1e-12 * std::max(std::fabs(left.f), std::fabs(right.f)) +
                 64 * double(std::numeric_limits<float>::min());
  if (change <= allowed + noise)
    return true;
  if (depth == 60)
    return false;
  Point middle = scanner.evaluate(left.y + width / 2);
  // Neighbours in f32: what is left between them is a jump.
  if (!middle.valid || middle.y == left.y || middle.y == right.y)
    return change <= kMaxSlope * width;
  points.push_back(middle);
  return isContinuous(scanner, left, middle, points, depth + 1) &&
         isContinuous(scanner, middle, right, points, depth + 1);
}

/// The largest slope near the largest one of the grid, by golden section.
static double refineSlope(Scanner &scanner, double low, double high,
                          double best) {
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 40; ++i) {
    double width = high - low;
    double left = high - golden * width, right = low + golden * width;
    double slopeLeft = scanner.evaluate(left).slope;
    double slopeRight = scanner.evaluate(right).slope;
    best = std::max({best, slopeLeft, slopeRight});
    (slopeLeft < slopeRight ? low : high) =
        slopeLeft < slopeRight ? left : right;
  }
  return best;
}

/// The largest |f'|, or more than `kMaxSlope` if there is none.
static double computeSlope(Scanner &scanner, std::vector<Point> &points) {
  size_t steepest = 0, count = points.size();
  std::vector<Point> refined;
  for (size_t i = 0; i < count; ++i) {
    if (points[i].slope > points[steepest].slope)
      steepest = i;
    if (i > 0 && !isContinuous(scanner, points[i - 1], points[i], refined))
      return std::numeric_limits<double>::infinity();
  }
  double low = points[steepest > 0 ? steepest - 1 : 0].y;
  double high = points[std::min(steepest + 1, count - 1)].y;
  double slope = refineSlope(scanner, low, high, points[steepest].slope);
  for (const Point &point : refined)
    slope = std::max(slope, point.slope);
  points.insert(points.end(), refined.begin(), refined.end());
  return slope;
}

/// Splits the points' errors into parts relative to |f|, to |y|, and neither.
static void splitErrors(const std::vector<Point> &points, bool preferRoot,
                        EpilogueScan &scan) {
  double relative = 0;
  for (const Point &point : points)
    if (!point.measured && point.error > 0)
      relative = std::max(relative, point.error / std::fabs(point.f));
  bool useRoot = preferRoot || relative > kMaxRelative;
  scan.relativeOut =
      useRoot ? std::min(relative, kPreferredRelative) : relative;

  auto rest = [&](const Point &point) {
    return std::max(0.0, point.error * (1 - 1e-12) -
                             scan.relativeOut * std::fabs(point.f));
  };
  double anywhere = 0, awayFromZero = 0;
  for (const Point &point : points) {
    if (rest(point) == 0 || point.y == 0)
      continue;
    double ratio = rest(point) / std::fabs(point.y);
    anywhere = std::max(anywhere, ratio);
    if (std::fabs(point.y) >= 1)
      awayFromZero = std::max(awayFromZero, ratio);
  }
  scan.perRoot = anywhere <= kMaxRelative ? anywhere : awayFromZero;
  for (const Point &point : points)
    scan.constant = std::max(scan.constant,
                             rest(point) - scan.perRoot * std::fabs(point.y));
}

EpilogueScan conv::scanEpilogue(const EpilogueGraph &graph, EpilogueSpan span,
                                double relative, bool preferRoot,
                                int64_t &work) {
  Scanner scanner(graph, span, relative, work);
  std::vector<Point> points;
  for (double y : scanner.computeGrid()) {
    points.push_back(scanner.evaluate(y));
    if (!points.back().valid)
      return {};
  }
  EpilogueScan scan;
  scan.slope = computeSlope(scanner, points);
  if (!(scan.slope <= kMaxSlope) || work < 0)
    return {};
  scan.bounded = true;
  scan.atZero = std::fabs(scanner.evaluate(0).f);
  splitErrors(points, preferRoot, scan);
  return scan;
}
