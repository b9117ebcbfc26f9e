//===- LaneOps.cpp - functions of one lane --------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of floats that the host would take from libm. AMD's approximations
// (rcp, exp2, log2, ...) are computed to full precision: the GPU is within 1
// ulp of that.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"

#include <cmath>

namespace conv::runtime::sim {

namespace {

template <typename T> T fract(T x) {
  // The largest value below one: a tiny negative number must not give one.
  T below = std::nextafter(T(1), T(0));
  return std::isinf(x) ? T(0) : std::fmin(x - std::floor(x), below);
}

template <typename T> bool isInClass(T x, uint32_t mask) {
  uint32_t bit = 0;
  bool isNegative = std::signbit(x);
  switch (std::fpclassify(x)) {
  case FP_NAN: {
    constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof(T));
    bit = bits >> (mantissa - 1) & 1 ? 1 : 0; // Quiet or signaling.
    break;
  }
  case FP_INFINITE:
    bit = isNegative ? 2 : 9;
    break;
  case FP_NORMAL:
    bit = isNegative ? 3 : 8;
    break;
  case FP_SUBNORMAL:
    bit = isNegative ? 4 : 7;
    break;
  default:
    bit = isNegative ? 5 : 6;
    break;
  }
  return mask >> bit & 1;
}

template <typename T> T frexpMantissa(T x) {
  int exponent;
  return std::isfinite(x) ? std::frexp(x, &exponent) : x;
}

template <typename T> int32_t frexpExponent(T x) {
  int exponent = 0;
  if (std::isfinite(x))
    std::frexp(x, &exponent);
  return exponent;
}

template <typename T> struct FrexpResult {
  T mantissa;
  int32_t exponent;
};

constexpr double twoPi = 6.283185307179586476925;

} // namespace

#define UNARY(name, T, expression)                                             \
  void name(Item *item, const Site *site) {                                    \
    apply<T>(item, site, [](T x) -> T { return expression; });                 \
  }
#define BINARY(name, T, expression)                                            \
  void name(Item *item, const Site *site) {                                    \
    T x = operand<T>(item, site, 0), y = operand<T>(item, site, 1);            \
    setResult<T>(item, expression);                                            \
  }

UNARY(cosTurns, float, float(std::cos(twoPi *x)))
UNARY(sinTurns, float, float(std::sin(twoPi *x)))
UNARY(cosRadians, float, std::cos(x))
UNARY(sinRadians, float, std::sin(x))
UNARY(expF32, float, std::exp(x))
UNARY(expF64, double, std::exp(x))
UNARY(exp10F32, float, float(std::pow(10.0, x)))
UNARY(exp2F32, float, std::exp2(x))
UNARY(exp2F64, double, std::exp2(x))
UNARY(logF32, float, std::log(x))
UNARY(logF64, double, std::log(x))
UNARY(log10F32, float, std::log10(x))
UNARY(log2F32, float, std::log2(x))
UNARY(log2F64, double, std::log2(x))
UNARY(rcpF32, float, 1.0f / x)
UNARY(rcpF64, double, 1.0 / x)
UNARY(rsqF32, float, float(1.0 / std::sqrt(double(x))))
UNARY(rsqF64, double, 1.0 / std::sqrt(x))
UNARY(sqrtF32, float, std::sqrt(x))
UNARY(sqrtF64, double, std::sqrt(x))
UNARY(tanhF32, float, std::tanh(x))
UNARY(fractF32, float, fract(x))
UNARY(fractF64, double, fract(x))
UNARY(frexpMantF32, float, frexpMantissa(x))
UNARY(frexpMantF64, double, frexpMantissa(x))
BINARY(powF32, float, std::pow(x, y))
BINARY(powF64, double, std::pow(x, y))
BINARY(fremF32, float, std::fmod(x, y))
BINARY(fremF64, double, std::fmod(x, y))

#undef BINARY
#undef UNARY

void frexpExpF32(Item *item, const Site *site) {
  setResult(item, frexpExponent(operand<float>(item, site, 0)));
}

void frexpExpF64(Item *item, const Site *site) {
  setResult(item, frexpExponent(operand<double>(item, site, 0)));
}

void frexpF32(Item *item, const Site *site) {
  float x = operand<float>(item, site, 0);
  setResult(item, FrexpResult<float>{frexpMantissa(x), frexpExponent(x)});
}

void frexpF64(Item *item, const Site *site) {
  double x = operand<double>(item, site, 0);
  setResult(item, FrexpResult<double>{frexpMantissa(x), frexpExponent(x)});
}

void ldexpF32(Item *item, const Site *site) {
  setResult(item, std::ldexp(operand<float>(item, site, 0),
                             operand<int32_t>(item, site, 1)));
}

void ldexpF64(Item *item, const Site *site) {
  setResult(item, std::ldexp(operand<double>(item, site, 0),
                             operand<int32_t>(item, site, 1)));
}

void classF32(Item *item, const Site *site) {
  setResult(item, uint8_t(isInClass(operand<float>(item, site, 0),
                                    operand<uint32_t>(item, site, 1))));
}

void classF64(Item *item, const Site *site) {
  setResult(item, uint8_t(isInClass(operand<double>(item, site, 0),
                                    operand<uint32_t>(item, site, 1))));
}

/// The median; with a NaN, the smaller of the other two.
void fmed3F32(Item *item, const Site *site) {
  float x = operand<float>(item, site, 0), y = operand<float>(item, site, 1),
        z = operand<float>(item, site, 2);
  float result = std::isnan(x)   ? std::fmin(y, z)
                 : std::isnan(y) ? std::fmin(x, z)
                 : std::isnan(z)
                     ? std::fmin(x, y)
                     : std::max(std::min(x, y), std::min(std::max(x, y), z));
  setResult(item, result);
}

} // namespace conv::runtime::sim
