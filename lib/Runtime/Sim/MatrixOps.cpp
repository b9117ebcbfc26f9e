//===- MatrixOps.cpp - MFMA and WMMA --------------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions, with the lane layouts of AMD's ISA documents for CDNA2
// to CDNA4, RDNA3 and RDNA4. A and B are gathered from the lanes and widened;
// sums are accumulated in the accumulator's type in the order of k. This file
// is compiled for AVX2, FMA and F16C and therefore defines nothing that another
// file could share.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "Operations.h"

using namespace conv::runtime::sim;

namespace {

//===----------------------------------------------------------------------===//
// Elements: how the j-th element of a lane's operand becomes a number
//===----------------------------------------------------------------------===//

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

/// Integer sums wrap around, so they are added without a sign.
template <typename Sum> struct Arithmetic {
  using Type = Sum;
};
template <> struct Arithmetic<int32_t> {
  using Type = uint32_t;
};

//===----------------------------------------------------------------------===//
// MFMA: 64 lanes; operands A, B, C, cbsz, abid, blgp
//===----------------------------------------------------------------------===//

/// Which lane's B a lane uses, by the value of blgp.
uint32_t selectLaneOfB(uint32_t lane, uint32_t blgp) {
  switch (blgp) {
  case 1: // The first half for both.
    return lane % 32;
  case 2: // The second half for both.
    return lane % 32 + 32;
  case 3: // Rotate by 16 towards lane 0.
    return (lane + 16) % 64;
  case 4:
  case 5:
  case 6:
  case 7: // One quarter for all.
    return lane % 16 + (blgp - 4) * 16;
  default:
    return lane;
  }
}

/// How C and D are spread over the lanes. A lane holds `perBlock` elements of
/// one column of a block, in every block that has the column.
template <typename Sum, int M, int N, int Blocks> struct LayoutOfC {
  static constexpr bool isDouble = sizeof(Sum) == 8;
  /// Small blocks are one next to the other in the wave; larger ones are one
  /// after the other in the registers.
  static constexpr bool isSmall = M == 4;
  static constexpr int rowGroups = isSmall ? (isDouble ? 4 : 1) : 64 / N;
  static constexpr int perBlock = M / rowGroups;
  static constexpr int blocksPerLane = isSmall ? 1 : Blocks;

  static int firstBlock(int lane) { return isSmall ? lane / 4 % Blocks : 0; }
  static int rowGroup(int lane) {
    return isSmall ? (isDouble ? lane / 16 : 0) : lane / N;
  }
  /// The group of lanes that holds `row`. Floats and integers have runs of four
  /// rows in a lane; doubles have one row of each run.
  static int rowGroupOf(int row) {
    return isDouble ? row % rowGroups : row / 4 % rowGroups;
  }
  /// Where in the lane's part of a block `row` is.
  static int placeOf(int row) {
    return isDouble ? row / rowGroups : row / (4 * rowGroups) * 4 + row % 4;
  }
};

template <typename A, typename B, int M, int N, int K, int Blocks>
void multiplyMfma(WaveOp &op, uint32_t cbsz, uint32_t abid, uint32_t blgp) {
  using Sum = typename A::Sum;
  using Number = typename Arithmetic<Sum>::Type;
  using C = LayoutOfC<Sum, M, N, Blocks>;
  using Part = Vector<Number, C::perBlock>;
  constexpr int perLane = M * K * Blocks / 64;
  constexpr bool isDouble = C::isDouble;
  // For doubles the field negates the operands instead.
  Sum signA = isDouble && (blgp & 1) ? -1 : 1;
  Sum signB = isDouble && (blgp & 2) ? -1 : 1;
  Number signC = isDouble && (blgp & 4) ? -1 : 1;
  // cbsz: groups of 2^cbsz blocks share the A of their member abid.
  if (cbsz && (1u << cbsz > Blocks || abid >> cbsz)) {
    op.failure = "cbsz and abid name a block that does not exist";
    return;
  }

  // A in the order in which the rows of C are in a lane.
  alignas(64) Number a[Blocks][C::rowGroups][K][C::perBlock];
  alignas(64) Number b[Blocks][N][K];
  for (int lane = 0; lane < 64; ++lane) {
    int row = lane % M, block = lane / M % Blocks, group = lane / M / Blocks;
    const uint8_t *source = operandBytes(op, lane, 0);
    for (int j = 0; j < perLane; ++j)
      a[block][C::rowGroupOf(row)][group * perLane + j][C::placeOf(row)] =
          Number(signA * A::read(source, j, *op.chip));
  }
  for (int lane = 0; lane < 64; ++lane) {
    int column = lane % N, block = lane / N % Blocks, group = lane / N / Blocks;
    const uint8_t *source =
        operandBytes(op, isDouble ? lane : selectLaneOfB(lane, blgp), 1);
    for (int j = 0; j < perLane; ++j)
      b[block][column][group * perLane + j] =
          Number(signB * B::read(source, j, *op.chip));
  }

  for (int lane = 0; lane < 64; ++lane) {
    const uint8_t *source = operandBytes(op, lane, 2);
    for (int part = 0; part < C::blocksPerLane; ++part) {
      int block = C::firstBlock(lane) + part;
      int blockOfA = cbsz ? (block >> cbsz << cbsz) + abid : block;
      const auto &rows = a[blockOfA][C::rowGroup(lane)];
      const auto &column = b[block][lane % N];
      Part sum = signC * readElement<Part>(source, part);
      for (int k = 0; k < K; ++k)
        sum +=
            readElement<Part>(reinterpret_cast<const uint8_t *>(rows[k]), 0) *
            column[k];
      memcpy(&op.result<uint8_t>(lane) + part * sizeof(Part), &sum,
             sizeof(Part));
    }
  }
}

template <typename A, typename B, int M, int N, int K, int Blocks>
void mfma(WaveOp &op) {
  multiplyMfma<A, B, M, N, K, Blocks>(op, op.uniform<uint32_t>(3),
                                      op.uniform<uint32_t>(4),
                                      op.uniform<uint32_t>(5));
}

/// Operands A, B, C, the formats of A and B, and for each of both which byte
/// has the scale, and the scale. The compiler selects the instruction without
/// scales if they are constants of zero, and so this is what zeros mean.
template <int M, int N, int K> void mfmaOfFormats(WaveOp &op) {
  for (uint32_t lane = 0; lane < 64; ++lane)
    if (op.operand<uint32_t>(lane, 6) || op.operand<uint32_t>(lane, 8)) {
      op.failure = "operands with scales are not simulated";
      return;
    }
  uint32_t formatA = op.uniform<uint32_t>(3), formatB = op.uniform<uint32_t>(4);
  constexpr uint32_t kFp8 = 0, kBf8 = 1;
  if (formatA > kBf8 || formatB > kBf8) {
    op.failure = "operands of 6 or 4 bits are not simulated";
    return;
  }
  if (formatA == kFp8 && formatB == kFp8)
    multiplyMfma<Fp8, Fp8, M, N, K, 1>(op, 0, 0, 0);
  else if (formatA == kFp8)
    multiplyMfma<Fp8, Bf8, M, N, K, 1>(op, 0, 0, 0);
  else if (formatB == kFp8)
    multiplyMfma<Bf8, Fp8, M, N, K, 1>(op, 0, 0, 0);
  else
    multiplyMfma<Bf8, Bf8, M, N, K, 1>(op, 0, 0, 0);
}

//===----------------------------------------------------------------------===//
// WMMA: 32 lanes, 16x16x16
//===----------------------------------------------------------------------===//

/// The two layouts. RDNA3 has all of a row's k in a lane, twice; RDNA4 has half
/// of them in either half of the wave. Rows of C alternate between the halves
/// on RDNA3 and are consecutive on RDNA4.
struct WmmaLayout {
  bool isRdna3;
  int perLane() const { return isRdna3 ? 16 : 8; }
  int firstK(int lane) const { return isRdna3 ? 0 : 8 * (lane / 16); }
  int row(int lane, int v) const {
    return isRdna3 ? 2 * v + lane / 16 : 8 * (lane / 16) + v;
  }
};

/// Reads A or B by k. False if RDNA3's copies differ.
template <typename Element>
bool gatherWmma(const WaveOp &op, unsigned index, WmmaLayout layout,
                typename Element::Sum (&matrix)[16][16]) {
  for (int lane = 0; lane < 32; ++lane) {
    const uint8_t *source = operandBytes(op, lane, index);
    if (layout.isRdna3 && lane >= 16 &&
        memcmp(source, operandBytes(op, lane - 16, index),
               op.site->operandBytes[index]) != 0)
      return false;
    for (int j = 0; j < layout.perLane(); ++j)
      matrix[layout.firstK(lane) + j][lane % 16] =
          Element::read(source, j, *op.chip);
  }
  return true;
}

constexpr const char *copiesDiffer =
    "lanes 16 to 31 do not hold the same rows as lanes 0 to 15";

template <typename Element> constexpr int elementBytes = 1;
template <> constexpr int elementBytes<F16> = 2;
template <> constexpr int elementBytes<BF16> = 2;

template <typename A, typename B>
bool multiplyWmma(WaveOp &op, unsigned indexA, unsigned indexB,
                  WmmaLayout layout, typename A::Sum (&c)[16][16]) {
  alignas(64) typename A::Sum a[16][16], b[16][16];
  if (!gatherWmma<A>(op, indexA, layout, a) ||
      !gatherWmma<B>(op, indexB, layout, b)) {
    op.failure = copiesDiffer;
    return false;
  }
  using Row = Vector<typename A::Sum, 16>;
  for (int i = 0; i < 16; ++i) {
    Row sum = readElement<Row>(reinterpret_cast<uint8_t *>(c[i]), 0);
    for (int k = 0; k < 16; ++k)
      sum += a[k][i] * readElement<Row>(reinterpret_cast<uint8_t *>(b[k]), 0);
    memcpy(c[i], &sum, sizeof(Row));
  }
  return true;
}

template <typename Element>
WmmaLayout layoutOf(const WaveOp &op, unsigned indexA) {
  return {op.site->operandBytes[indexA] == 16 * elementBytes<Element>};
}

/// Operands A, B, C; f32 sums.
template <typename A, typename B> void wmmaF32(WaveOp &op) {
  WmmaLayout layout = layoutOf<A>(op, 0);
  alignas(64) float c[16][16];
  for (int lane = 0; lane < 32; ++lane)
    for (int v = 0; v < 8; ++v)
      c[layout.row(lane, v)][lane % 16] =
          readElement<float>(operandBytes(op, lane, 2), v);
  if (!multiplyWmma<A, B>(op, 0, 1, layout, c))
    return;
  for (int lane = 0; lane < 32; ++lane)
    for (int v = 0; v < 8; ++v)
      (&op.result<float>(lane))[v] = c[layout.row(lane, v)][lane % 16];
}

/// Operands A, B, C, opsel; sums are rounded to 16 bits at the end. On RDNA3
/// opsel chooses the half of each register and the other half is kept.
template <typename Element, typename Stored> void wmma16(WaveOp &op) {
  WmmaLayout layout = layoutOf<Element>(op, 0);
  int half = op.uniform<uint8_t>(3) & 1;
  auto slot = [&](int v) { return layout.isRdna3 ? 2 * v + half : v; };
  alignas(64) float c[16][16];
  for (int lane = 0; lane < 32; ++lane)
    for (int v = 0; v < 8; ++v)
      c[layout.row(lane, v)][lane % 16] =
          readElement<Stored>(operandBytes(op, lane, 2), slot(v)).widen();
  if (!multiplyWmma<Element, Element>(op, 0, 1, layout, c))
    return;
  for (int lane = 0; lane < 32; ++lane) {
    Stored *result = &op.result<Stored>(lane);
    memcpy(result, operandBytes(op, lane, 2), op.site->resultBytes);
    for (int v = 0; v < 8; ++v)
      result[slot(v)] = Stored::narrow(c[layout.row(lane, v)][lane % 16]);
  }
}

/// Reads a matrix of bytes by k, signed or not.
bool gatherBytes(const WaveOp &op, unsigned index, bool isSigned,
                 WmmaLayout layout, int32_t (&matrix)[16][16]) {
  if (!gatherWmma<I8>(op, index, layout, matrix))
    return false;
  if (!isSigned)
    for (auto &row : matrix)
      for (int32_t &value : row)
        value = uint8_t(value);
  return true;
}

/// Operands: sign of A, A, sign of B, B, C, clamp.
void wmmaBytes(WaveOp &op) {
  WmmaLayout layout = {op.site->operandBytes[1] == 16};
  alignas(64) int32_t a[16][16], b[16][16];
  if (!gatherBytes(op, 1, op.uniform<uint8_t>(0) & 1, layout, a) ||
      !gatherBytes(op, 3, op.uniform<uint8_t>(2) & 1, layout, b)) {
    op.failure = copiesDiffer;
    return;
  }
  bool isClamped = op.uniform<uint8_t>(5) & 1;
  for (int lane = 0; lane < 32; ++lane)
    for (int v = 0; v < 8; ++v) {
      int row = layout.row(lane, v), column = lane % 16;
      int64_t sum = readElement<int32_t>(operandBytes(op, lane, 4), v);
      for (int k = 0; k < 16; ++k)
        sum += int64_t(a[k][row]) * b[k][column];
      if (isClamped)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      (&op.result<int32_t>(lane))[v] = int32_t(uint32_t(sum));
    }
}

} // namespace

