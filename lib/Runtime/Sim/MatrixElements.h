//===- MatrixElements.h - operands of matrix instructions -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the j-th element of a lane's operand becomes a number. Each file that
// includes this is compiled for AVX2, FMA and F16C and has internal copies,
// which files compiled for other processors must not share.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_MATRIXELEMENTS_H
#define CONV_LIB_RUNTIME_SIM_MATRIXELEMENTS_H

#include "Formats.h"
#include "Operations.h"

namespace {

using namespace conv::runtime::sim;

template <typename T> T readElement(const uint8_t *operand, int index) {
  T value;
  memcpy(&value, operand + index * sizeof(T), sizeof(T));
  return value;
}

/// Several numbers in vector registers.
template <typename T, int Count>
using Vector = T __attribute__((ext_vector_type(Count)));

struct F16 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &) {
    return readElement<Half>(operand, j).widen();
  }
};

struct BF16 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &) {
    return readElement<BFloat>(operand, j).widen();
  }
};

struct F32 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &) {
    return readElement<float>(operand, j);
  }
};

/// f32 of which the matrix unit uses ten bits of mantissa, rounded to nearest.
struct XF32 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &) {
    uint32_t bits = readElement<uint32_t>(operand, j);
    if ((bits & 0x7f800000) == 0x7f800000)
      return floatOf(bits);
    return floatOf((bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fffu);
  }
};

struct F64 {
  using Sum = double;
  static double read(const uint8_t *operand, int j, const SimChip &) {
    return readElement<double>(operand, j);
  }
};

struct I8 {
  using Sum = int32_t;
  static int32_t read(const uint8_t *operand, int j, const SimChip &) {
    return readElement<int8_t>(operand, j);
  }
};

struct Fp8 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &chip) {
    return widenFp8(operand[j], chip.isFnuz ? e4m3Fnuz : e4m3);
  }
};

struct Bf8 {
  using Sum = float;
  static float read(const uint8_t *operand, int j, const SimChip &chip) {
    return widenFp8(operand[j], chip.isFnuz ? e5m2Fnuz : e5m2);
  }
};

const uint8_t *operandBytes(const WaveOp &op, uint32_t lane, unsigned index) {
  return &op.operand<uint8_t>(lane, index);
}

/// Integer sums wrap around, so they are added as unsigned numbers.
template <typename Sum> struct Arithmetic {
  using Type = Sum;
};
template <> struct Arithmetic<int32_t> {
  using Type = uint32_t;
};

} // namespace

#endif // CONV_LIB_RUNTIME_SIM_MATRIXELEMENTS_H
