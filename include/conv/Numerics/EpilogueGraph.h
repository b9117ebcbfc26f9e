//===- EpilogueGraph.h - a fused epilogue as plain values -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of a convolution as a list of scalar operations, for analyses
// that need no IR. Evaluated in f64 (the reference) or in f32 (what kernels
// compute).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_NUMERICS_EPILOGUEGRAPH_H
#define CONV_NUMERICS_EPILOGUEGRAPH_H

#include "conv/Chip/Chip.h"

#include <string>
#include <vector>

namespace conv {

enum class EpilogueOp {
  Accumulator, ///< The sum of products.
  Operand,     ///< An element of an epilogue operand, widened to f32.
  Constant,
  Neg,
  Abs,
  Exp,
  Exp2,
  Log,
  Tanh,
  Erf,
  Sqrt,
  Rsqrt,
  RoundF16,  ///< To f16 and back.
  RoundBF16, ///< To bf16 and back.
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Fma,     ///< a * b + c, rounded once.
  Greater, ///< a > b, or a >= b: they differ in one point.
  Equal,
  Not,    ///< Of a comparison.
  Select, ///< Condition, value if true, value if false.
};

/// One scalar value; `operands` are indices of earlier values.
struct EpilogueValue {
  EpilogueOp op = EpilogueOp::Constant;
  std::vector<int> operands = {};
  double constant = 0; ///< Constant: the value. Operand: its number.
};

/// Values in order of computation; `yield` becomes the output.
struct EpilogueGraph {
  std::vector<EpilogueValue> values;
  int yield = 0;

  /// Adds a value and returns its index.
  int add(EpilogueOp op, std::vector<int> operands = {}, double constant = 0) {
    values.push_back({op, std::move(operands), constant});
    return static_cast<int>(values.size()) - 1;
  }
};

/// The output for one accumulator and one element of each operand, with every
/// operation in `Float`.
template <typename Float>
Float evaluateEpilogue(const EpilogueGraph &graph, Float accumulator,
                       const std::vector<Float> &operands);

/// One operation on already evaluated operands.
template <typename Float>
Float evaluateEpilogueOp(const EpilogueValue &value, const Float *operands);

} // namespace conv

#endif // CONV_NUMERICS_EPILOGUEGRAPH_H
