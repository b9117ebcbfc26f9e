//===- VectorOps.cpp - vector integer arithmetic --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like ScalarOps.cpp, for all lanes. Floating-point values are data here: their
// results are unknown.
//
//===----------------------------------------------------------------------===//

#include "VectorTables.h"
#include "Wave.h"

#include <algorithm>
#include <bit>
#include <string_view>

using namespace conv;
using namespace conv::clock;

using U = uint32_t;

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

/// Whether an instruction uses only the lower half of operand `number`: the
/// upper half may be unknown, as after 16-bit instructions.
static bool usesLowHalf(const Instruction &instruction, size_t number) {
  const auto &operands = instruction.operands;
  auto isAtMost = [&](size_t i, uint64_t most) {
    return operands[i].kind == Operand::Literal && operands[i].literal <= most;
  };
  if (instruction.mnemonic == "v_and_b32")
    return number == 2 && isAtMost(1, 0xffff);
  // A field of it, by its first bit and width.
  return instruction.mnemonic == "v_bfe_u32" && number == 1 &&
         isAtMost(2, 16) && isAtMost(3, 16 - operands[2].literal);
}

static bool executeSimple(const Instruction &instruction, Wave &wave) {
  const Operation *found = lookupOperation(instruction.mnemonic);
  const auto &operands = instruction.operands;
  if (!found || int(operands.size()) < 1 + found->operands)
    return false;
  VectorValue storage[3];
  const VectorValue *values[3] = {&storage[0], &storage[0], &storage[0]};
  uint64_t known = ~0ull, knownHalf = ~0ull;
  for (size_t i = 0; i < size_t(found->operands); ++i) {
    Operand operand = operands[i + 1];
    if (operand.kind == Operand::Vector && operand.part == Operand::All &&
        usesLowHalf(instruction, i + 1))
      operand.part = Operand::Low;
    values[i] = &wave.readVector(operand, 0, storage[i]);
    known &= values[i]->known;
    knownHalf &= values[i]->knownHalves[0];
  }
  Lanes out;
  if ((known | knownHalf) != 0)
    found->run(values[0]->lanes, values[1]->lanes, values[2]->lanes, out);
  wave.writeVector(operands[0], 0, out, known);
  Operand half = operands[0];
  if (found->keepsHalves && knownHalf != known && half.part == Operand::All) {
    half.part = Operand::Low;
    wave.writeVector(half, 0, out, knownHalf);
  }
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
  const WideOperation *found = lookupWide(instruction.mnemonic);
  const auto &operands = instruction.operands;
  if (!found || operands.size() < 2)
    return false;
  std::array<uint64_t, 64> values[3] = {}, out;
  uint64_t known = ~0ull;
  for (size_t i = 0; i < 3 && i + 1 < operands.size(); ++i)
    known &= readWide(wave, operands[i + 1], found->pairs[i], values[i]);
  for (size_t lane = 0; lane < 64; ++lane)
    out[lane] = found->run(values[0][lane], values[1][lane], values[2][lane]);
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
    uint64_t product =
        isSigned ? uint64_t(int64_t(int32_t(U(a[lane]))) * int32_t(U(b[lane])))
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
  // v_cmpx of gfx9 names its mask; later chips write only exec.
  size_t first = setsExec && operands.size() == 2 ? 0 : 1;
  LaneCompare found = lookupCompareOfLanes(name.substr(setsExec ? 7 : 6));
  uint64_t active = wave.getExec();
  std::optional<uint64_t> mask;
  if (found && operands.size() >= first + 2) {
    std::array<uint64_t, 64> a{}, b{};
    uint64_t known = active;
    for (int part = 0; part < (name.ends_with("64") ? 2 : 1); ++part)
      for (auto [operand, values] :
           {std::pair(&operands[first], &a), {&operands[first + 1], &b}}) {
        VectorValue storage;
        const VectorValue &value = wave.readVector(*operand, part, storage);
        known &= value.known;
        for (size_t lane = 0; lane < 64; ++lane)
          (*values)[lane] |= uint64_t(value.lanes[lane]) << (32 * part);
      }
    if (known == active) {
      mask = 0;
      for (size_t lane = 0; lane < size_t(wave.size); ++lane)
        if (active >> lane & 1)
          *mask |= uint64_t(found(a[lane], b[lane])) << lane;
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

/// Moves between lanes and scalar registers, and lane numbers.
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
  if (name == "v_writelane_b32" && operands.size() > 2) {
    wave.writeLane(operands[0], wave.read32(operands[2]),
                   wave.read32(operands[1]));
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
