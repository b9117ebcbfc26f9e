//===- ElementTypeTest.cpp - conversions, code by code ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every code of every narrow float is decoded, encoded, and rounded at the
// middle between neighbours. f16 and bf16 are also compared with the compiler's
// own conversions, the 8-bit floats with the limits that the OCP
// specification and AMD's definition of the FNUZ forms state.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/ElementType.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace conv;

static constexpr ElementType kNarrow[] = {
    ElementType::F16,    ElementType::BF16,       ElementType::F8E4M3FN,
    ElementType::F8E5M2, ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ,
};

static double decode(ElementType type, uint32_t bits) {
  return loadElement(type, &bits, 0);
}

static uint32_t encode(ElementType type, double value) {
  uint32_t bits = 0;
  storeElement(type, &bits, 0, value);
  return bits;
}

/// The largest code such that it and all smaller codes have finite values.
static uint32_t largestFinite(ElementType type) {
  uint32_t code = 0;
  while (std::isfinite(decode(type, code + 1)) && decode(type, code + 1) > 0)
    ++code;
  return code;
}

TEST(ElementType, NamesRoundTrip) {
  for (int i = 0; i <= int(ElementType::U8); ++i)
    EXPECT_EQ(lookupElementType(elementTypeName(ElementType(i))),
              ElementType(i));
  EXPECT_EQ(lookupElementType("f12"), std::nullopt);
  EXPECT_EQ(elementBytes(ElementType::BF16), 2);
}

TEST(ElementType, EveryFiniteCodeRoundTrips) {
  for (ElementType type : kNarrow)
    for (uint32_t code = 0, end = 1u << (8 * elementBytes(type)); code < end;
         ++code) {
      double value = decode(type, code);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode(type, encode(type, value))));
      else
        EXPECT_EQ(encode(type, value), code) << elementTypeName(type);
    }
}

TEST(ElementType, RoundsToNearestAndTiesToEven) {
  for (ElementType type : kNarrow) {
    uint32_t last = largestFinite(type);
    uint32_t sign = 1u << (8 * elementBytes(type) - 1);
    for (uint32_t code = 0; code < last; ++code) {
      double low = decode(type, code), high = decode(type, code + 1);
      ASSERT_LT(low, high);
      double middle = (low + high) / 2; // Exact in double.
      EXPECT_EQ(encode(type, middle), code + (code & 1));
      EXPECT_EQ(encode(type, std::nextafter(middle, 0)), code);
      EXPECT_EQ(encode(type, std::nextafter(middle, high)), code + 1);
      EXPECT_EQ(encode(type, -std::nextafter(middle, high)), sign | (code + 1));
    }
  }
}

TEST(ElementType, OverflowIsInfinityOrNaN) {
  for (ElementType type : kNarrow) {
    uint32_t last = largestFinite(type);
    double largest = decode(type, last);
    double next = largest + ulp(type, largest); // What rounding competes with.
    double middle = (largest + next) / 2;
    EXPECT_EQ(encode(type, std::nextafter(middle, 0)), last);
    // Largest codes are odd, except E4M3FN's, whose last code is NaN.
    bool tieGoesUp = last & 1;
    double atMiddle = decode(type, encode(type, middle));
    EXPECT_EQ(!std::isfinite(atMiddle), tieGoesUp) << elementTypeName(type);
    double beyond = decode(type, encode(type, next));
    bool hasInfinity = type == ElementType::F16 || type == ElementType::BF16 ||
                       type == ElementType::F8E5M2;
    EXPECT_EQ(std::isinf(beyond), hasInfinity) << elementTypeName(type);
    EXPECT_EQ(std::isnan(beyond), !hasInfinity) << elementTypeName(type);
  }
}

TEST(ElementType, HalfMatchesTheCompiler) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto half = std::bit_cast<_Float16>(uint16_t(code));
    double value = decode(ElementType::F16, code);
    if (std::isnan(value))
      EXPECT_NE(half, half);
    else
      EXPECT_EQ(value, double(half));
  }
  uint32_t bits = 1;
  for (int i = 0; i < 100000; ++i) {
    bits = bits * 1664525 + 1013904223;
    auto value = std::bit_cast<float>(bits);
    if (!std::isnan(value))
      EXPECT_EQ(encode(ElementType::F16, value),
                std::bit_cast<uint16_t>(_Float16(value)));
  }
}

