//===- ElementType.cpp - element types of tensors in memory -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per type. The narrow floats share one decoder and one encoder that
// work from the row (bits of exponent and mantissa, bias, meaning of the top
// codes), so that there is only one rounding to verify.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/ElementType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace conv;

namespace {

/// The meaning of the largest exponent codes.
enum class Specials {
  IEEE, ///< All-ones exponent: infinity, and NaN with a mantissa.
  FN,   ///< Only the all-ones code is NaN; no infinity.
  FNUZ, ///< Only the code of negative zero is NaN; no infinity.
};

/// A binary float of up to 64 bits: sign, exponent, mantissa.
struct FloatFormat {
  int exponentBits, mantissaBits, bias;
  Specials specials;
};

struct Row {
  ElementType type;
  std::string_view name;
  int bytes;
  FloatFormat format; ///< `exponentBits` is 0 for integers.
  double low, high;   ///< Limits of an integer type.
};

constexpr Row kRows[] = {
    {ElementType::F64, "f64", 8, {11, 52, 1023, Specials::IEEE}, 0, 0},
    {ElementType::F32, "f32", 4, {8, 23, 127, Specials::IEEE}, 0, 0},
    {ElementType::F16, "f16", 2, {5, 10, 15, Specials::IEEE}, 0, 0},
    {ElementType::BF16, "bf16", 2, {8, 7, 127, Specials::IEEE}, 0, 0},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, {4, 3, 7, Specials::FN}, 0, 0},
    {ElementType::F8E5M2, "f8E5M2", 1, {5, 2, 15, Specials::IEEE}, 0, 0},
    {ElementType::F8E4M3FNUZ, "f8E4M3FNUZ", 1, {4, 3, 8, Specials::FNUZ}, 0, 0},
    {ElementType::F8E5M2FNUZ,
     "f8E5M2FNUZ",
     1,
     {5, 2, 16, Specials::FNUZ},
     0,
     0},
    // The largest double of the type.
    {ElementType::I64, "i64", 8, {}, -0x1p63, 0x1p63 - 1024},
    {ElementType::I32, "i32", 4, {}, -2147483648.0, 2147483647.0},
    {ElementType::I16, "i16", 2, {}, -32768, 32767},
    {ElementType::I8, "i8", 1, {}, -128, 127},
    {ElementType::U16, "u16", 2, {}, 0, 65535},
    {ElementType::U8, "u8", 1, {}, 0, 255},
};

const Row &getRow(ElementType type) { return kRows[size_t(type)]; }

static_assert(
    [] {
      for (size_t i = 0; i < std::size(kRows); ++i)
        if (kRows[i].type != ElementType(i))
          return false;
      return true;
    }(),
    "rows are in the order of the enumeration");

uint64_t signBit(const FloatFormat &format) {
  return uint64_t(1) << (format.exponentBits + format.mantissaBits);
}

uint64_t mantissaMask(const FloatFormat &format) {
  return (uint64_t(1) << format.mantissaBits) - 1;
}

/// The code of the largest finite magnitude.
uint64_t largestFinite(const FloatFormat &format) {
  uint64_t all = signBit(format) - 1;
  switch (format.specials) {
  case Specials::IEEE:
    return all - mantissaMask(format) - 1;
  case Specials::FN:
    return all - 1;
  case Specials::FNUZ:
    return all;
  }
  return 0;
}

uint64_t nanCode(const FloatFormat &format) {
  if (format.specials == Specials::FNUZ)
    return signBit(format);
  uint64_t all = signBit(format) - 1;
  // The quiet NaN with no payload; FN has a single one.
  uint64_t payload = mantissaMask(format) >> 1;
  return format.specials == Specials::FN ? all : all - payload;
}

double decode(const FloatFormat &format, uint64_t bits) {
  uint64_t magnitude = bits & (signBit(format) - 1);
  bool negative = bits & signBit(format);
  if (format.specials == Specials::FNUZ && negative && magnitude == 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > largestFinite(format)) {
    bool infinite = format.specials == Specials::IEEE &&
                    magnitude == largestFinite(format) + 1;
    double value = infinite ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
    return negative ? -value : value;
  }
  int exponent = int(magnitude >> format.mantissaBits);
  uint64_t mantissa = magnitude & mantissaMask(format);
  if (exponent == 0)
    exponent = 1; // Subnormal: no hidden bit, the smallest exponent.
  else
    mantissa += mantissaMask(format) + 1;
  double value = std::ldexp(double(mantissa),
                            exponent - format.bias - format.mantissaBits);
  return negative ? -value : value;
}

