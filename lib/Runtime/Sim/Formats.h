//===- Formats.h - number formats that the host has no type for -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 and the 16-bit and 8-bit floating types of AMD GPUs.
// Widening is exact; narrowing rounds to nearest even. Everything here has
// internal linkage, because some includers are compiled for newer processors.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_FORMATS_H
#define CONV_LIB_RUNTIME_SIM_FORMATS_H

#include <cstdint>
#include <cstring>

namespace conv::runtime::sim {
namespace {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Half {
  _Float16 value;
  float widen() const { return float(value); }
  static Half narrow(float value) { return {_Float16(value)}; }
};

struct BFloat {
  uint16_t bits;
  float widen() const { return floatOf(uint32_t(bits) << 16); }
  static BFloat narrow(float value) {
    uint32_t bits = bitsOf(value);
    if (value != value)
      return {uint16_t((bits | 0x400000) >> 16)};
    return {uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
  }
};

/// A layout of eight bits. `isFnuz` formats (gfx942) have no infinity and no
/// negative zero, a bias that is larger by one, and 0x80 for NaN. OCP E4M3 has
/// no infinity; OCP E5M2 has the special values of IEEE.
struct Fp8Layout {
  int exponentBits;
  int mantissaBits;
  bool isFnuz;
  constexpr int bias() const {
    return (1 << (exponentBits - 1)) - 1 + (isFnuz ? 1 : 0);
  }
};

inline constexpr Fp8Layout e4m3 = {4, 3, false};
inline constexpr Fp8Layout e5m2 = {5, 2, false};
inline constexpr Fp8Layout e4m3Fnuz = {4, 3, true};
inline constexpr Fp8Layout e5m2Fnuz = {5, 2, true};

inline float powerOfTwo(int exponent) {
  return floatOf(uint32_t(exponent + 127) << 23);
}

inline float widenFp8(uint8_t bits, Fp8Layout layout) {
  int mantissa = bits & ((1 << layout.mantissaBits) - 1);
  int exponent =
      (bits >> layout.mantissaBits) & ((1 << layout.exponentBits) - 1);
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  float nan = floatOf(bits & 0x80 ? 0xffc00000 : 0x7fc00000);
  int topExponent = (1 << layout.exponentBits) - 1;
  if (layout.isFnuz && bits == 0x80)
    return floatOf(0x7fc00000);
  if (!layout.isFnuz && exponent == topExponent) {
    if (layout.mantissaBits == 2)
      return mantissa ? nan : sign * floatOf(0x7f800000);
    if (mantissa == (1 << layout.mantissaBits) - 1)
      return nan;
  }
  if (exponent == 0)
    return sign * float(mantissa) *
           powerOfTwo(1 - layout.bias() - layout.mantissaBits);
  return sign * float(mantissa + (1 << layout.mantissaBits)) *
         powerOfTwo(exponent - layout.bias() - layout.mantissaBits);
}

/// The largest finite value's bits, without the sign.
inline uint8_t largestFp8(Fp8Layout layout) {
  if (layout.isFnuz)
    return 0x7f;
  return layout.mantissaBits == 2 ? 0x7b : 0x7e;
}

/// Rounds to nearest even. Too large values become what the conversion
/// instructions give without clamping: infinity in OCP E5M2, NaN
/// elsewhere.
inline uint8_t narrowFp8(float value, Fp8Layout layout) {
  uint8_t sign = bitsOf(value) >> 31 ? 0x80 : 0;
  uint8_t overflow = layout.isFnuz              ? 0x80
                     : layout.mantissaBits == 2 ? uint8_t(sign | 0x7c)
                                                : uint8_t(sign | 0x7f);
  if (value != value)
    return layout.isFnuz ? 0x80 : uint8_t(sign | 0x7f);
  float magnitude = floatOf(bitsOf(value) & 0x7fffffff);
  // The step between neighbours at this magnitude.
  int exponent = int(bitsOf(magnitude) >> 23) - 127;
  int smallest = 1 - layout.bias();
  if (exponent < smallest)
    exponent = smallest;
  if (exponent > 16)
    return overflow;
  float scaled = magnitude * powerOfTwo(layout.mantissaBits - exponent);
  int steps = int(__builtin_rintf(scaled));
  // A carry into the next binade moves the exponent field by itself.
  int code = steps + ((exponent - smallest) << layout.mantissaBits);
  if (code > largestFp8(layout))
    return overflow;
  if (code == 0 && layout.isFnuz)
    return 0;
  return uint8_t(sign | code);
}

} // namespace
} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_FORMATS_H
