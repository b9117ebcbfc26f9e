//===- WmmaOps.cpp - WMMA -------------------------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions of 32 lanes, all 16x16x16, with the lane layouts of AMD's
// ISA documents for RDNA3 and RDNA4. A and B are gathered from the lanes and
// widened; sums are accumulated in the accumulator's type in the order of k.
//
//===----------------------------------------------------------------------===//

#include "MatrixElements.h"

namespace {

/// The two layouts. A lane of RDNA3 has all k of a row, and two lanes have the
/// same row; each half of the wave has half of the k on RDNA4. Rows of C
/// alternate between the halves on RDNA3 and are consecutive on RDNA4.
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
/// opsel selects the half of each register to write; the other half stays.
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

namespace conv::runtime::sim {

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
