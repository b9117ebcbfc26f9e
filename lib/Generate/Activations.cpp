//===- Activations.cpp - activations and conversions as scalar ops --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of deep-learning frameworks. They keep NaN: relu(NaN) is NaN.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringSwitch.h"

#include <numbers>

using namespace mlir;
using namespace ::conv;

auto ::conv::createF32(OpBuilder &builder, Location loc, double value)
    -> Value {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(float(value)));
}

namespace {
/// Scalar f32 arithmetic at one insertion point.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value number(double value) const { return createF32(builder, loc, value); }
  Value add(Value a, Value b) const {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) const {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) const {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  /// 1 + exp(-x)
  Value onePlusExpOfMinus(Value x) const {
    Value negative = arith::NegFOp::create(builder, loc, x);
    return add(number(1), math::ExpOp::create(builder, loc, negative));
  }

  Value relu(Value x) const {
    return arith::MaximumFOp::create(builder, loc, x, number(0));
  }
  Value relu6(Value x) const {
    return arith::MinimumFOp::create(builder, loc, relu(x), number(6));
  }
  Value leakyRelu(Value x, double alpha) const {
    Value isPositive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, number(0));
    return arith::SelectOp::create(builder, loc, isPositive, x,
                                   mul(x, number(alpha)));
  }
  Value sigmoid(Value x) const { return div(number(1), onePlusExpOfMinus(x)); }
  Value silu(Value x) const { return div(x, onePlusExpOfMinus(x)); }
  /// x / 2 * (1 + y)
  Value halfTimesOnePlus(Value x, Value y) const {
    return mul(mul(x, number(0.5)), add(number(1), y));
  }
  Value gelu(Value x) const {
    Value scaled = mul(x, number(1 / std::numbers::sqrt2));
    return halfTimesOnePlus(x, math::ErfOp::create(builder, loc, scaled));
  }
  Value tanh(Value x) const { return math::TanhOp::create(builder, loc, x); }
  /// min(max(x + 3, 0), 6) / 6
  Value hardsigmoid(Value x) const {
    return mul(relu6(add(x, number(3))), number(1.0 / 6));
  }
  Value hardswish(Value x) const { return mul(x, hardsigmoid(x)); }
  /// alpha * (exp(x) - 1) for negative values
  Value elu(Value x, double alpha) const {
    Value isPositive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, number(0));
    Value below = mul(math::ExpM1Op::create(builder, loc, x), number(alpha));
    return arith::SelectOp::create(builder, loc, isPositive, x, below);
  }
  /// x * tanh(log(1 + exp(x))) = x * n / (n + 2), where n = e * (e + 2) and e =
  /// exp(x): without the logarithm, and exact where e is small. Beyond 20,
  /// where n would overflow, the result is x.
  Value mish(Value x) const {
    Value bounded = arith::MinimumFOp::create(builder, loc, x, number(20));
    Value e = math::ExpOp::create(builder, loc, bounded);
    Value n = mul(e, add(e, number(2)));
    return mul(x, div(n, add(n, number(2))));
  }
  Value geluTanh(Value x) const {
    Value cubic = mul(mul(mul(x, x), x), number(0.044715));
    Value inner =
        mul(add(x, cubic), number(std::sqrt(2 * std::numbers::inv_pi)));
    return halfTimesOnePlus(x, tanh(inner));
  }
};
} // namespace

auto ::conv::createActivation(OpBuilder &builder, Location loc, StringRef name,
                              double alpha, Value value) -> Value {
  Scalars scalars{builder, loc};
  if (name == "relu")
    return scalars.relu(value);
  if (name == "relu6")
    return scalars.relu6(value);
  if (name == "leaky_relu")
    return scalars.leakyRelu(value, alpha);
  if (name == "sigmoid")
    return scalars.sigmoid(value);
  if (name == "silu")
    return scalars.silu(value);
  if (name == "gelu")
    return scalars.gelu(value);
  if (name == "gelu_tanh")
    return scalars.geluTanh(value);
  if (name == "tanh")
    return scalars.tanh(value);
  if (name == "hardswish")
    return scalars.hardswish(value);
  if (name == "hardsigmoid")
    return scalars.hardsigmoid(value);
  if (name == "elu")
    return scalars.elu(value, alpha);
  assert(name == "mish" && "expects one of kActivations");
  return scalars.mish(value);
}

/// The smallest and largest finite number of an 8-bit type.
static std::pair<double, double> getLimits(Type type) {
  auto number = dyn_cast<FloatType>(type);
  if (!number)
    return {-128, 127};
  double largest =
      APFloat::getLargest(number.getFloatSemantics()).convertToDouble();
  return {-largest, largest};
}

auto ::conv::createNarrowing(OpBuilder &builder, Location loc, Type type,
                             Value value) -> Value {
  if (type.getIntOrFloatBitWidth() == 8) {
    auto [low, high] = getLimits(type);
    if (type.isInteger())
      value = math::RoundEvenOp::create(builder, loc, value);
    value = arith::MaximumFOp::create(builder, loc, value,
                                      createF32(builder, loc, low));
    value = arith::MinimumFOp::create(builder, loc, value,
                                      createF32(builder, loc, high));
  }
  if (type.isInteger())
    return arith::FPToSIOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}
