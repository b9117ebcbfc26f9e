//===- EpilogueGraph.h - a fused epilogue as plain values -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of a convolution as a list of scalar operations, for analyses
// without IR. It is evaluated in f64 (the reference) or in f32 (what kernels
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
  Greater, ///< a > b, or a >= b: they differ at one point.
  Equal,
  Not,    ///< Negates a comparison.
  Select, ///< Condition, value if true, value if false.
};

/// One scalar value; `operands` are indices of earlier values.
struct EpilogueValue {
  EpilogueOp op = EpilogueOp::Constant;
  std::vector<int> operands = {};
  double constant = 0; ///< The value of a Constant, the number of an Operand.
};

/// Values in the order of computation; `yield` becomes the output.
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

/// Applies one operation to operands that are already evaluated.
template <typename Float>
Float evaluateEpilogueOp(const EpilogueValue &value, const Float *operands);

} // namespace conv

#endif // CONV_NUMERICS_EPILOGUEGRAPH_H