//===----------------------------------------------------------------------===//
// The instructions: elements of A and B, M, N, K, blocks
//===----------------------------------------------------------------------===//

namespace conv::runtime::sim {

#define MFMA(name, A, B, M, N, K, blocks)                                      \
  void mfma_##name(WaveOp &op) { mfma<A, B, M, N, K, blocks>(op); }            \
  const MatrixInfo mfma_##name##_info = {2ull * M * N * K * blocks};

MFMA(f32_32x32x1_f32, F32, F32, 32, 32, 1, 2)
MFMA(f32_16x16x1_f32, F32, F32, 16, 16, 1, 4)
MFMA(f32_4x4x1_f32, F32, F32, 4, 4, 1, 16)
MFMA(f32_32x32x2_f32, F32, F32, 32, 32, 2, 1)
MFMA(f32_16x16x4_f32, F32, F32, 16, 16, 4, 1)

MFMA(f32_32x32x4_f16, F16, F16, 32, 32, 4, 2)
MFMA(f32_16x16x4_f16, F16, F16, 16, 16, 4, 4)
MFMA(f32_4x4x4_f16, F16, F16, 4, 4, 4, 16)
MFMA(f32_32x32x8_f16, F16, F16, 32, 32, 8, 1)
MFMA(f32_16x16x16_f16, F16, F16, 16, 16, 16, 1)
MFMA(f32_32x32x16_f16, F16, F16, 32, 32, 16, 1)
MFMA(f32_16x16x32_f16, F16, F16, 16, 16, 32, 1)

MFMA(f32_32x32x2_bf16, BF16, BF16, 32, 32, 2, 2)
MFMA(f32_16x16x2_bf16, BF16, BF16, 16, 16, 2, 4)
MFMA(f32_4x4x2_bf16, BF16, BF16, 4, 4, 2, 16)
MFMA(f32_32x32x4_bf16, BF16, BF16, 32, 32, 4, 1)
MFMA(f32_16x16x8_bf16, BF16, BF16, 16, 16, 8, 1)
MFMA(f32_32x32x4_bf16_1k, BF16, BF16, 32, 32, 4, 2)
MFMA(f32_16x16x4_bf16, BF16, BF16, 16, 16, 4, 4)
MFMA(f32_4x4x4_bf16, BF16, BF16, 4, 4, 4, 16)
MFMA(f32_32x32x8_bf16, BF16, BF16, 32, 32, 8, 1)
MFMA(f32_16x16x16_bf16, BF16, BF16, 16, 16, 16, 1)
MFMA(f32_32x32x16_bf16, BF16, BF16, 32, 32, 16, 1)
MFMA(f32_16x16x32_bf16, BF16, BF16, 16, 16, 32, 1)

MFMA(f32_32x32x4_xf32, XF32, XF32, 32, 32, 4, 1)
MFMA(f32_16x16x8_xf32, XF32, XF32, 16, 16, 8, 1)

MFMA(f32_32x32x16_fp8_fp8, Fp8, Fp8, 32, 32, 16, 1)
MFMA(f32_32x32x16_fp8_bf8, Fp8, Bf8, 32, 32, 16, 1)
MFMA(f32_32x32x16_bf8_fp8, Bf8, Fp8, 32, 32, 16, 1)
MFMA(f32_32x32x16_bf8_bf8, Bf8, Bf8, 32, 32, 16, 1)
MFMA(f32_16x16x32_fp8_fp8, Fp8, Fp8, 16, 16, 32, 1)
MFMA(f32_16x16x32_fp8_bf8, Fp8, Bf8, 16, 16, 32, 1)
MFMA(f32_16x16x32_bf8_fp8, Bf8, Fp8, 16, 16, 32, 1)
MFMA(f32_16x16x32_bf8_bf8, Bf8, Bf8, 16, 16, 32, 1)

#define MFMA_OF_FORMATS(name, M, N, K)                                         \
  void mfma_##name(WaveOp &op) { mfmaOfFormats<M, N, K>(op); }                 \
  const MatrixInfo mfma_##name##_info = {2ull * M * N * K};

MFMA_OF_FORMATS(f32_16x16x128_f8f6f4, 16, 16, 128)
MFMA_OF_FORMATS(f32_32x32x64_f8f6f4, 32, 32, 64)

MFMA(i32_32x32x4_i8, I8, I8, 32, 32, 4, 2)
MFMA(i32_16x16x4_i8, I8, I8, 16, 16, 4, 4)
MFMA(i32_4x4x4_i8, I8, I8, 4, 4, 4, 16)
MFMA(i32_32x32x8_i8, I8, I8, 32, 32, 8, 1)
MFMA(i32_16x16x16_i8, I8, I8, 16, 16, 16, 1)
MFMA(i32_32x32x16_i8, I8, I8, 32, 32, 16, 1)
MFMA(i32_16x16x32_i8, I8, I8, 16, 16, 32, 1)
MFMA(i32_32x32x32_i8, I8, I8, 32, 32, 32, 1)
MFMA(i32_16x16x64_i8, I8, I8, 16, 16, 64, 1)

MFMA(f64_16x16x4_f64, F64, F64, 16, 16, 4, 1)
MFMA(f64_4x4x4_f64, F64, F64, 4, 4, 4, 4)

#define WMMA(name, ...)                                                        \
  void wmma_##name(WaveOp &op) { __VA_ARGS__(op); }                            \
  const MatrixInfo wmma_##name##_info = {2ull * 16 * 16 * 16};

WMMA(f32_f16, wmmaF32<F16, F16>)
WMMA(f32_bf16, wmmaF32<BF16, BF16>)
WMMA(f32_fp8_fp8, wmmaF32<Fp8, Fp8>)
WMMA(f32_fp8_bf8, wmmaF32<Fp8, Bf8>)
WMMA(f32_bf8_fp8, wmmaF32<Bf8, Fp8>)
WMMA(f32_bf8_bf8, wmmaF32<Bf8, Bf8>)
WMMA(f16_f16, wmma16<F16, Half>)
WMMA(bf16_bf16, wmma16<BF16, BFloat>)
WMMA(i32_iu8, wmmaBytes)

} // namespace conv::runtime::sim
