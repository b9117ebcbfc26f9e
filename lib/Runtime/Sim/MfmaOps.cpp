//===- MfmaOps.cpp - MFMA -------------------------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions of 64 lanes, with the lane layouts of AMD's ISA documents
// for CDNA2 to CDNA4. A and B are gathered from the lanes and widened; sums are
// accumulated in the accumulator's type in the order of k. Operands: A, B, C,
// cbsz, abid, blgp.
//
//===----------------------------------------------------------------------===//

#include "MatrixElements.h"

namespace {

/// The lane whose B a lane uses, by the value of blgp.
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

/// The distribution of C and D over the lanes. A lane holds `perBlock` elements
/// of one column of a block, in every block that has the column.
template <typename Sum, int M, int N, int Blocks> struct LayoutOfC {
  static constexpr bool isDouble = sizeof(Sum) == 8;
  /// Small blocks are side by side in the wave; larger blocks follow each other
  /// in the registers.
  static constexpr bool isSmall = M == 4;
  static constexpr int rowGroups = isSmall ? (isDouble ? 4 : 1) : 64 / N;
  static constexpr int perBlock = M / rowGroups;
  static constexpr int blocksPerLane = isSmall ? 1 : Blocks;

  static int firstBlock(int lane) { return isSmall ? lane / 4 % Blocks : 0; }
  static int rowGroup(int lane) {
    return isSmall ? (isDouble ? lane / 16 : 0) : lane / N;
  }
  /// The group of lanes that holds `row`. For floats and integers, a lane has
  /// runs of four rows; for doubles, one row of each run.
  static int rowGroupOf(int row) {
    return isDouble ? row % rowGroups : row / 4 % rowGroups;
  }
  /// The index of `row` in the lane's part of a block.
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

  // A, with rows in the order in which a lane holds the rows of C.
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

/// Operands A, B, C, the formats of A and B, and for each of both the byte with
/// the scale, and the scale. The compiler selects the instruction without
/// scales if they are constant zeros, so zeros mean no scale here.
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

} // namespace

namespace conv::runtime::sim {

// The instructions: elements of A and B, M, N, K, blocks.
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

} // namespace conv::runtime::sim
