//===- VectorTables.cpp - vector instructions by name ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorTables.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

using namespace conv;
using namespace conv::clock;

/// Applies a function of three values to all lanes.
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

#define CONV_OP_OF(operands, expression, keepsHalves)                          \
  {operands, run<+[](U a, U b, U c) -> U {                                     \
     (void)a, (void)b, (void)c;                                                \
     return expression;                                                        \
   }>,                                                                         \
   keepsHalves}
#define CONV_OP(operands, expression) CONV_OP_OF(operands, expression, false)
#define CONV_OP_OF_HALVES(operands, expression)                                \
  CONV_OP_OF(operands, expression, true)

static const std::unordered_map<std::string_view, Operation> kOperations = {
    {"v_mov_b32", CONV_OP_OF_HALVES(1, a)},
    {"v_accvgpr_read_b32", CONV_OP(1, a)},
    {"v_accvgpr_write_b32", CONV_OP(1, a)},
    {"v_accvgpr_mov_b32", CONV_OP(1, a)},
    {"v_mov_b16", CONV_OP(1, low16(a))},
    {"v_and_b16", CONV_OP(2, a &b)},
    {"v_or_b16", CONV_OP(2, a | b)},
    {"v_perm_b32", CONV_OP(3, permute(a, b, c))},
    {"v_not_b32", CONV_OP(1, ~a)},
    {"v_bfrev_b32", CONV_OP(1, __builtin_bitreverse32(a))},
    {"v_add_u32", CONV_OP_OF_HALVES(2, a + b)},
    {"v_add_nc_u32", CONV_OP_OF_HALVES(2, a + b)},
    {"v_add_i32", CONV_OP(2, a + b)},
    {"v_sub_u32", CONV_OP_OF_HALVES(2, a - b)},
    {"v_sub_nc_u32", CONV_OP_OF_HALVES(2, a - b)},
    {"v_sub_i32", CONV_OP(2, a - b)},
    {"v_subrev_u32", CONV_OP_OF_HALVES(2, b - a)},
    {"v_subrev_nc_u32", CONV_OP_OF_HALVES(2, b - a)},
    {"v_mul_lo_u32", CONV_OP_OF_HALVES(2, a *b)},
    {"v_mul_hi_u32", CONV_OP(2, U(uint64_t(a) * b >> 32))},
    {"v_mul_hi_i32", CONV_OP(2, U(int64_t(s(a)) * s(b) >> 32))},
    {"v_mul_u32_u24", CONV_OP_OF_HALVES(2, low24(a) * low24(b))},
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
    {"v_mad_u32_u24", CONV_OP_OF_HALVES(3, low24(a) * low24(b) + c)},
    {"v_mad_i32_i24",
     CONV_OP(3, U((s(a << 8) >> 8) * int64_t(s(b << 8) >> 8)) + c)},
    {"v_mad_legacy_u16", CONV_OP(3, low16(a *b + c))},
    {"v_mad_u16", CONV_OP(3, low16(a *b + c))},
    {"v_mad_u32_u16", CONV_OP(3, low16(a) * low16(b) + c)},
    {"v_and_b32", CONV_OP_OF_HALVES(2, a &b)},
    {"v_or_b32", CONV_OP_OF_HALVES(2, a | b)},
    {"v_xor_b32", CONV_OP_OF_HALVES(2, a ^ b)},
    {"v_xnor_b32", CONV_OP(2, ~(a ^ b))},
    {"v_lshlrev_b32", CONV_OP_OF_HALVES(2, b << (a & 31))},
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
    {"v_add3_u32", CONV_OP_OF_HALVES(3, a + b + c)},
    {"v_or3_b32", CONV_OP_OF_HALVES(3, a | b | c)},
    {"v_xor3_b32", CONV_OP_OF_HALVES(3, a ^ b ^ c)},
    {"v_and_or_b32", CONV_OP_OF_HALVES(3, (a & b) | c)},
    {"v_lshl_or_b32", CONV_OP_OF_HALVES(3, (a << (b & 31)) | c)},
    {"v_lshl_add_u32", CONV_OP_OF_HALVES(3, (a << (b & 31)) + c)},
    {"v_add_lshl_u32", CONV_OP_OF_HALVES(3, (a + b) << (c & 31))},
    {"v_xad_u32", CONV_OP_OF_HALVES(3, (a ^ b) + c)},
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

#undef CONV_OP_OF_HALVES
#undef CONV_OP
#undef CONV_OP_OF

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

#define CONV_COMPARE(name, type, operation)                                    \
  {name, [](uint64_t a, uint64_t b) { return type(a) operation type(b); }}
#define CONV_COMPARES(name, type)                                              \
  CONV_COMPARE("eq_" name, type, ==), CONV_COMPARE("ne_" name, type, !=),      \
      CONV_COMPARE("lt_" name, type, <), CONV_COMPARE("le_" name, type, <=),   \
      CONV_COMPARE("gt_" name, type, >), CONV_COMPARE("ge_" name, type, >=)

static const std::unordered_map<std::string_view, LaneCompare> kCompares = {
    CONV_COMPARES("u16", uint16_t), CONV_COMPARES("i16", int16_t),
    CONV_COMPARES("u32", uint32_t), CONV_COMPARES("i32", int32_t),
    CONV_COMPARES("u64", uint64_t), CONV_COMPARES("i64", int64_t),
};
#undef CONV_COMPARES
#undef CONV_COMPARE

const Operation *clock::lookupOperation(std::string_view name) {
  auto found = kOperations.find(name);
  return found == kOperations.end() ? nullptr : &found->second;
}

const WideOperation *clock::lookupWide(std::string_view name) {
  auto found = kWide.find(name);
  return found == kWide.end() ? nullptr : &found->second;
}

LaneCompare clock::lookupCompareOfLanes(std::string_view name) {
  auto found = kCompares.find(name);
  return found == kCompares.end() ? nullptr : found->second;
}
