//===- VectorOps.cpp - vector integer arithmetic --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ScalarOps.cpp, for all lanes. Floating point is data here: what it writes
// is unknown. Names differ between generations by `_nc` and `_co` only.
//
//===----------------------------------------------------------------------===//

#include "Wave.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

using namespace conv;
using namespace conv::clock;

namespace {
using Ternary = void (*)(const Lanes &, const Lanes &, const Lanes &, Lanes &);
using Wide = uint64_t (*)(uint64_t, uint64_t);
using LaneCompare = bool (*)(uint32_t, uint32_t);
struct Operation {
  int operands;
  Ternary run;
};
} // namespace

/// The loop over lanes of a function of three values.
template <auto function>
static void run(const Lanes &a, const Lanes &b, const Lanes &c, Lanes &out) {
  for (size_t lane = 0; lane < out.size(); ++lane)
    out[lane] = function(a[lane], b[lane], c[lane]);
}

using U = uint32_t;
static constexpr int32_t s(U value) { return int32_t(value); }
static constexpr U low24(U value) { return value & 0xffffff; }
static constexpr U field(U a, U b, U c) {
  U width = c & 31;
  return width == 0 ? 0 : (a >> (b & 31)) & ((1u << width) - 1);
}
static constexpr U signedField(U a, U b, U c) {
  U width = c & 31, value = field(a, b, c);
  return width && (value >> (width - 1) & 1) ? value | (~0u << width) : value;
}
static constexpr U low16(U value) { return value & 0xffff; }
/// Each byte of `c` selects one of `a` and `b`, or a constant.
static constexpr U permute(U a, U b, U c) {
  uint64_t bytes = uint64_t(a) << 32 | b;
  U result = 0;
  for (int i = 0; i < 4; ++i) {
    U select = c >> (8 * i) & 0xff;
    U byte = select < 8     ? U(bytes >> (8 * select)) & 0xff
             : select < 12  ? (bytes >> (16 * (select - 8) + 15) & 1) * 0xff
             : select == 12 ? 0
                            : 0xff;
    result |= byte << (8 * i);
  }
  return result;
}

#define CONV_OP(operands, expression)                                          \
  {                                                                            \
    operands, run<+[](U a, U b, U c) -> U {                                    \
      (void)a, (void)b, (void)c;                                               \
      return expression;                                                       \
    }>                                                                         \
  }

