//===- DivisionOps.cpp - division of floats in steps ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several instructions compute a quotient: both operands are scaled, the
// quotient is refined by multiply-adds, and special cases are fixed up.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"

#include <cmath>
#include <limits>

namespace conv::runtime::sim {

namespace {

template <typename T> struct DivisionFacts {
  static constexpr bool isFloat = sizeof(T) == 4;
  static constexpr int scale = isFloat ? 64 : 128;
  static constexpr int fmasScale = isFloat ? 32 : 64;
  static constexpr int nearOverflow = isFloat ? 96 : 768;
  /// The largest biased exponent of a numerator that is scaled.
  static constexpr int smallNumerator = isFloat ? 23 : 53;
  static constexpr int bias = isFloat ? 127 : 1023;
  static constexpr int underflow = isFloat ? -150 : -1075;
};

template <typename T> int biasedExponent(T x) {
  if (x == 0 || !std::isnormal(x))
    return 0;
  return std::ilogb(x) + DivisionFacts<T>::bias;
}

template <typename T> bool isSubnormal(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL;
}

template <typename T> struct ScaleResult {
  T value;
  uint8_t flag;
};

/// `scaled` is the operand to scale: numerator or denominator.
template <typename T>
ScaleResult<T> divScale(T numerator, T denominator, bool scaleNumerator) {
  using Facts = DivisionFacts<T>;
  T scaled = scaleNumerator ? numerator : denominator;
  bool isDenominator = !scaleNumerator;
  auto up = [&] { return std::ldexp(scaled, Facts::scale); };
  if (numerator == 0 || denominator == 0)
    return {std::numeric_limits<T>::quiet_NaN(), 0};
  int distance = biasedExponent(numerator) - biasedExponent(denominator);
  if (distance >= Facts::nearOverflow)
    return {isDenominator ? up() : scaled, 1};
  if (isSubnormal(denominator))
    return {up(), 0};
  bool tinyReciprocal = isSubnormal(T(1) / denominator);
  bool tinyQuotient = isSubnormal(numerator / denominator);
  if (tinyReciprocal && tinyQuotient)
    return {isDenominator ? up() : scaled, 1};
  if (tinyReciprocal)
    return {std::ldexp(scaled, -Facts::scale), 0};
  if (tinyQuotient)
    return {isDenominator ? scaled : up(), 1};
  if (biasedExponent(numerator) <= Facts::smallNumerator)
    return {up(), 0};
  return {scaled, 0};
}

template <typename T> T divFixup(T quotient, T denominator, T numerator) {
  bool isNegative = std::signbit(denominator) != std::signbit(numerator);
  auto withSign = [&](T x) { return isNegative ? -x : x; };
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (std::isnan(numerator))
    return numerator;
  if (std::isnan(denominator))
    return denominator;
  if ((numerator == 0 && denominator == 0) ||
      (std::isinf(numerator) && std::isinf(denominator)))
    return std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return withSign(infinity);
  if (std::isinf(denominator) || numerator == 0)
    return withSign(T(0));
  return withSign(std::fabs(quotient));
}

} // namespace

void divScaleF32(Item *item, const Site *site) {
  setResult(item, divScale(operand<float>(item, site, 0),
                           operand<float>(item, site, 1),
                           operand<uint8_t>(item, site, 2) & 1));
}

void divScaleF64(Item *item, const Site *site) {
  setResult(item, divScale(operand<double>(item, site, 0),
                           operand<double>(item, site, 1),
                           operand<uint8_t>(item, site, 2) & 1));
}

template <typename T> static void divFmas(Item *item, const Site *site) {
  T value = std::fma(operand<T>(item, site, 0), operand<T>(item, site, 1),
                     operand<T>(item, site, 2));
  bool isScaled = operand<uint8_t>(item, site, 3) & 1;
  setResult(item,
            isScaled ? std::ldexp(value, DivisionFacts<T>::fmasScale) : value);
}

void divFmasF32(Item *item, const Site *site) { divFmas<float>(item, site); }
void divFmasF64(Item *item, const Site *site) { divFmas<double>(item, site); }

void divFixupF32(Item *item, const Site *site) {
  setResult(item, divFixup(operand<float>(item, site, 0),
                           operand<float>(item, site, 1),
                           operand<float>(item, site, 2)));
}

void divFixupF64(Item *item, const Site *site) {
  setResult(item, divFixup(operand<double>(item, site, 0),
                           operand<double>(item, site, 1),
                           operand<double>(item, site, 2)));
}

} // namespace conv::runtime::sim
