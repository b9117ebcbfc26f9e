//===- EpilogueGraph.cpp - evaluates a fused epilogue -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same expressions in f32 and in f64; comparisons give 1 or 0.
//
//===----------------------------------------------------------------------===//

#include "conv/Numerics/EpilogueGraph.h"

#include <cmath>

using namespace conv;

/// `x` rounded to nearest even with `digits` significant bits. Subnormal
/// numbers of the narrow type keep their digits: the error analysis counts
/// their loss as part of the last rounding.
template <typename Float> static Float roundToDigits(Float x, int digits) {
  if (x == 0 || !std::isfinite(x))
    return x;
  int exponent;
  Float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)),
                    exponent - digits);
}

template <typename Float>
Float conv::evaluateEpilogueOp(const EpilogueValue &value,
                               const Float *operands) {
  auto a = [&] { return operands[0]; };
  auto b = [&] { return operands[1]; };
  switch (value.op) {
  case EpilogueOp::Accumulator:
  case EpilogueOp::Operand:
    break; // Inputs, not computed.
  case EpilogueOp::Constant:
    return static_cast<Float>(value.constant);
  case EpilogueOp::Neg:
    return -a();
  case EpilogueOp::Abs:
    return std::fabs(a());
  case EpilogueOp::Exp:
    return std::exp(a());
  case EpilogueOp::Exp2:
    return std::exp2(a());
  case EpilogueOp::Log:
    return std::log(a());
  case EpilogueOp::Tanh:
    return std::tanh(a());
  case EpilogueOp::Erf:
    return std::erf(a());
  case EpilogueOp::Sqrt:
    return std::sqrt(a());
  case EpilogueOp::Rsqrt:
    return 1 / std::sqrt(a());
  case EpilogueOp::RoundF16:
    return std::is_same_v<Float, double> ? a() : roundToDigits(a(), 11);
  case EpilogueOp::RoundBF16:
    return std::is_same_v<Float, double> ? a() : roundToDigits(a(), 8);
  case EpilogueOp::Add:
    return a() + b();
  case EpilogueOp::Sub:
    return a() - b();
  case EpilogueOp::Mul:
    return a() * b();
  case EpilogueOp::Div:
    return a() / b();
  case EpilogueOp::Max:
    return std::fmax(a(), b());
  case EpilogueOp::Min:
    return std::fmin(a(), b());
  case EpilogueOp::Fma:
    return std::fma(a(), b(), operands[2]);
  case EpilogueOp::Greater:
    return a() > b();
  case EpilogueOp::Equal:
    return a() == b();
  case EpilogueOp::Not:
    return a() == 0;
  case EpilogueOp::Select:
    return a() != 0 ? b() : operands[2];
  }
  return 0;
}

template <typename Float>
Float conv::evaluateEpilogue(const EpilogueGraph &graph, Float accumulator,
                             const std::vector<Float> &operands) {
  std::vector<Float> results;
  results.reserve(graph.values.size());
  for (const EpilogueValue &value : graph.values) {
    if (value.op == EpilogueOp::Accumulator) {
      results.push_back(accumulator);
    } else if (value.op == EpilogueOp::Operand) {
      results.push_back(operands[static_cast<size_t>(value.constant)]);
    } else {
      Float arguments[3] = {};
      for (size_t i = 0; i < value.operands.size(); ++i)
        arguments[i] = results[value.operands[i]];
      results.push_back(evaluateEpilogueOp(value, arguments));
    }
  }
  return results[graph.yield];
}

template float conv::evaluateEpilogueOp(const EpilogueValue &, const float *);
template double conv::evaluateEpilogueOp(const EpilogueValue &, const double *);
template float conv::evaluateEpilogue(const EpilogueGraph &, float,
                                      const std::vector<float> &);
template double conv::evaluateEpilogue(const EpilogueGraph &, double,
                                       const std::vector<double> &);