static const std::unordered_map<std::string_view, Operation> kOperations = {
    {"v_mov_b32", CONV_OP(1, a)},
    {"v_accvgpr_read_b32", CONV_OP(1, a)},
    {"v_accvgpr_write_b32", CONV_OP(1, a)},
    {"v_accvgpr_mov_b32", CONV_OP(1, a)},
    {"v_mov_b16", CONV_OP(1, low16(a))},
    {"v_and_b16", CONV_OP(2, a &b)},
    {"v_or_b16", CONV_OP(2, a | b)},
    {"v_perm_b32", CONV_OP(3, permute(a, b, c))},
    {"v_not_b32", CONV_OP(1, ~a)},
    {"v_bfrev_b32", CONV_OP(1, __builtin_bitreverse32(a))},
    {"v_add_u32", CONV_OP(2, a + b)},
    {"v_add_nc_u32", CONV_OP(2, a + b)},
    {"v_add_i32", CONV_OP(2, a + b)},
    {"v_sub_u32", CONV_OP(2, a - b)},
    {"v_sub_nc_u32", CONV_OP(2, a - b)},
    {"v_sub_i32", CONV_OP(2, a - b)},
    {"v_subrev_u32", CONV_OP(2, b - a)},
    {"v_subrev_nc_u32", CONV_OP(2, b - a)},
    {"v_mul_lo_u32", CONV_OP(2, a *b)},
    {"v_mul_hi_u32", CONV_OP(2, U(uint64_t(a) * b >> 32))},
    {"v_mul_hi_i32", CONV_OP(2, U(int64_t(s(a)) * s(b) >> 32))},
    {"v_mul_u32_u24", CONV_OP(2, low24(a) * low24(b))},
    {"v_mul_i32_i24",
     CONV_OP(2, U((s(a << 8) >> 8) * int64_t(s(b << 8) >> 8)))},
    {"v_mul_hi_u32_u24", CONV_OP(2, U(uint64_t(low24(a)) * low24(b) >> 32))},
    {"v_mul_lo_u16", CONV_OP(2, low16(a *b))},
    {"v_add_u16", CONV_OP(2, low16(a + b))},
    {"v_add_nc_u16", CONV_OP(2, low16(a + b))},
    {"v_sub_u16", CONV_OP(2, low16(a - b))},
    {"v_sub_nc_u16", CONV_OP(2, low16(a - b))},
    {"v_lshlrev_b16", CONV_OP(2, low16(b << (a & 15)))},
    {"v_lshrrev_b16", CONV_OP(2, low16(b) >> (a & 15))},
    {"v_mad_u32_u24", CONV_OP(3, low24(a) * low24(b) + c)},
    {"v_mad_i32_i24",
     CONV_OP(3, U((s(a << 8) >> 8) * int64_t(s(b << 8) >> 8)) + c)},
    {"v_mad_legacy_u16", CONV_OP(3, low16(a *b + c))},
    {"v_mad_u16", CONV_OP(3, low16(a *b + c))},
    {"v_mad_u32_u16", CONV_OP(3, low16(a) * low16(b) + c)},
    {"v_and_b32", CONV_OP(2, a &b)},
    {"v_or_b32", CONV_OP(2, a | b)},
    {"v_xor_b32", CONV_OP(2, a ^ b)},
    {"v_xnor_b32", CONV_OP(2, ~(a ^ b))},
    {"v_lshlrev_b32", CONV_OP(2, b << (a & 31))},
    {"v_lshrrev_b32", CONV_OP(2, b >> (a & 31))},
    {"v_ashrrev_i32", CONV_OP(2, U(s(b) >> (a & 31)))},
    {"v_min_u32", CONV_OP(2, std::min(a, b))},
    {"v_max_u32", CONV_OP(2, std::max(a, b))},
    {"v_min_i32", CONV_OP(2, U(std::min(s(a), s(b))))},
    {"v_max_i32", CONV_OP(2, U(std::max(s(a), s(b))))},
    {"v_bfe_u32", CONV_OP(3, field(a, b, c))},
    {"v_bfe_i32", CONV_OP(3, signedField(a, b, c))},
    {"v_bfi_b32", CONV_OP(3, (a & b) | (~a & c))},
    {"v_bfm_b32", CONV_OP(2, ((1u << (a & 31)) - 1) << (b & 31))},
    {"v_alignbit_b32", CONV_OP(3, U((uint64_t(a) << 32 | b) >> (c & 31)))},
    {"v_add3_u32", CONV_OP(3, a + b + c)},
    {"v_or3_b32", CONV_OP(3, a | b | c)},
    {"v_xor3_b32", CONV_OP(3, a ^ b ^ c)},
    {"v_and_or_b32", CONV_OP(3, (a & b) | c)},
    {"v_lshl_or_b32", CONV_OP(3, (a << (b & 31)) | c)},
    {"v_lshl_add_u32", CONV_OP(3, (a << (b & 31)) + c)},
    {"v_add_lshl_u32", CONV_OP(3, (a + b) << (c & 31))},
    {"v_xad_u32", CONV_OP(3, (a ^ b) + c)},
    {"v_min3_u32", CONV_OP(3, std::min({a, b, c}))},
    {"v_max3_u32", CONV_OP(3, std::max({a, b, c}))},
    {"v_min3_i32", CONV_OP(3, U(std::min({s(a), s(b), s(c)})))},
    {"v_max3_i32", CONV_OP(3, U(std::max({s(a), s(b), s(c)})))},
    {"v_med3_i32",
     CONV_OP(3, U(std::max(std::min(s(a), s(b)),
                           std::min(std::max(s(a), s(b)), s(c)))))},
    {"v_ffbh_u32", CONV_OP(1, a ? U(std::countl_zero(a)) : ~0u)},
    {"v_bcnt_u32_b32", CONV_OP(2, U(std::popcount(a)) + b)},
};

#undef CONV_OP

