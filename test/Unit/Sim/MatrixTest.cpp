//===- MatrixTest.cpp - every matrix instruction against a plain loop -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each matrix instruction once on small random integers, with the matrices
// distributed over the lanes by formulas from AMD's ISA documents, and compares
// with a triple loop. Integers make every result exact.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <cstring>
#include <random>

using namespace conv::test;

namespace {

/// The number formats of operands.
enum class Format { F16, BF16, F32, F64, I8, U8, Fp8, Bf8, Fp8Fnuz, Bf8Fnuz };

int bytesOf(Format format) {
  switch (format) {
  case Format::F64:
    return 8;
  case Format::F32:
    return 4;
  case Format::F16:
  case Format::BF16:
    return 2;
  default:
    return 1;
  }
}

/// Exponent bias and mantissa bits of an 8-bit float.
uint8_t encodeFp8(int value, int bias, int mantissaBits) {
  if (value == 0)
    return 0;
  int magnitude = std::abs(value), exponent = 0;
  while (magnitude >> (exponent + 1))
    ++exponent;
  int mantissa = (magnitude << mantissaBits >> exponent) - (1 << mantissaBits);
  return uint8_t((value < 0 ? 0x80 : 0) | (exponent + bias) << mantissaBits |
                 mantissa);
}

template <typename T> void store(uint8_t *at, T value) {
  memcpy(at, &value, sizeof(T));
}

/// Writes a small integer. All formats hold -3 to 3 exactly.
void encode(Format format, int value, uint8_t *at) {
  switch (format) {
  case Format::F16:
    return store(at, _Float16(value));
  case Format::BF16: {
    float wide = float(value);
    uint32_t bits;
    memcpy(&bits, &wide, 4);
    return store(at, uint16_t(bits >> 16));
  }
  case Format::F32:
    return store(at, float(value));
  case Format::F64:
    return store(at, double(value));
  case Format::I8:
    return store(at, int8_t(value));
  case Format::U8:
    return store(at, uint8_t(value));
  case Format::Fp8:
    return store(at, encodeFp8(value, 7, 3));
  case Format::Bf8:
    return store(at, encodeFp8(value, 15, 2));
  case Format::Fp8Fnuz:
    return store(at, encodeFp8(value, 8, 3));
  case Format::Bf8Fnuz:
    return store(at, encodeFp8(value, 16, 2));
  }
}

struct Instruction {
  const char *chip;
  const char *name; ///< After `llvm.amdgcn.`, with overloaded types.
  int m, n, k, blocks;
  Format a, b;
  const char *typeOfA, *typeOfB, *typeOfC;
};

void PrintTo(const Instruction &instruction, std::ostream *os) {
  *os << instruction.chip << " " << instruction.name;
}

enum class Sum { F32, F64, I32 };

Sum sumOf(const Instruction &instruction) {
  if (instruction.a == Format::F64)
    return Sum::F64;
  return instruction.a == Format::I8 ? Sum::I32 : Sum::F32;
}

class Mfma : public testing::TestWithParam<Instruction> {};

/// The number of an element of a block of `rows` by `columns`.
int getIndex(int block, int row, int column, int rows, int columns) {
  return (block * rows + row) * columns + column;
}

/// The place of register `v` of a lane in C.
int getPlaceOfSum(const Instruction &it, int lane, int v) {
  int block, row, column = lane % it.n;
  bool isDouble = it.a == Format::F64;
  if (it.m == 4) {
    block = isDouble ? lane / 4 % 4 : lane / 4;
    row = isDouble ? lane / 16 : v;
  } else if (isDouble) {
    block = 0;
    row = 4 * v + lane / 16;
  } else if (it.m == 16) {
    block = v / 4;
    row = 4 * (lane / 16) + v % 4;
  } else {
    block = v / 16;
    row = 8 * (v % 16 / 4) + 4 * (lane / 32) + v % 4;
  }
  return getIndex(block, row, column, it.m, it.n);
}

void encodeSum(const Instruction &it, int value, uint8_t *at) {
  if (sumOf(it) == Sum::I32)
    store(at, int32_t(value));
  else
    encode(sumOf(it) == Sum::F64 ? Format::F64 : Format::F32, value, at);
}

/// C plus the products of all blocks.
std::vector<int> multiply(const Instruction &it, const std::vector<int> &a,
                          const std::vector<int> &b,
                          const std::vector<int> &c) {
  std::vector<int> sums(c);
  for (int block = 0; block < it.blocks; ++block)
    for (int i = 0; i < it.m; ++i)
      for (int j = 0; j < it.n; ++j)
        for (int k = 0; k < it.k; ++k)
          sums[getIndex(block, i, j, it.m, it.n)] +=
              a[getIndex(block, i, k, it.m, it.k)] *
              b[getIndex(block, k, j, it.k, it.n)];
  return sums;
}

/// A kernel that loads %a, %b and %c of these types from its place in three
/// buffers, and stores what the instruction makes of `arguments` in a fourth.
std::string getProductKernel(const std::string &name, const std::string &a,
                             const std::string &b, const std::string &c,
                             const std::string &constants,
                             const std::string &arguments) {
  auto load = [](const std::string &name, const std::string &pointer,
                 const std::string &type) {
    return "%" + name + "At = llvm.getelementptr " + pointer +
           "[%tid64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, " + type + "\n%" +
           name + " = llvm.load %" + name +
           "At {alignment = 1 : i64} : !llvm.ptr<1> -> " + type + "\n";
  };
  return kernelText(
      4, load("a", "%p0", a) + load("b", "%p1", b) + load("c", "%p2", c) +
             constants + "%d = llvm.call_intrinsic \"llvm.amdgcn." + name +
             "\"" + arguments + " -> " + c +
             "\n%dAt = llvm.getelementptr %p3[%tid64] : (!llvm.ptr<1>, i64) -> "
             "!llvm.ptr<1>, " +
             c + "\nllvm.store %d, %dAt {alignment = 1 : i64} : " + c +
             ", !llvm.ptr<1>");
}

/// The kernel of an instruction. Its immediates say how blocks are shared, or
/// what the formats and scales of operands are.
std::string getKernel(const Instruction &it) {
  std::string ta = it.typeOfA, tb = it.typeOfB, tc = it.typeOfC;
  auto formatOf = [](Format format) {
    return format == Format::Bf8 ? "%one" : "%zero";
  };
  std::string immediates = ", %zero, %zero, %zero", types = ", i32, i32, i32";
  if (std::string(it.name).ends_with("f8f6f4")) {
    immediates = std::string(", ") + formatOf(it.a) + ", " + formatOf(it.b) +
                 ", %zero, %zero, %zero, %zero";
    types += types;
  }
  return getProductKernel(it.name, ta, tb, tc,
                          "%zero = llvm.mlir.constant(0 : i32) : i32\n"
                          "%one = llvm.mlir.constant(1 : i32) : i32\n",
                          "(%a, %b, %c" + immediates + ") : (" + ta + ", " +
                              tb + ", " + tc + types + ")");
}

TEST_P(Mfma, MatchesAPlainLoop) {
  const Instruction &it = GetParam();
  std::mt19937 random(42);
  auto draw = [&] { return int(random() % 7) - 3; };
  std::vector<int> a(it.blocks * it.m * it.k), b(it.blocks * it.k * it.n),
      c(it.blocks * it.m * it.n);
  for (auto *matrix : {&a, &b, &c})
    for (int &value : *matrix)
      value = draw();

  // Lane l of A holds row l % M; the rest of l counts blocks, then groups of
  // consecutive k. B is the same with columns.
  int perLane = it.m * it.k * it.blocks / 64;
  int elementBytes = bytesOf(it.a);
  std::vector<uint8_t> lanesOfA(64 * perLane * elementBytes),
      lanesOfB(lanesOfA);
  for (int lane = 0; lane < 64; ++lane)
    for (int j = 0; j < perLane; ++j) {
      size_t at = size_t(lane * perLane + j) * elementBytes;
      int row = lane % it.m, block = lane / it.m % it.blocks;
      int k = lane / it.m / it.blocks * perLane + j;
      encode(it.a, a[getIndex(block, row, k, it.m, it.k)], &lanesOfA[at]);
      encode(it.b, b[getIndex(block, k, row, it.k, it.n)], &lanesOfB[at]);
    }

  int sumsPerLane = it.m * it.n * it.blocks / 64;
  int sumBytes = sumOf(it) == Sum::F64 ? 8 : 4;
  std::vector<uint8_t> lanesOfC(64 * sumsPerLane * sumBytes),
      result(lanesOfC.size());
  for (int lane = 0; lane < 64; ++lane)
    for (int v = 0; v < sumsPerLane; ++v)
      encodeSum(it, c[getPlaceOfSum(it, lane, v)],
                &lanesOfC[(lane * sumsPerLane + v) * sumBytes]);

  std::vector<int> expected = multiply(it, a, b, c);
  SimRun run(it.chip, getKernel(it));
  run.block(64).buffer(lanesOfA).buffer(lanesOfB).buffer(lanesOfC);
  run.buffer(result).run();

  std::vector<uint8_t> wanted(sumBytes);
  for (int lane = 0; lane < 64; ++lane)
    for (int v = 0; v < sumsPerLane; ++v) {
      encodeSum(it, expected[getPlaceOfSum(it, lane, v)], wanted.data());
      ASSERT_EQ(memcmp(wanted.data(),
                       &result[(lane * sumsPerLane + v) * sumBytes], sumBytes),
                0)
          << "lane " << lane << ", register " << v;
    }
  EXPECT_EQ(run.counters().matrixInstructions, 1u);
  EXPECT_EQ(run.counters().matrixFlops, 2ull * it.m * it.n * it.k * it.blocks);
}

using F = Format;
constexpr char v4f16[] = "vector<4xf16>", v8f16[] = "vector<8xf16>",
               v2i16[] = "vector<2xi16>", v4i16[] = "vector<4xi16>",
               v8bf16[] = "vector<8xbf16>", v2f32[] = "vector<2xf32>",
               v4f32[] = "vector<4xf32>", v16f32[] = "vector<16xf32>",
               v32f32[] = "vector<32xf32>", v4i32[] = "vector<4xi32>",
               v8i32[] = "vector<8xi32>", v16i32[] = "vector<16xi32>",
               v32i32[] = "vector<32xi32>", v4f64[] = "vector<4xf64>",
               i32[] = "i32", i64[] = "i64", f32[] = "f32", f64[] = "f64";

INSTANTIATE_TEST_SUITE_P(Gfx90a, Mfma,
                         testing::ValuesIn(std::vector<Instruction>{
                             {"gfx90a", "mfma.f32.32x32x1f32", 32, 32, 1, 2,
                              F::F32, F::F32, f32, f32, v32f32},
                             {"gfx90a", "mfma.f32.16x16x1f32", 16, 16, 1, 4,
                              F::F32, F::F32, f32, f32, v16f32},
                             {"gfx90a", "mfma.f32.4x4x1f32", 4, 4, 1, 16,
                              F::F32, F::F32, f32, f32, v4f32},
                             {"gfx90a", "mfma.f32.32x32x2f32", 32, 32, 2, 1,
                              F::F32, F::F32, f32, f32, v16f32},
                             {"gfx90a", "mfma.f32.16x16x4f32", 16, 16, 4, 1,
                              F::F32, F::F32, f32, f32, v4f32},
                             {"gfx90a", "mfma.f32.32x32x4f16", 32, 32, 4, 2,
                              F::F16, F::F16, v4f16, v4f16, v32f32},
                             {"gfx90a", "mfma.f32.16x16x4f16", 16, 16, 4, 4,
                              F::F16, F::F16, v4f16, v4f16, v16f32},
                             {"gfx90a", "mfma.f32.4x4x4f16", 4, 4, 4, 16,
                              F::F16, F::F16, v4f16, v4f16, v4f32},
                             {"gfx90a", "mfma.f32.32x32x8f16", 32, 32, 8, 1,
                              F::F16, F::F16, v4f16, v4f16, v16f32},
                             {"gfx90a", "mfma.f32.16x16x16f16", 16, 16, 16, 1,
                              F::F16, F::F16, v4f16, v4f16, v4f32},
                             {"gfx90a", "mfma.f32.32x32x2bf16", 32, 32, 2, 2,
                              F::BF16, F::BF16, v2i16, v2i16, v32f32},
                             {"gfx90a", "mfma.f32.16x16x2bf16", 16, 16, 2, 4,
                              F::BF16, F::BF16, v2i16, v2i16, v16f32},
                             {"gfx90a", "mfma.f32.4x4x2bf16", 4, 4, 2, 16,
                              F::BF16, F::BF16, v2i16, v2i16, v4f32},
                             {"gfx90a", "mfma.f32.32x32x4bf16", 32, 32, 4, 1,
                              F::BF16, F::BF16, v2i16, v2i16, v16f32},
                             {"gfx90a", "mfma.f32.16x16x8bf16", 16, 16, 8, 1,
                              F::BF16, F::BF16, v2i16, v2i16, v4f32},
                             {"gfx90a", "mfma.f32.32x32x4bf16.1k", 32, 32, 4, 2,
                              F::BF16, F::BF16, v4i16, v4i16, v32f32},
                             {"gfx90a", "mfma.f32.16x16x4bf16.1k", 16, 16, 4, 4,
                              F::BF16, F::BF16, v4i16, v4i16, v16f32},
                             {"gfx90a", "mfma.f32.4x4x4bf16.1k", 4, 4, 4, 16,
                              F::BF16, F::BF16, v4i16, v4i16, v4f32},
                             {"gfx90a", "mfma.f32.32x32x8bf16.1k", 32, 32, 8, 1,
                              F::BF16, F::BF16, v4i16, v4i16, v16f32},
                             {"gfx90a", "mfma.f32.16x16x16bf16.1k", 16, 16, 16,
                              1, F::BF16, F::BF16, v4i16, v4i16, v4f32},
                             {"gfx90a", "mfma.i32.32x32x4i8", 32, 32, 4, 2,
                              F::I8, F::I8, i32, i32, v32i32},
                             {"gfx90a", "mfma.i32.16x16x4i8", 16, 16, 4, 4,
                              F::I8, F::I8, i32, i32, v16i32},
                             {"gfx90a", "mfma.i32.4x4x4i8", 4, 4, 4, 16, F::I8,
                              F::I8, i32, i32, v4i32},
                             {"gfx90a", "mfma.i32.32x32x8i8", 32, 32, 8, 1,
                              F::I8, F::I8, i32, i32, v16i32},
                             {"gfx90a", "mfma.i32.16x16x16i8", 16, 16, 16, 1,
                              F::I8, F::I8, i32, i32, v4i32},
                             {"gfx90a", "mfma.f64.16x16x4f64", 16, 16, 4, 1,
                              F::F64, F::F64, f64, f64, v4f64},
                             {"gfx90a", "mfma.f64.4x4x4f64", 4, 4, 4, 4, F::F64,
                              F::F64, f64, f64, f64},
                         }));

INSTANTIATE_TEST_SUITE_P(Gfx942, Mfma,
                         testing::ValuesIn(std::vector<Instruction>{
                             {"gfx942", "mfma.i32.32x32x16.i8", 32, 32, 16, 1,
                              F::I8, F::I8, i64, i64, v16i32},
                             {"gfx942", "mfma.i32.16x16x32.i8", 16, 16, 32, 1,
                              F::I8, F::I8, i64, i64, v4i32},
                             {"gfx942", "mfma.f32.32x32x4.xf32", 32, 32, 4, 1,
                              F::F32, F::F32, v2f32, v2f32, v16f32},
                             {"gfx942", "mfma.f32.16x16x8.xf32", 16, 16, 8, 1,
                              F::F32, F::F32, v2f32, v2f32, v4f32},
                             {"gfx942", "mfma.f32.32x32x16.fp8.fp8", 32, 32, 16,
                              1, F::Fp8Fnuz, F::Fp8Fnuz, i64, i64, v16f32},
                             {"gfx942", "mfma.f32.32x32x16.fp8.bf8", 32, 32, 16,
                              1, F::Fp8Fnuz, F::Bf8Fnuz, i64, i64, v16f32},
                             {"gfx942", "mfma.f32.32x32x16.bf8.fp8", 32, 32, 16,
                              1, F::Bf8Fnuz, F::Fp8Fnuz, i64, i64, v16f32},
                             {"gfx942", "mfma.f32.32x32x16.bf8.bf8", 32, 32, 16,
                              1, F::Bf8Fnuz, F::Bf8Fnuz, i64, i64, v16f32},
                             {"gfx942", "mfma.f32.16x16x32.fp8.fp8", 16, 16, 32,
                              1, F::Fp8Fnuz, F::Fp8Fnuz, i64, i64, v4f32},
                             {"gfx942", "mfma.f32.16x16x32.fp8.bf8", 16, 16, 32,
                              1, F::Fp8Fnuz, F::Bf8Fnuz, i64, i64, v4f32},
                             {"gfx942", "mfma.f32.16x16x32.bf8.fp8", 16, 16, 32,
                              1, F::Bf8Fnuz, F::Fp8Fnuz, i64, i64, v4f32},
                             {"gfx942", "mfma.f32.16x16x32.bf8.bf8", 16, 16, 32,
                              1, F::Bf8Fnuz, F::Bf8Fnuz, i64, i64, v4f32},
                         }));

INSTANTIATE_TEST_SUITE_P(Gfx950, Mfma,
                         testing::ValuesIn(std::vector<Instruction>{
                             {"gfx950", "mfma.f32.16x16x32.f16", 16, 16, 32, 1,
                              F::F16, F::F16, v8f16, v8f16, v4f32},
                             {"gfx950", "mfma.f32.32x32x16.f16", 32, 32, 16, 1,
                              F::F16, F::F16, v8f16, v8f16, v16f32},
                             {"gfx950", "mfma.f32.16x16x32.bf16", 16, 16, 32, 1,
                              F::BF16, F::BF16, v8bf16, v8bf16, v4f32},
                             {"gfx950", "mfma.f32.32x32x16.bf16", 32, 32, 16, 1,
                              F::BF16, F::BF16, v8bf16, v8bf16, v16f32},
                             {"gfx950", "mfma.i32.16x16x64.i8", 16, 16, 64, 1,
                              F::I8, F::I8, v4i32, v4i32, v4i32},
                             {"gfx950", "mfma.i32.32x32x32.i8", 32, 32, 32, 1,
                              F::I8, F::I8, v4i32, v4i32, v16i32},
                             {"gfx950", "mfma.f32.16x16x32.fp8.bf8", 16, 16, 32,
                              1, F::Fp8, F::Bf8, i64, i64, v4f32},
                             {"gfx950", "mfma.f32.32x32x16.bf8.fp8", 32, 32, 16,
                              1, F::Bf8, F::Fp8, i64, i64, v16f32},
                             {"gfx950", "mfma.scale.f32.16x16x128.f8f6f4", 16,
                              16, 128, 1, F::Fp8, F::Fp8, v8i32, v8i32, v4f32},
                             {"gfx950", "mfma.scale.f32.16x16x128.f8f6f4", 16,
                              16, 128, 1, F::Fp8, F::Bf8, v8i32, v8i32, v4f32},
                             {"gfx950", "mfma.scale.f32.32x32x64.f8f6f4", 32,
                              32, 64, 1, F::Bf8, F::Fp8, v8i32, v8i32, v16f32},
                             {"gfx950", "mfma.scale.f32.32x32x64.f8f6f4", 32,
                              32, 64, 1, F::Bf8, F::Bf8, v8i32, v8i32, v16f32},
                         }));

//===----------------------------------------------------------------------===//
// WMMA
//===----------------------------------------------------------------------===//

struct WmmaInstruction {
  const char *chip;
  const char *name;
  Format a, b;
  const char *typeOfA, *typeOfC;
  Format c; ///< I8 stands for i32 sums.
};

void PrintTo(const WmmaInstruction &instruction, std::ostream *os) {
  *os << instruction.chip << " " << instruction.name;
}

class Wmma : public testing::TestWithParam<WmmaInstruction> {};

/// Random 16x16 matrices and their product.
struct Product {
  int a[16][16], b[16][16], c[16][16], d[16][16];
  Product() {
    std::mt19937 random(7);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        a[i][j] = int(random() % 7) - 3;
        b[i][j] = int(random() % 7) - 3;
        c[i][j] = int(random() % 7) - 3;
      }
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        d[i][j] = c[i][j];
        for (int k = 0; k < 16; ++k)
          d[i][j] += a[i][k] * b[k][j];
      }
  }
};