TEST(ElementType, BFloatIsTheUpperHalfOfAFloat) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto wide = std::bit_cast<float>(code << 16);
    double value = decode(ElementType::BF16, code);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(wide));
    else
      EXPECT_EQ(value, wide);
  }
}

TEST(ElementType, EightBitFloatsHavePublishedValues) {
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FN, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FN, 0xff)));
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x08), std::ldexp(1, -6));
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x7b), 57344);
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x7c),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x01), std::ldexp(1, -16));
  EXPECT_EQ(decode(ElementType::F8E4M3FNUZ, 0x7f), 240);
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FNUZ, 0x80)));
  EXPECT_EQ(decode(ElementType::F8E4M3FNUZ, 0x01), std::ldexp(1, -10));
  EXPECT_EQ(decode(ElementType::F8E5M2FNUZ, 0x7f), 57344);
  EXPECT_EQ(decode(ElementType::F8E5M2FNUZ, 0x01), std::ldexp(1, -17));
}

TEST(ElementType, SignedZero) {
  EXPECT_EQ(encode(ElementType::F16, -0.0), 0x8000u);
  EXPECT_EQ(encode(ElementType::F8E4M3FN, -1e-30), 0x80u);
  // The code of negative zero is NaN in the FNUZ types.
  EXPECT_EQ(encode(ElementType::F8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(encode(ElementType::F8E5M2FNUZ, -1e-30), 0u);
}

TEST(ElementType, IntegersRoundAndSaturate) {
  EXPECT_EQ(encode(ElementType::I8, 2.5), 2u);
  EXPECT_EQ(encode(ElementType::I8, -1000), 0x80u);
  EXPECT_EQ(encode(ElementType::U8, -3), 0u);
  EXPECT_EQ(encode(ElementType::I32, 1e18), 0x7fffffffu);
  EXPECT_EQ(encode(ElementType::I16, std::nan("")), 0u);
  EXPECT_EQ(decode(ElementType::I8, 0xff), -1);
  EXPECT_EQ(decode(ElementType::U16, 0xffff), 65535);
  EXPECT_EQ(decode(ElementType::I32, 0x80000000), -2147483648.0);
}

TEST(ElementType, IntegersOf64BitsSaturate) {
  int64_t value = 0;
  auto store = [&](double number) {
    storeElement(ElementType::I64, &value, 0, number);
    return value;
  };
  EXPECT_EQ(store(-3), -3);
  EXPECT_EQ(store(0x1p40 + 1), (int64_t(1) << 40) + 1);
  EXPECT_EQ(store(-1e30), INT64_MIN);
  // The largest double that an i64 holds.
  EXPECT_EQ(store(1e30), INT64_MAX - 1023);
  value = INT64_MIN;
  EXPECT_EQ(loadElement(ElementType::I64, &value, 0), -0x1p63);
}

TEST(ElementType, ElementsAreIndexed) {
  uint16_t values[3] = {0, 0, 0};
  storeElement(ElementType::F16, values, 2, 1.0);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], 0x3c00);
  EXPECT_EQ(loadElement(ElementType::F16, values, 2), 1.0);
}

TEST(ElementType, UlpIsTheDistanceToTheNextCode) {
  for (ElementType type : kNarrow)
    for (uint32_t code = 0, last = largestFinite(type); code < last; ++code)
      EXPECT_EQ(ulp(type, decode(type, code)),
                decode(type, code + 1) - decode(type, code));
  EXPECT_EQ(ulp(ElementType::F32, 1.0), std::ldexp(1, -23));
  EXPECT_EQ(ulp(ElementType::F32, 0.0), std::ldexp(1, -149));
  EXPECT_EQ(ulp(ElementType::I8, 7), 1);
}