/// 64-bit operations: whether the first, second and third operand are pairs.
struct WideOperation {
  bool pairs[3];
  uint64_t (*run)(uint64_t, uint64_t, uint64_t);
};
static const std::unordered_map<std::string_view, WideOperation> kWide = {
    {"v_mov_b64",
     {{true, false, false}, [](uint64_t a, uint64_t, uint64_t) { return a; }}},
    {"v_lshlrev_b64",
     {{false, true, false},
      [](uint64_t a, uint64_t b, uint64_t) { return b << (a & 63); }}},
    {"v_lshrrev_b64",
     {{false, true, false},
      [](uint64_t a, uint64_t b, uint64_t) { return b >> (a & 63); }}},
    {"v_ashrrev_i64",
     {{false, true, false},
      [](uint64_t a, uint64_t b, uint64_t) {
        return uint64_t(int64_t(b) >> (a & 63));
      }}},
    {"v_lshl_add_u64",
     {{true, false, true},
      [](uint64_t a, uint64_t b, uint64_t c) { return (a << (b & 7)) + c; }}},
    {"v_add_nc_u64",
     {{true, true, false},
      [](uint64_t a, uint64_t b, uint64_t) { return a + b; }}},
    {"v_sub_nc_u64",
     {{true, true, false},
      [](uint64_t a, uint64_t b, uint64_t) { return a - b; }}},
};

static const std::unordered_map<std::string_view, LaneCompare> kCompares = {
    {"eq_u32", [](U a, U b) { return a == b; }},
    {"eq_i32", [](U a, U b) { return a == b; }},
    {"ne_u32", [](U a, U b) { return a != b; }},
    {"ne_i32", [](U a, U b) { return a != b; }},
    {"lt_u32", [](U a, U b) { return a < b; }},
    {"le_u32", [](U a, U b) { return a <= b; }},
    {"gt_u32", [](U a, U b) { return a > b; }},
    {"ge_u32", [](U a, U b) { return a >= b; }},
    {"lt_i32", [](U a, U b) { return s(a) < s(b); }},
    {"le_i32", [](U a, U b) { return s(a) <= s(b); }},
    {"gt_i32", [](U a, U b) { return s(a) > s(b); }},
    {"ge_i32", [](U a, U b) { return s(a) >= s(b); }},
    {"eq_u16", [](U a, U b) { return low16(a) == low16(b); }},
    {"ne_u16", [](U a, U b) { return low16(a) != low16(b); }},
    {"lt_u16", [](U a, U b) { return low16(a) < low16(b); }},
    {"le_u16", [](U a, U b) { return low16(a) <= low16(b); }},
    {"gt_u16", [](U a, U b) { return low16(a) > low16(b); }},
    {"ge_u16", [](U a, U b) { return low16(a) >= low16(b); }},
};

