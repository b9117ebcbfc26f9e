//===- LogisticQuotient.cpp - quotients by 1 + exp(x) -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogisticQuotient.h"

#include <cmath>

using namespace conv;
using namespace conv::reference;

/// In units of 2^-24 of the quotient: what an approximate reciprocal adds, and
/// for each unit of |x| that the power is a part of the divisor, what rounding
/// its exponent adds (docs/numerics.md).
static constexpr double kReciprocal = 2, kExponent = 1.25;

/// The node that computes a value, or null.
static const EpilogueNode *findNode(const RunningEpilogue &epilogue,
                                    int64_t value) {
  return size_t(value) < epilogue.inputs
             ? nullptr
             : &epilogue.nodes[value - epilogue.inputs];
}

/// Whether the last node rounds to 16 bits.
static bool endsIn16Bits(const RunningEpilogue &epilogue) {
  const EpilogueNode &last = epilogue.nodes.back();
  return last.op == ScalarOp::Convert && isFloat(last.type) &&
         elementBytes(last.type) == 2;
}

/// The value of the exponential of a quotient by 1 + exp(x), or -1.
static int64_t findExponential(const RunningEpilogue &epilogue,
                               const EpilogueNode &node) {
  const EpilogueNode *divisor =
      node.op == ScalarOp::Div ? findNode(epilogue, node.operands[1]) : nullptr;
  if (!divisor || divisor->op != ScalarOp::Add)
    return -1;
  for (int i : {0, 1}) {
    const EpilogueNode *one = findNode(epilogue, divisor->operands[i]);
    const EpilogueNode *power = findNode(epilogue, divisor->operands[1 - i]);
    if (one && one->op == ScalarOp::Constant && one->constant == 1 && power &&
        power->op == ScalarOp::Function && power->function->name == "exp")
      return divisor->operands[1 - i];
  }
  return -1;
}

double conv::reference::getApproximation(const RunningEpilogue &epilogue,
                                         const EpilogueNode &node,
                                         double result) {
  int64_t number =
      endsIn16Bits(epilogue) ? findExponential(epilogue, node) : -1;
  if (number < 0)
    return 0;
  double power = epilogue.values[number].value;
  double x = epilogue.values[findNode(epilogue, number)->operands[0]].value;
  if (!std::isfinite(x))
    return 0; // The quotient is exact, or NaN.
  double share = std::isinf(power) ? 1 : power / (1 + power);
  return std::ldexp(std::fabs(result) *
                        (kReciprocal + kExponent * std::fabs(x) * share),
                    -24);
}