TEST_P(Wmma, MatchesAPlainLoop) {
  const WmmaInstruction &it = GetParam();
  Product product;
  bool isRdna3 = std::string(it.chip) == "gfx1100";
  bool isBytes = it.a == Format::I8;
  int perLane = isRdna3 ? 16 : 8;
  int elementBytes = bytesOf(it.a);
  std::vector<uint8_t> lanesOfA(32 * perLane * elementBytes),
      lanesOfB(lanesOfA);
  for (int lane = 0; lane < 32; ++lane)
    for (int j = 0; j < perLane; ++j) {
      // RDNA3: both halves hold all of k. RDNA4: half of k each.
      int k = isRdna3 ? j : 8 * (lane / 16) + j;
      size_t at = size_t(lane * perLane + j) * elementBytes;
      encode(it.a, product.a[lane % 16][k], &lanesOfA[at]);
      encode(it.b, product.b[k][lane % 16], &lanesOfB[at]);
    }
  // 16-bit sums of RDNA3 are in the lower halves of the registers.
  int sumBytes = isBytes ? 4 : bytesOf(it.c);
  int step = isRdna3 && sumBytes == 2 ? 2 : 1;
  auto rowOf = [&](int lane, int v) {
    return isRdna3 ? 2 * v + lane / 16 : 8 * (lane / 16) + v;
  };
  auto encodeSum = [&](int value, uint8_t *at) {
    if (isBytes)
      store(at, int32_t(value));
    else
      encode(it.c, value, at);
  };
  std::vector<uint8_t> lanesOfC(32 * 8 * step * sumBytes, 0x11),
      result(lanesOfC.size()), wanted(lanesOfC);
  for (int lane = 0; lane < 32; ++lane)
    for (int v = 0; v < 8; ++v) {
      size_t at = size_t(lane * 8 + v) * step * sumBytes;
      encodeSum(product.c[rowOf(lane, v)][lane % 16], &lanesOfC[at]);
      encodeSum(product.d[rowOf(lane, v)][lane % 16], &wanted[at]);
    }

  std::string ta = it.typeOfA, tc = it.typeOfC;
  std::string arguments = "(%a, %b, %c) : (" + ta + ", " + ta + ", " + tc + ")";
  if (isBytes)
    arguments = "(%yes, %a, %yes, %b, %c, %no) : (i1, " + ta + ", i1, " + ta +
                ", " + tc + ", i1)";
  else if (sumBytes == 2)
    arguments = "(%a, %b, %c, %no) : (" + ta + ", " + ta + ", " + tc + ", i1)";
  std::string kernel =
      getProductKernel(it.name, ta, ta, tc,
                       "%yes = llvm.mlir.constant(true) : i1\n"
                       "%no = llvm.mlir.constant(false) : i1\n",
                       arguments);
  SimRun run(it.chip, kernel);
  run.block(32).buffer(lanesOfA).buffer(lanesOfB).buffer(lanesOfC);
  run.buffer(result).run();
  EXPECT_EQ(result, wanted);
  EXPECT_EQ(run.counters().matrixFlops, 8192u);
  if (!isRdna3)
    return;
  // Lanes 16 to 31 must hold a copy.
  lanesOfA[20 * perLane * elementBytes] ^= 1;
  auto message = run.launch();
  ASSERT_TRUE(message.has_value());
  EXPECT_NE(message->find("do not hold the same rows"), std::string::npos)
      << *message;
}

