//===- LaneOps.cpp - arithmetic of one lane -------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that a host compiler has no equivalent for, and functions that
// it would take from libm. AMD's approximations (rcp, exp2, log2, ...) are
// computed to full precision: the GPU is within 1 ulp of that.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "Operations.h"
#include "Workgroup.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace conv::runtime::sim {

namespace {

using abi::Item;
using abi::Site;

template <typename T>
T operand(const Item *item, const Site *site, unsigned index) {
  T value;
  memcpy(&value, item->frame + site->operandOffset[index], sizeof(T));
  return value;
}

template <typename T> void setResult(Item *item, T value) {
  memcpy(item->frame, &value, sizeof(T));
}

/// Applies `function` to one operand.
template <typename T, typename Function>
void apply(Item *item, const Site *site, Function function) {
  setResult<T>(item, function(operand<T>(item, site, 0)));
}

const SimChip &chipOf(const Item *item) {
  return static_cast<const WorkItem *>(item)->group->getChip();
}

template <typename T> struct Pair {
  T low, high;
};

//===----------------------------------------------------------------------===//
// Shapes of functions
//===----------------------------------------------------------------------===//

template <typename T> T fract(T x) {
  // The largest value below one; a negative tiny number must not give one.
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

//===----------------------------------------------------------------------===//
// Division in steps: scale, multiply-add, fix up
//===----------------------------------------------------------------------===//

template <typename T> struct DivisionFacts {
  static constexpr bool isFloat = sizeof(T) == 4;
  static constexpr int scale = isFloat ? 64 : 128;
  static constexpr int fmasScale = isFloat ? 32 : 64;
  static constexpr int nearOverflow = isFloat ? 96 : 768;
  /// The biased exponent up to which a numerator is scaled.
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

//===----------------------------------------------------------------------===//
// Dot products of bytes
//===----------------------------------------------------------------------===//

int64_t dotBytes(uint32_t a, uint32_t b, bool isASigned, bool isBSigned) {
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    uint8_t x = a >> 8 * i, y = b >> 8 * i;
    sum += int64_t(isASigned ? int8_t(x) : x) * (isBSigned ? int8_t(y) : y);
  }
  return sum;
}

int32_t clampSigned(int64_t sum, bool isClamped) {
  if (isClamped)
    sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
  return int32_t(uint32_t(sum));
}

float saturate(float value, bool isClamped) {
  return isClamped ? std::fmin(std::fmax(value, 0.0f), 1.0f) : value;
}

template <typename T>
float dotPairs(const Item *item, const Site *site, float sum) {
  auto a = operand<Pair<T>>(item, site, 0), b = operand<Pair<T>>(item, site, 1);
  sum = std::fma(a.low.widen(), b.low.widen(), sum);
  return std::fma(a.high.widen(), b.high.widen(), sum);
}

/// Rounds towards zero.
Half narrowTowardsZero(float value) {
  Half nearest = Half::narrow(value);
  if (std::isnan(value) || std::isinf(value) ||
      std::fabs(nearest.widen()) <= std::fabs(value))
    return nearest;
  uint16_t bits = std::bit_cast<uint16_t>(nearest.value);
  return {std::bit_cast<_Float16>(uint16_t(bits - 1))};
}

Fp8Layout fp8Of(const Item *item) {
  return chipOf(item).isFnuz ? e4m3Fnuz : e4m3;
}

Fp8Layout bf8Of(const Item *item) {
  return chipOf(item).isFnuz ? e5m2Fnuz : e5m2;
}

/// Operands: four bytes, which of them.
void widenByte(Item *item, const Site *site, Fp8Layout layout) {
  uint32_t byte = operand<uint32_t>(item, site, 1);
  uint32_t bytes = operand<uint32_t>(item, site, 0);
  setResult(item, widenFp8(uint8_t(bytes >> 8 * (byte & 3)), layout));
}

/// Operands: four bytes, whether the upper two.
void widenTwoBytes(Item *item, const Site *site, Fp8Layout layout) {
  bool isUpper = operand<uint8_t>(item, site, 1) & 1;
  uint32_t bytes = operand<uint32_t>(item, site, 0) >> (isUpper ? 16 : 0);
  setResult(item, Pair<float>{widenFp8(uint8_t(bytes), layout),
                              widenFp8(uint8_t(bytes >> 8), layout)});
}

/// Operands: two floats, old bytes, whether to replace the upper two.
void narrowTwo(Item *item, const Site *site, Fp8Layout layout) {
  uint32_t pair = narrowFp8(operand<float>(item, site, 0), layout) |
                  uint32_t(narrowFp8(operand<float>(item, site, 1), layout))
                      << 8;
  uint32_t old = operand<uint32_t>(item, site, 2);
  bool isUpper = operand<uint8_t>(item, site, 3) & 1;
  setResult(item,
            isUpper ? (old & 0xffff) | pair << 16 : (old & 0xffff0000) | pair);
}

constexpr double twoPi = 6.283185307179586476925;

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

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

/// The median; with a NaN the smaller of the others.
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

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

void mbcntLo(Item *item, const Site *site) {
  uint32_t below = item->lane >= 32 ? ~0u : (1u << item->lane) - 1;
  setResult(item, operand<uint32_t>(item, site, 1) +
                      std::popcount(operand<uint32_t>(item, site, 0) & below));
}

void mbcntHi(Item *item, const Site *site) {
  uint32_t below = item->lane <= 32 ? 0 : (1u << (item->lane - 32)) - 1;
  setResult(item, operand<uint32_t>(item, site, 1) +
                      std::popcount(operand<uint32_t>(item, site, 0) & below));
}

static int32_t signExtend(uint32_t value, uint32_t bits) {
  return bits == 0 ? 0 : int32_t(value << (32 - bits)) >> (32 - bits);
}

void mulI24(Item *item, const Site *site) {
  int64_t product = int64_t(signExtend(operand<uint32_t>(item, site, 0), 24)) *
                    signExtend(operand<uint32_t>(item, site, 1), 24);
  setResult(item, uint32_t(product));
}

void mulU24(Item *item, const Site *site) {
  uint64_t product = uint64_t(operand<uint32_t>(item, site, 0) & 0xffffff) *
                     (operand<uint32_t>(item, site, 1) & 0xffffff);
  setResult(item, uint32_t(product));
}

void ubfe(Item *item, const Site *site) {
  uint32_t offset = operand<uint32_t>(item, site, 1) & 31;
  uint32_t width = operand<uint32_t>(item, site, 2) & 31;
  setResult(item,
            operand<uint32_t>(item, site, 0) >> offset & ((1u << width) - 1));
}

void sbfe(Item *item, const Site *site) {
  uint32_t offset = operand<uint32_t>(item, site, 1) & 31;
  uint32_t width = operand<uint32_t>(item, site, 2) & 31;
  setResult(item,
            signExtend(operand<uint32_t>(item, site, 0) >> offset, width));
}

void alignByte(Item *item, const Site *site) {
  uint64_t bytes = uint64_t(operand<uint32_t>(item, site, 0)) << 32 |
                   operand<uint32_t>(item, site, 1);
  setResult(item,
            uint32_t(bytes >> 8 * (operand<uint32_t>(item, site, 2) & 3)));
}

/// v_perm_b32: selectors 8 to 11 replicate a sign, 12 is zero, above is 0xff.
void bytePerm(Item *item, const Site *site) {
  uint64_t bytes = uint64_t(operand<uint32_t>(item, site, 0)) << 32 |
                   operand<uint32_t>(item, site, 1);
  uint32_t selectors = operand<uint32_t>(item, site, 2), result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t selector = selectors >> 8 * i & 0xff;
    uint32_t byte = 0xff;
    if (selector < 8)
      byte = uint8_t(bytes >> 8 * selector);
    else if (selector < 12)
      byte = bytes >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
    else if (selector == 12)
      byte = 0;
    result |= byte << 8 * i;
  }
  setResult(item, result);
}

void sdot4(Item *item, const Site *site) {
  int64_t sum = dotBytes(operand<uint32_t>(item, site, 0),
                         operand<uint32_t>(item, site, 1), true, true) +
                operand<int32_t>(item, site, 2);
  setResult(item, clampSigned(sum, operand<uint8_t>(item, site, 3) & 1));
}

void udot4(Item *item, const Site *site) {
  uint64_t sum =
      uint64_t(dotBytes(operand<uint32_t>(item, site, 0),
                        operand<uint32_t>(item, site, 1), false, false)) +
      operand<uint32_t>(item, site, 2);
  if (operand<uint8_t>(item, site, 3) & 1)
    sum = std::min<uint64_t>(sum, UINT32_MAX);
  setResult(item, uint32_t(sum));
}

/// Operands: sign of a, a, sign of b, b, sum, clamp.
void sudot4(Item *item, const Site *site) {
  int64_t sum = dotBytes(operand<uint32_t>(item, site, 1),
                         operand<uint32_t>(item, site, 3),
                         operand<uint8_t>(item, site, 0) & 1,
                         operand<uint8_t>(item, site, 2) & 1) +
                operand<int32_t>(item, site, 4);
  setResult(item, clampSigned(sum, operand<uint8_t>(item, site, 5) & 1));
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

void fdot2F32F16(Item *item, const Site *site) {
  float sum = dotPairs<Half>(item, site, operand<float>(item, site, 2));
  setResult(item, saturate(sum, operand<uint8_t>(item, site, 3) & 1));
}

void fdot2F32Bf16(Item *item, const Site *site) {
  float sum = dotPairs<BFloat>(item, site, operand<float>(item, site, 2));
  setResult(item, saturate(sum, operand<uint8_t>(item, site, 3) & 1));
}

void fdot2F16F16(Item *item, const Site *site) {
  float sum = operand<Half>(item, site, 2).widen();
  setResult(item, Half::narrow(dotPairs<Half>(item, site, sum)));
}

void fdot2Bf16Bf16(Item *item, const Site *site) {
  float sum = operand<BFloat>(item, site, 2).widen();
  setResult(item, BFloat::narrow(dotPairs<BFloat>(item, site, sum)));
}

void cvtPkRtz(Item *item, const Site *site) {
  setResult(item, Pair<Half>{narrowTowardsZero(operand<float>(item, site, 0)),
                             narrowTowardsZero(operand<float>(item, site, 1))});
}

void cvtF32Fp8(Item *item, const Site *site) {
  widenByte(item, site, fp8Of(item));
}
void cvtF32Bf8(Item *item, const Site *site) {
  widenByte(item, site, bf8Of(item));
}
void cvtPkF32Fp8(Item *item, const Site *site) {
  widenTwoBytes(item, site, fp8Of(item));
}
void cvtPkF32Bf8(Item *item, const Site *site) {
  widenTwoBytes(item, site, bf8Of(item));
}
void cvtPkFp8F32(Item *item, const Site *site) {
  narrowTwo(item, site, fp8Of(item));
}
void cvtPkBf8F32(Item *item, const Site *site) {
  narrowTwo(item, site, bf8Of(item));
}

/// Operands: address, two bf16. Gives the old pair.
void atomicPkAddBf16(Item *item, const Site *site) {
  auto *address = operand<uint32_t *>(item, site, 0);
  auto addend = operand<Pair<BFloat>>(item, site, 1);
  // Unlike other accesses, this one is announced by the machine.
  abi::Site access = *site;
  access.kind = abi::SiteKind::Atomic;
  access.bytes = access.alignment = 4;
  services.access(item, &access, reinterpret_cast<uint64_t>(address));
  std::atomic_ref<uint32_t> word(*address);
  uint32_t old = word.load(std::memory_order_relaxed), next;
  do {
    auto pair = std::bit_cast<Pair<BFloat>>(old);
    pair.low = BFloat::narrow(pair.low.widen() + addend.low.widen());
    pair.high = BFloat::narrow(pair.high.widen() + addend.high.widen());
    next = std::bit_cast<uint32_t>(pair);
  } while (!word.compare_exchange_weak(old, next, std::memory_order_relaxed));
  setResult(item, old);
}

} // namespace conv::runtime::sim
