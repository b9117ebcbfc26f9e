//===- Problem.h - what a schedule is chosen for -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as plain numbers: what the cost model and the heuristic need,
// and nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_PROBLEM_H
#define CONV_SCHEDULE_PROBLEM_H

#include "conv/Chip/Chip.h"

#include <cstdint>

namespace conv {

/// Sizes and types of one 2-D convolution. As implicit GEMM its output is a
/// matrix of `pixels()` by `k`, reduced over `gemmK()`.
struct Problem {
  int64_t n = 1, h = 1, w = 1, c = 1;
  int64_t k = 1, r = 1, s = 1;
  int64_t p = 1, q = 1;
  NumericType operand = NumericType::F16; ///< Element type of input and filter.
  NumericType result = NumericType::F16;  ///< Element type of the output.
  int64_t tailBytes = 0;                  ///< What the fused tail reads.

  /// Rows of the output matrix: N * P * Q.
  int64_t pixels() const { return n * p * q; }
  /// Length of the reduction: R * S * C.
  int64_t gemmK() const { return r * s * c; }

  double inputBytes() const;
  double filterBytes() const;
  double outputBytes() const;

  /// Multiplications and additions, padding included.
  double flops() const;
  /// Bytes that any algorithm moves: each operand and the result once.
  double compulsoryBytes() const;
  /// Flops per compulsory byte.
  double intensity() const { return flops() / compulsoryBytes(); }
};

} // namespace conv

#endif // CONV_SCHEDULE_PROBLEM_H
