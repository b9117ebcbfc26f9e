//===- EpilogueScan.cpp - one-dimensional analysis of an epilogue ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The suprema over y are taken over a grid that covers f32 in quarter octaves
// and the neighbourhood of zero in steps of 1/16, refined where the function is
// steep and around the maximum slope.
//
//===----------------------------------------------------------------------===//

#include "EpilogueScan.h"

#include "EpilogueScanner.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv;

/// The largest slope that does not count as a jump or unbounded growth.
static constexpr double kMaxSlope = 1e6;
/// Errors are expressed by the result's magnitude alone up to this; beyond it,
/// up to the second and what approximations add, and by the root's magnitude
/// for what remains.
static constexpr double kMaxRelative = 256;
static constexpr double kPreferredRelative = 4;

/// Whether the function changes between two points by no more than its slopes
/// explain; halves the interval if it seems to. Adds the points it tries.
static bool isContinuous(EpilogueScanner &scanner, const ScanPoint &left,
                         const ScanPoint &right, std::vector<ScanPoint> &points,
                         int depth = 0) {
  double width = right.y - left.y;
  double change = std::fabs(right.f - left.f);
  double allowed = 4 * std::max(left.slope, right.slope) * width;
  // Rounding of f64, and f32's loss of digits among small numbers.
  double noise = 1e-12 * std::max(std::fabs(left.f), std::fabs(right.f)) +
                 64 * double(std::numeric_limits<float>::min());
  if (change <= allowed + noise)
    return true;
  if (depth == 60)
    return false;
  ScanPoint middle = scanner.evaluate(left.y + width / 2);
  // Neighbours in f32: a remaining difference is a jump.
  if (!middle.valid || middle.y == left.y || middle.y == right.y)
    return change <= kMaxSlope * width;
  points.push_back(middle);
  return isContinuous(scanner, left, middle, points, depth + 1) &&
         isContinuous(scanner, middle, right, points, depth + 1);
}

/// The largest slope near the largest one of the grid, by golden section.
static double refineSlope(EpilogueScanner &scanner, double low, double high,
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

/// The largest |f'|, or more than `kMaxSlope` if it is unbounded.
static double computeSlope(EpilogueScanner &scanner,
                           std::vector<ScanPoint> &points) {
  size_t steepest = 0, count = points.size();
  std::vector<ScanPoint> refined;
  for (size_t i = 0; i < count; ++i) {
    if (points[i].slope > points[steepest].slope)
      steepest = i;
    if (i > 0 && !isContinuous(scanner, points[i - 1], points[i], refined))
      return std::numeric_limits<double>::infinity();
  }
  double low = points[steepest > 0 ? steepest - 1 : 0].y;
  double high = points[std::min(steepest + 1, count - 1)].y;
  double slope = refineSlope(scanner, low, high, points[steepest].slope);
  for (const ScanPoint &point : refined)
    slope = std::max(slope, point.slope);
  points.insert(points.end(), refined.begin(), refined.end());
  return slope;
}

/// Splits the points' errors into parts relative to |f|, to |y|, and neither.
static void splitErrors(const std::vector<ScanPoint> &points,
                        double preferredRelative, bool preferRoot,
                        EpilogueScan &scan) {
  double relative = 0;
  for (const ScanPoint &point : points)
    if (!point.measured && point.error > 0)
      relative = std::max(relative, point.error / std::fabs(point.f));
  bool useRoot = preferRoot || relative > kMaxRelative;
  scan.relativeOut = useRoot ? std::min(relative, preferredRelative) : relative;

  auto rest = [&](const ScanPoint &point) {
    return std::max(0.0, point.error * (1 - 1e-12) -
                             scan.relativeOut * std::fabs(point.f));
  };
  double anywhere = 0, awayFromZero = 0;
  for (const ScanPoint &point : points) {
    if (rest(point) == 0 || point.y == 0)
      continue;
    double ratio = rest(point) / std::fabs(point.y);
    anywhere = std::max(anywhere, ratio);
    if (std::fabs(point.y) >= 1)
      awayFromZero = std::max(awayFromZero, ratio);
  }
  scan.perRoot = anywhere <= kMaxRelative ? anywhere : awayFromZero;
  for (const ScanPoint &point : points)
    scan.constant = std::max(scan.constant,
                             rest(point) - scan.perRoot * std::fabs(point.y));
}

EpilogueScan conv::scanEpilogue(const EpilogueGraph &graph, EpilogueSpan span,
                                double relative, bool preferRoot,
                                int64_t &work) {
  EpilogueScanner scanner(graph, span, relative, work);
  std::vector<ScanPoint> points;
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
  splitErrors(points, kPreferredRelative + scanner.getApproximation(),
              preferRoot, scan);
  return scan;
}
