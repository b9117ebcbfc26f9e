//===- EpilogueScanner.h - an epilogue at one point of its root -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First-order error analysis by automatic differentiation: the rounding of
// every operation is an independent perturbation of its result, and reaches the
// output multiplied by the derivative of the output by that result. Where an
// intermediate leaves the range of f32, the error is measured instead.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_NUMERICS_EPILOGUESCANNER_H
#define CONV_LIB_NUMERICS_EPILOGUESCANNER_H

#include "EpilogueScan.h"

#include <vector>

namespace conv {

/// The results at one point of the grid.
struct ScanPoint {
  double y = 0, f = 0, slope = 0;
  double error = 0;      ///< Of f, in units of 2^-24.
  bool measured = false; ///< An intermediate left the range of f32.
  bool valid = false;    ///< f is a number, in f64 and in f32.
};

/// Evaluates the part of a graph between the root and the value of a span. The
/// cost is proportional to that part, not to the graph.
class EpilogueScanner {
public:
  EpilogueScanner(const EpilogueGraph &graph, EpilogueSpan span,
                  double relative, int64_t &work)
      : graph(graph), root(span.root), value(span.value), relative(relative),
        work(work), results(value + 1), narrow(value + 1), adjoints(value + 1) {
    collect();
  }

  /// The point is also invalid if no work is left.
  ScanPoint evaluate(double y);
  /// The error relative to the result that approximations add wherever they
  /// are, in units of 2^-24.
  double getApproximation() const;
  /// Points in ascending order, around every constant of the part as well.
  std::vector<double> computeGrid() const;

private:
  void collect();
  /// Evaluates in f64 and f32; true if everything stayed in range.
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

} // namespace conv

#endif // CONV_LIB_NUMERICS_EPILOGUESCANNER_H
