//===- TailGraph.cpp - evaluates a fused tail --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same expressions in f32 and in f64; comparisons give 1 or 0.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TailGraph.h"

#include <cmath>

using namespace conv;

/// `x` rounded to nearest even with `digits` significant bits. Subnormal
/// numbers of the narrow type keep their digits: the analysis of errors counts
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
Float conv::evaluateTailOp(const TailValue &value, const Float *operands) {
  auto a = [&] { return operands[0]; };
  auto b = [&] { return operands[1]; };
  switch (value.op) {
  case TailOp::Accumulator:
  case TailOp::Operand:
    break; // Inputs, not computed.
  case TailOp::Constant:
    return static_cast<Float>(value.constant);
  case TailOp::Neg:
    return -a();
  case TailOp::Abs:
    return std::fabs(a());
  case TailOp::Exp:
    return std::exp(a());
  case TailOp::Exp2:
    return std::exp2(a());
  case TailOp::Log:
    return std::log(a());
  case TailOp::Tanh:
    return std::tanh(a());
  case TailOp::Erf:
    return std::erf(a());
  case TailOp::Sqrt:
    return std::sqrt(a());
  case TailOp::Rsqrt:
    return 1 / std::sqrt(a());
  case TailOp::RoundF16:
    return std::is_same_v<Float, double> ? a() : roundToDigits(a(), 11);
  case TailOp::RoundBF16:
    return std::is_same_v<Float, double> ? a() : roundToDigits(a(), 8);
  case TailOp::Add:
    return a() + b();
  case TailOp::Sub:
    return a() - b();
  case TailOp::Mul:
    return a() * b();
  case TailOp::Div:
    return a() / b();
  case TailOp::Max:
    return std::fmax(a(), b());
  case TailOp::Min:
    return std::fmin(a(), b());
  case TailOp::Fma:
    return std::fma(a(), b(), operands[2]);
  case TailOp::Greater:
    return a() > b();
  case TailOp::Equal:
    return a() == b();
  case TailOp::Not:
    return a() == 0;
  case TailOp::Select:
    return a() != 0 ? b() : operands[2];
  }
  return 0;
}

template <typename Float>
Float conv::evaluateTail(const TailGraph &graph, Float accumulator,
                         const std::vector<Float> &operands) {
  std::vector<Float> results;
  results.reserve(graph.values.size());
  for (const TailValue &value : graph.values) {
    if (value.op == TailOp::Accumulator) {
      results.push_back(accumulator);
    } else if (value.op == TailOp::Operand) {
      results.push_back(operands[static_cast<size_t>(value.constant)]);
    } else {
      Float arguments[3] = {};
      for (size_t i = 0; i < value.operands.size(); ++i)
        arguments[i] = results[value.operands[i]];
      results.push_back(evaluateTailOp(value, arguments));
    }
  }
  return results[graph.yield];
}

template float conv::evaluateTailOp(const TailValue &, const float *);
template double conv::evaluateTailOp(const TailValue &, const double *);
template float conv::evaluateTail(const TailGraph &, float,
                                  const std::vector<float> &);
template double conv::evaluateTail(const TailGraph &, double,
                                   const std::vector<double> &);
