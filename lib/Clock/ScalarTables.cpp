//===- ScalarTables.cpp - scalar instructions by name ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTables.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

using namespace conv;
using namespace conv::clock;

static Result64 withScc(uint64_t value) { return {value, value != 0}; }
static Result64 keep(uint64_t value) { return {value, std::nullopt}; }

template <typename T> static T extract(T value, uint32_t from, uint32_t width) {
  constexpr uint32_t bits = sizeof(T) * 8;
  if (width == 0 || from >= bits)
    return 0;
  T moved = value >> from;
  return width >= bits ? moved : T(moved & ((T(1) << width) - 1));
}

static Result64 addCarry(uint32_t a, uint32_t b, bool carry) {
  uint64_t sum = uint64_t(a) + b + carry;
  return {uint32_t(sum), sum >> 32 != 0};
}

Result64 clock::addSigned(uint32_t a, uint32_t b) {
  int64_t sum = int64_t(int32_t(a)) + int32_t(b);
  return {uint32_t(sum), sum != int32_t(sum)};
}

static Result64 addShifted(uint32_t a, uint32_t b, int shift) {
  uint64_t sum = (uint64_t(a) << shift) + b;
  return {uint32_t(sum), sum >> 32 != 0};
}

static const std::unordered_map<std::string_view, Binary32> kBinary32 = {
    {"s_add_u32",
     [](uint32_t a, uint32_t b, bool) { return addCarry(a, b, false); }},
    {"s_add_co_u32",
     [](uint32_t a, uint32_t b, bool) { return addCarry(a, b, false); }},
    {"s_addc_u32",
     [](uint32_t a, uint32_t b, bool c) { return addCarry(a, b, c); }},
    {"s_add_co_ci_u32",
     [](uint32_t a, uint32_t b, bool c) { return addCarry(a, b, c); }},
    {"s_sub_u32",
     [](uint32_t a, uint32_t b, bool) { return Result64{a - b, a < b}; }},
    {"s_sub_co_u32",
     [](uint32_t a, uint32_t b, bool) { return Result64{a - b, a < b}; }},
    {"s_subb_u32",
     [](uint32_t a, uint32_t b, bool c) {
       return Result64{uint32_t(a - b - c), uint64_t(a) < uint64_t(b) + c};
     }},
    {"s_sub_co_ci_u32",
     [](uint32_t a, uint32_t b, bool c) {
       return Result64{uint32_t(a - b - c), uint64_t(a) < uint64_t(b) + c};
     }},
    {"s_add_i32", [](uint32_t a, uint32_t b, bool) { return addSigned(a, b); }},
    {"s_add_co_i32",
     [](uint32_t a, uint32_t b, bool) { return addSigned(a, b); }},
    {"s_sub_i32",
     [](uint32_t a, uint32_t b, bool) {
       int64_t d = int64_t(int32_t(a)) - int32_t(b);
       return Result64{uint32_t(d), d != int32_t(d)};
     }},
    {"s_sub_co_i32",
     [](uint32_t a, uint32_t b, bool) {
       int64_t d = int64_t(int32_t(a)) - int32_t(b);
       return Result64{uint32_t(d), d != int32_t(d)};
     }},
    {"s_mul_i32",
     [](uint32_t a, uint32_t b, bool) { return keep(uint32_t(a * b)); }},
    {"s_mul_hi_u32",
     [](uint32_t a, uint32_t b, bool) { return keep(uint64_t(a) * b >> 32); }},
    {"s_mul_hi_i32",
     [](uint32_t a, uint32_t b, bool) {
       return keep(uint32_t(int64_t(int32_t(a)) * int32_t(b) >> 32));
     }},
    {"s_min_u32", [](uint32_t a, uint32_t b,
                     bool) { return Result64{std::min(a, b), a < b}; }},
    {"s_max_u32", [](uint32_t a, uint32_t b,
                     bool) { return Result64{std::max(a, b), a >= b}; }},
    {"s_min_i32",
     [](uint32_t a, uint32_t b, bool) {
       return Result64{uint32_t(std::min(int32_t(a), int32_t(b))),
                       int32_t(a) < int32_t(b)};
     }},
    {"s_max_i32",
     [](uint32_t a, uint32_t b, bool) {
       return Result64{uint32_t(std::max(int32_t(a), int32_t(b))),
                       int32_t(a) >= int32_t(b)};
     }},
    {"s_and_b32", [](uint32_t a, uint32_t b, bool) { return withScc(a & b); }},
    {"s_or_b32", [](uint32_t a, uint32_t b, bool) { return withScc(a | b); }},
    {"s_xor_b32", [](uint32_t a, uint32_t b, bool) { return withScc(a ^ b); }},
    {"s_andn2_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(a & ~b); }},
    {"s_and_not1_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(a & ~b); }},
    {"s_orn2_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(a | ~b); }},
    {"s_or_not1_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(a | ~b); }},
    {"s_nand_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(uint32_t(~(a & b))); }},
    {"s_nor_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(uint32_t(~(a | b))); }},
    {"s_xnor_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(uint32_t(~(a ^ b))); }},
    {"s_lshl_b32", [](uint32_t a, uint32_t b,
                      bool) { return withScc(uint32_t(a << (b & 31))); }},
    {"s_lshr_b32",
     [](uint32_t a, uint32_t b, bool) { return withScc(a >> (b & 31)); }},
    {"s_ashr_i32",
     [](uint32_t a, uint32_t b, bool) {
       return withScc(uint32_t(int32_t(a) >> (b & 31)));
     }},
    {"s_bfe_u32",
     [](uint32_t a, uint32_t b, bool) {
       return withScc(extract(a, b & 31, b >> 16 & 0x7f));
     }},
    {"s_bfe_i32",
     [](uint32_t a, uint32_t b, bool) {
       uint32_t width = b >> 16 & 0x7f, value = extract(a, b & 31, width);
       if (width > 0 && width < 32 && value >> (width - 1) & 1)
         value |= ~0u << width;
       return withScc(value);
     }},
    {"s_bfm_b32",
     [](uint32_t a, uint32_t b, bool) {
       return keep(uint32_t(((1u << (a & 31)) - 1) << (b & 31)));
     }},
    {"s_absdiff_i32",
     [](uint32_t a, uint32_t b, bool) {
       int32_t d = int32_t(a - b);
       return withScc(uint32_t(d < 0 ? 0u - uint32_t(d) : uint32_t(d)));
     }},
    {"s_lshl1_add_u32",
     [](uint32_t a, uint32_t b, bool) { return addShifted(a, b, 1); }},
    {"s_lshl2_add_u32",
     [](uint32_t a, uint32_t b, bool) { return addShifted(a, b, 2); }},
    {"s_lshl3_add_u32",
     [](uint32_t a, uint32_t b, bool) { return addShifted(a, b, 3); }},
    {"s_lshl4_add_u32",
     [](uint32_t a, uint32_t b, bool) { return addShifted(a, b, 4); }},
    {"s_pack_ll_b32_b16",
     [](uint32_t a, uint32_t b, bool) { return keep((a & 0xffff) | b << 16); }},
    {"s_pack_lh_b32_b16",
     [](uint32_t a, uint32_t b, bool) {
       return keep((a & 0xffff) | (b & 0xffff0000));
     }},
    {"s_pack_hh_b32_b16",
     [](uint32_t a, uint32_t b, bool) {
       return keep(a >> 16 | (b & 0xffff0000));
     }},
    {"s_pack_hl_b32_b16",
     [](uint32_t a, uint32_t b, bool) { return keep(a >> 16 | b << 16); }},
};

/// The second operand of shifts is one register; the others have two.
static const std::unordered_map<std::string_view, Binary64> kBinary64 = {
    {"s_and_b64", [](uint64_t a, uint64_t b) { return withScc(a & b); }},
    {"s_or_b64", [](uint64_t a, uint64_t b) { return withScc(a | b); }},
    {"s_xor_b64", [](uint64_t a, uint64_t b) { return withScc(a ^ b); }},
    {"s_andn2_b64", [](uint64_t a, uint64_t b) { return withScc(a & ~b); }},
    {"s_and_not1_b64", [](uint64_t a, uint64_t b) { return withScc(a & ~b); }},
    {"s_orn2_b64", [](uint64_t a, uint64_t b) { return withScc(a | ~b); }},
    {"s_or_not1_b64", [](uint64_t a, uint64_t b) { return withScc(a | ~b); }},
    {"s_nand_b64", [](uint64_t a, uint64_t b) { return withScc(~(a & b)); }},
    {"s_nor_b64", [](uint64_t a, uint64_t b) { return withScc(~(a | b)); }},
    {"s_xnor_b64", [](uint64_t a, uint64_t b) { return withScc(~(a ^ b)); }},
    {"s_add_nc_u64", [](uint64_t a, uint64_t b) { return keep(a + b); }},
    {"s_add_u64", [](uint64_t a, uint64_t b) { return keep(a + b); }},
    {"s_sub_nc_u64", [](uint64_t a, uint64_t b) { return keep(a - b); }},
    {"s_sub_u64", [](uint64_t a, uint64_t b) { return keep(a - b); }},
    {"s_mul_u64", [](uint64_t a, uint64_t b) { return keep(a * b); }},
};
static const std::unordered_map<std::string_view, Binary64> kShift64 = {
    {"s_lshl_b64",
     [](uint64_t a, uint64_t b) { return withScc(a << (b & 63)); }},
    {"s_lshr_b64",
     [](uint64_t a, uint64_t b) { return withScc(a >> (b & 63)); }},
    {"s_ashr_i64",
     [](uint64_t a, uint64_t b) {
       return withScc(uint64_t(int64_t(a) >> (b & 63)));
     }},
    {"s_bfe_u64",
     [](uint64_t a, uint64_t b) {
       return withScc(extract(a, b & 63, b >> 16 & 0x7f));
     }},
};

static const std::unordered_map<std::string_view, Compare> kCompare = {
    {"eq_u32", [](uint32_t a, uint32_t b) { return a == b; }},
    {"eq_i32", [](uint32_t a, uint32_t b) { return a == b; }},
    {"lg_u32", [](uint32_t a, uint32_t b) { return a != b; }},
    {"lg_i32", [](uint32_t a, uint32_t b) { return a != b; }},
    {"gt_u32", [](uint32_t a, uint32_t b) { return a > b; }},
    {"ge_u32", [](uint32_t a, uint32_t b) { return a >= b; }},
    {"lt_u32", [](uint32_t a, uint32_t b) { return a < b; }},
    {"le_u32", [](uint32_t a, uint32_t b) { return a <= b; }},
    {"gt_i32", [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b); }},
    {"ge_i32", [](uint32_t a, uint32_t b) { return int32_t(a) >= int32_t(b); }},
    {"lt_i32", [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); }},
    {"le_i32", [](uint32_t a, uint32_t b) { return int32_t(a) <= int32_t(b); }},
};

static const std::unordered_map<std::string_view, Unary64> kUnary32 = {
    {"s_mov_b32", [](uint64_t a) { return keep(a); }},
    {"s_movk_i32",
     [](uint64_t a) { return keep(uint32_t(int32_t(int16_t(a)))); }},
    {"s_not_b32", [](uint64_t a) { return withScc(uint32_t(~a)); }},
    {"s_brev_b32",
     [](uint64_t a) { return keep(__builtin_bitreverse32(uint32_t(a))); }},
    {"s_abs_i32",
     [](uint64_t a) {
       int32_t v = int32_t(a);
       return withScc(v < 0 ? 0u - uint32_t(v) : uint32_t(v));
     }},
    {"s_sext_i32_i8",
     [](uint64_t a) { return keep(uint32_t(int32_t(int8_t(a)))); }},
    {"s_sext_i32_i16",
     [](uint64_t a) { return keep(uint32_t(int32_t(int16_t(a)))); }},
    {"s_bcnt1_i32_b32",
     [](uint64_t a) { return withScc(uint64_t(std::popcount(uint32_t(a)))); }},
    {"s_ff1_i32_b32",
     [](uint64_t a) {
       return keep(uint32_t(a) ? uint32_t(std::countr_zero(uint32_t(a))) : ~0u);
     }},
    {"s_ctz_i32_b32",
     [](uint64_t a) {
       return keep(uint32_t(a) ? uint32_t(std::countr_zero(uint32_t(a))) : ~0u);
     }},
    {"s_flbit_i32_b32",
     [](uint64_t a) {
       return keep(uint32_t(a) ? uint32_t(std::countl_zero(uint32_t(a))) : ~0u);
     }},
    {"s_clz_i32_u32",
     [](uint64_t a) {
       return keep(uint32_t(a) ? uint32_t(std::countl_zero(uint32_t(a))) : ~0u);
     }},
};

template <typename Map>
static auto find(const Map &map, std::string_view name) ->
    typename Map::mapped_type {
  auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

Binary32 clock::lookupBinary32(std::string_view name) {
  return find(kBinary32, name);
}

Binary64 clock::lookupBinary64(std::string_view name) {
  return find(kBinary64, name);
}

Binary64 clock::lookupShift64(std::string_view name) {
  return find(kShift64, name);
}

Compare clock::lookupCompare(std::string_view name) {
  return find(kCompare, name);
}

Unary64 clock::lookupUnary32(std::string_view name) {
  return find(kUnary32, name);
}
