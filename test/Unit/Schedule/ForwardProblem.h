//===- ForwardProblem.h - problems that tests describe ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix product of a forward convolution, from the user's sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_FORWARDPROBLEM_H
#define CONV_TEST_FORWARDPROBLEM_H

#include "conv/Kernels/Problem.h"

namespace conv::test {

/// Sizes of one group in two dimensions.
struct Sizes {
  int64_t n = 1, h = 1, w = 1, c = 1, k = 1, r = 1, s = 1, p = 1, q = 1;
};

/// A forward convolution of `NHWC` in f16.
inline Problem forward(const Sizes &sizes) {
  Problem problem;
  problem.rows = sizes.n * sizes.p * sizes.q;
  problem.columns = sizes.k;
  problem.reduction = sizes.r * sizes.s * sizes.c;
  problem.usefulFlops = 2.0 * double(problem.rows) * double(problem.columns) *
                        double(problem.reduction);
  problem.lhsBytes = 2.0 * double(sizes.n * sizes.h * sizes.w * sizes.c);
  problem.rhsBytes = 2.0 * double(sizes.k * problem.reduction);
  problem.resultBytes = 2.0 * double(problem.rows * sizes.k);
  problem.lhsRun = {sizes.c, /*isAlongReduction=*/true};
  problem.rhsRun = {problem.reduction, /*isAlongReduction=*/true};
  return problem;
}

} // namespace conv::test

#endif // CONV_TEST_FORWARDPROBLEM_H