/// The exponent of the last mantissa bit of a value in [2^e, 2^(e+1)), which
/// stays the same among subnormal numbers.
int lastBitExponent(const FloatFormat &format, int exponent) {
  return std::max(exponent, 1 - format.bias) - format.mantissaBits;
}

uint64_t encode(const FloatFormat &format, double value) {
  if (std::isnan(value))
    return nanCode(format);
  uint64_t sign = std::signbit(value) ? signBit(format) : 0;
  double magnitude = std::fabs(value);
  uint64_t overflow = format.specials == Specials::IEEE
                          ? sign | (largestFinite(format) + 1)
                          : nanCode(format);
  if (std::isinf(value))
    return overflow;
  if (magnitude == 0)
    return format.specials == Specials::FNUZ ? 0 : sign;

  // Counts units in the last place and rounds the count to even. A count that
  // carries into the next binade, or from subnormal to normal numbers, gives
  // the right code because codes are consecutive.
  int exponent = std::ilogb(magnitude);
  int last = lastBitExponent(format, exponent);
  uint64_t count = uint64_t(std::nearbyint(std::ldexp(magnitude, -last)));
  uint64_t binade = uint64_t(last + format.mantissaBits + format.bias - 1);
  uint64_t code = (binade << format.mantissaBits) + count;
  if (code > largestFinite(format))
    return overflow;
  return code == 0 && format.specials == Specials::FNUZ ? 0 : sign | code;
}

template <typename T> T read(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T> void write(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

uint64_t readBits(int bytes, const void *data, int64_t index) {
  switch (bytes) {
  case 1:
    return read<uint8_t>(data, index);
  case 2:
    return read<uint16_t>(data, index);
  case 4:
    return read<uint32_t>(data, index);
  default:
    return read<uint64_t>(data, index);
  }
}

void writeBits(int bytes, void *data, int64_t index, uint64_t bits) {
  switch (bytes) {
  case 1:
    return write(data, index, uint8_t(bits));
  case 2:
    return write(data, index, uint16_t(bits));
  case 4:
    return write(data, index, uint32_t(bits));
  default:
    return write(data, index, bits);
  }
}

/// The value of an integer type's bits: sign-extended if the type is signed.
int64_t integerValue(const Row &row, uint64_t bits) {
  int shift = 64 - 8 * row.bytes;
  return row.low < 0 ? int64_t(bits << shift) >> shift : int64_t(bits);
}

} // namespace

std::string_view conv::elementTypeName(ElementType type) {
  return getRow(type).name;
}

std::optional<ElementType> conv::lookupElementType(std::string_view name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

int64_t conv::elementBytes(ElementType type) { return getRow(type).bytes; }

bool conv::isFloat(ElementType type) {
  return getRow(type).format.exponentBits != 0;
}

double conv::loadElement(ElementType type, const void *data, int64_t index) {
  if (type == ElementType::F32)
    return read<float>(data, index);
  if (type == ElementType::F64)
    return read<double>(data, index);
  const Row &row = getRow(type);
  uint64_t bits = readBits(row.bytes, data, index);
  return isFloat(type) ? decode(row.format, bits)
                       : double(integerValue(row, bits));
}

void conv::storeElement(ElementType type, void *data, int64_t index,
                        double value) {
  if (type == ElementType::F32)
    return write(data, index, float(value));
  if (type == ElementType::F64)
    return write(data, index, value);
  const Row &row = getRow(type);
  if (isFloat(type))
    return writeBits(row.bytes, data, index, encode(row.format, value));
  double rounded = std::isnan(value) ? 0 : std::nearbyint(value);
  auto integer = int64_t(std::clamp(rounded, row.low, row.high));
  writeBits(row.bytes, data, index, uint64_t(integer));
}

double conv::roundTo(ElementType type, double value) {
  char storage[8];
  storeElement(type, storage, 0, value);
  return loadElement(type, storage, 0);
}

double conv::ulp(ElementType type, double value) {
  if (!isFloat(type))
    return 1;
  const FloatFormat &format = getRow(type).format;
  double largest = decode(format, largestFinite(format));
  double magnitude = std::min(std::fabs(value), largest);
  if (std::isnan(value))
    return magnitude;
  int exponent = magnitude == 0 ? 1 - format.bias : std::ilogb(magnitude);
  return std::ldexp(1.0, lastBitExponent(format, exponent));
}