constexpr char v16f16[] = "vector<16xf16>", v16i16[] = "vector<16xi16>",
               v8i16[] = "vector<8xi16>", v2i32[] = "vector<2xi32>",
               v8f32[] = "vector<8xf32>";

INSTANTIATE_TEST_SUITE_P(Gfx1100, Wmma,
                         testing::ValuesIn(std::vector<WmmaInstruction>{
                             {"gfx1100", "wmma.f32.16x16x16.f16", F::F16,
                              F::F16, v16f16, v8f32, F::F32},
                             {"gfx1100", "wmma.f32.16x16x16.bf16", F::BF16,
                              F::BF16, v16i16, v8f32, F::F32},
                             {"gfx1100", "wmma.f16.16x16x16.f16", F::F16,
                              F::F16, v16f16, v16f16, F::F16},
                             {"gfx1100", "wmma.bf16.16x16x16.bf16", F::BF16,
                              F::BF16, v16i16, v16i16, F::BF16},
                             {"gfx1100", "wmma.i32.16x16x16.iu8", F::I8, F::I8,
                              v4i32, v8i32, F::I8},
                         }));

INSTANTIATE_TEST_SUITE_P(Gfx1201, Wmma,
                         testing::ValuesIn(std::vector<WmmaInstruction>{
                             {"gfx1201", "wmma.f32.16x16x16.f16", F::F16,
                              F::F16, v8f16, v8f32, F::F32},
                             {"gfx1201", "wmma.f32.16x16x16.bf16", F::BF16,
                              F::BF16, v8i16, v8f32, F::F32},
                             {"gfx1201", "wmma.f16.16x16x16.f16", F::F16,
                              F::F16, v8f16, v8f16, F::F16},
                             {"gfx1201", "wmma.bf16.16x16x16.bf16", F::BF16,
                              F::BF16, v8i16, v8i16, F::BF16},
                             {"gfx1201", "wmma.i32.16x16x16.iu8", F::I8, F::I8,
                              v2i32, v8i32, F::I8},
                             {"gfx1201", "wmma.f32.16x16x16.fp8.fp8", F::Fp8,
                              F::Fp8, v2i32, v8f32, F::F32},
                             {"gfx1201", "wmma.f32.16x16x16.fp8.bf8", F::Fp8,
                              F::Bf8, v2i32, v8f32, F::F32},
                             {"gfx1201", "wmma.f32.16x16x16.bf8.fp8", F::Bf8,
                              F::Fp8, v2i32, v8f32, F::F32},
                             {"gfx1201", "wmma.f32.16x16x16.bf8.bf8", F::Bf8,
                              F::Bf8, v2i32, v8f32, F::F32},
                         }));

} // namespace