/// v_bitop3_b32: any function of three bits, given as its table.
static bool executeBits(const Instruction &instruction, Wave &wave) {
  const auto &operands = instruction.operands;
  if (instruction.mnemonic != "v_bitop3_b32" || operands.size() < 4)
    return false;
  VectorValue storage[3];
  const VectorValue *values[3];
  uint64_t known = ~0ull;
  for (size_t i = 0; i < 3; ++i) {
    values[i] = &wave.readVector(operands[i + 1], 0, storage[i]);
    known &= values[i]->known;
  }
  Lanes out{};
  for (size_t lane = 0; lane < 64; ++lane)
    for (U row = 0; row < 8; ++row) {
      U a = values[0]->lanes[lane], b = values[1]->lanes[lane],
        c = values[2]->lanes[lane];
      U match = (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
      out[lane] |= instruction.offset >> row & 1 ? match : 0;
    }
  wave.writeVector(operands[0], 0, out, known);
  return true;
}

static bool executeSimple(const Instruction &instruction, Wave &wave) {
  auto found = kOperations.find(instruction.mnemonic);
  const auto &operands = instruction.operands;
  if (found == kOperations.end() ||
      int(operands.size()) < 1 + found->second.operands)
    return false;
  VectorValue storage[3];
  const VectorValue *values[3] = {&storage[0], &storage[0], &storage[0]};
  uint64_t known = ~0ull;
  for (int i = 0; i < found->second.operands; ++i) {
    values[i] = &wave.readVector(operands[size_t(i + 1)], 0, storage[i]);
    known &= values[i]->known;
  }
  Lanes out;
  if (known != 0)
    found->second.run(values[0]->lanes, values[1]->lanes, values[2]->lanes,
                      out);
  wave.writeVector(operands[0], 0, out, known);
  return true;
}

/// A pair of registers as 64-bit values, or one register widened.
static uint64_t readWide(const Wave &wave, const Operand &operand, bool isPair,
                         std::array<uint64_t, 64> &out) {
  VectorValue low, high;
  const VectorValue &lower = wave.readVector(operand, 0, low);
  uint64_t known = lower.known;
  for (size_t lane = 0; lane < 64; ++lane)
    out[lane] = lower.lanes[lane];
  if (!isPair)
    return known;
  // Literals are read as 64-bit integers.
  const VectorValue &upper = wave.readVector(operand, 1, high);
  for (size_t lane = 0; lane < 64; ++lane)
    out[lane] |= uint64_t(upper.lanes[lane]) << 32;
  return known & upper.known;
}

static void writeWide(Wave &wave, const Operand &operand,
                      const std::array<uint64_t, 64> &values, uint64_t known) {
  for (int part = 0; part < 2; ++part) {
    Lanes lanes;
    for (size_t lane = 0; lane < 64; ++lane)
      lanes[lane] = uint32_t(values[lane] >> (32 * part));
    wave.writeVector(operand, part, lanes, known);
  }
}

static bool executeWide(const Instruction &instruction, Wave &wave) {
  auto found = kWide.find(instruction.mnemonic);
  const auto &operands = instruction.operands;
  if (found == kWide.end() || operands.size() < 2)
    return false;
  std::array<uint64_t, 64> values[3] = {}, out;
  uint64_t known = ~0ull;
  for (size_t i = 0; i < 3 && i + 1 < operands.size(); ++i)
    known &= readWide(wave, operands[i + 1], found->second.pairs[i], values[i]);
  for (size_t lane = 0; lane < 64; ++lane)
    out[lane] =
        found->second.run(values[0][lane], values[1][lane], values[2][lane]);
  writeWide(wave, operands[0], out, known);
  return true;
}

/// v_mad_u64_u32 and v_mad_i64_i32: 32-bit factors, a 64-bit sum, a carry.
static bool executeMultiplyAdd(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  bool isSigned = name == "v_mad_i64_i32" || name == "v_mad_co_i64_i32";
  if ((!isSigned && name != "v_mad_u64_u32" && name != "v_mad_co_u64_u32") ||
      operands.size() < 5)
    return false;
  // The lower half of the sum does not depend on its upper half.
  VectorValue storage;
  std::array<uint64_t, 64> a, b, c;
  uint64_t known = readWide(wave, operands[2], false, a) &
                   readWide(wave, operands[3], false, b);
  uint64_t knownSum = known & readWide(wave, operands[4], true, c);
  known &= wave.readVector(operands[4], 0, storage).known;
  Lanes low, high;
  for (size_t lane = 0; lane < 64; ++lane) {
    uint64_t product = isSigned
                           ? uint64_t(int64_t(s(U(a[lane]))) * s(U(b[lane])))
                           : a[lane] * b[lane];
    low[lane] = U(product + c[lane]);
    high[lane] = U((product + c[lane]) >> 32);
  }
  wave.writeVector(operands[0], 0, low, known);
  wave.writeVector(operands[0], 1, high, knownSum);
  wave.forget(operands[1]);
  return true;
}

/// Sums and differences with a carry in a mask.
static bool executeCarry(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  bool isSum = name.starts_with("v_add_co_") || name.starts_with("v_addc_co_");
  bool isReversed =
      name.starts_with("v_subrev_co_") || name.starts_with("v_subbrev_co_");
  bool isDifference = isReversed || name.starts_with("v_sub_co_") ||
                      name.starts_with("v_subb_co_");
  bool takesCarry = name.find("_ci_") != name.npos ||
                    name.starts_with("v_addc") || name.starts_with("v_subb");
  const auto &operands = instruction.operands;
  if ((!isSum && !isDifference) || operands.size() < (takesCarry ? 5 : 4))
    return false;
  VectorValue first, second;
  const VectorValue &a = wave.readVector(operands[2], 0, first);
  const VectorValue &b = wave.readVector(operands[3], 0, second);
  uint64_t known = a.known & b.known, carries = 0, result = 0;
  if (takesCarry) {
    std::optional<uint64_t> mask = wave.readMask(operands[4]);
    carries = mask.value_or(0);
    known = mask ? known : 0;
  }
  Lanes out;
  for (size_t lane = 0; lane < 64; ++lane) {
    uint64_t x = a.lanes[lane], y = b.lanes[lane], carry = carries >> lane & 1;
    if (isReversed)
      std::swap(x, y);
    uint64_t sum = isSum ? x + y + carry : x - y - carry;
    out[lane] = U(sum);
    result |= (sum >> 32 & 1) << lane;
  }
  uint64_t exec = wave.getExec();
  wave.writeMask(operands[1], (known & exec) == exec
                                  ? std::optional<uint64_t>(result & exec)
                                  : std::nullopt);
  wave.writeVector(operands[0], 0, out, known);
  return true;
}

static bool executeCompare(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  bool setsExec = name.starts_with("v_cmpx_");
  if (!setsExec && !name.starts_with("v_cmp_"))
    return false;
  const auto &operands = instruction.operands;
  Operand exec{Operand::Scalar, 2, kExec, 0};
  // v_cmpx of gfx9 names its mask, later ones write exec alone.
  size_t first = setsExec && operands.size() == 2 ? 0 : 1;
  auto found = kCompares.find(name.substr(setsExec ? 7 : 6));
  uint64_t active = wave.getExec();
  std::optional<uint64_t> mask;
  if (found != kCompares.end() && operands.size() >= first + 2) {
    VectorValue left, right;
    const VectorValue &a = wave.readVector(operands[first], 0, left);
    const VectorValue &b = wave.readVector(operands[first + 1], 0, right);
    if ((a.known & b.known & active) == active) {
      mask = 0;
      for (size_t lane = 0; lane < size_t(wave.size); ++lane)
        if (active >> lane & 1)
          *mask |= uint64_t(found->second(a.lanes[lane], b.lanes[lane]))
                   << lane;
    }
  }
  if (first == 1 && !operands.empty())
    wave.writeMask(operands[0], mask);
  if (setsExec)
    wave.writeMask(exec, mask);
  return true;
}

static bool executeSelect(const Instruction &instruction, Wave &wave) {
  const auto &operands = instruction.operands;
  if (instruction.mnemonic != "v_cndmask_b32" || operands.size() < 3)
    return false;
  Operand vcc{Operand::Scalar, 2, kVcc, 0};
  std::optional<uint64_t> mask =
      wave.readMask(operands.size() > 3 ? operands[3] : vcc);
  VectorValue first, second;
  const VectorValue &a = wave.readVector(operands[1], 0, first);
  const VectorValue &b = wave.readVector(operands[2], 0, second);
  uint64_t chosen = mask.value_or(0);
  Lanes out;
  for (size_t lane = 0; lane < 64; ++lane)
    out[lane] = chosen >> lane & 1 ? b.lanes[lane] : a.lanes[lane];
  uint64_t known = mask ? (chosen & b.known) | (~chosen & a.known) : 0;
  wave.writeVector(operands[0], 0, out, known);
  return true;
}

/// What lanes exchange with scalar registers, and their numbers.
static bool executeLanes(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  if (operands.size() < 2)
    return false;
  VectorValue storage;
  if (name == "v_readfirstlane_b32" || name == "v_readlane_b32") {
    const VectorValue &value = wave.readVector(operands[1], 0, storage);
    uint64_t exec = wave.getExec();
    std::optional<uint32_t> lane = exec ? uint32_t(std::countr_zero(exec)) : 0;
    if (name == "v_readlane_b32" && operands.size() > 2)
      lane = wave.read32(operands[2]);
    bool isKnown = lane && value.known >> (*lane & 63) & 1;
    wave.write32(operands[0],
                 isKnown ? std::optional<uint32_t>(value.lanes[*lane & 63])
                         : std::nullopt);
    return true;
  }
  if (name.starts_with("v_mbcnt_") && operands.size() > 2) {
    std::optional<uint32_t> mask = wave.read32(operands[1]);
    const VectorValue &base = wave.readVector(operands[2], 0, storage);
    bool isHigh = name.starts_with("v_mbcnt_hi");
    Lanes out;
    for (size_t lane = 0; lane < 64; ++lane) {
      uint64_t below = (uint64_t(1) << lane) - 1;
      out[lane] =
          base.lanes[lane] +
          U(std::popcount(mask.value_or(0) & U(isHigh ? below >> 32 : below)));
    }
    wave.writeVector(operands[0], 0, out, mask ? base.known : 0);
    return true;
  }
  return false;
}

std::span<const Executor> clock::getVectorExecutors() {
  static constexpr Executor executors[] = {
      executeSimple, executeBits, executeCompare,     executeSelect,
      executeCarry,  executeWide, executeMultiplyAdd, executeLanes};
  return executors;
}
