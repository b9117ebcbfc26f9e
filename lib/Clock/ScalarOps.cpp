//===- ScalarOps.cpp - scalar arithmetic ----------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the operands, calls the function that a table has for the instruction,
// and writes the result. If an operand is unknown, so is every result that
// depends on it.
//
//===----------------------------------------------------------------------===//

#include "ScalarTables.h"
#include "Wave.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

using namespace conv;
using namespace conv::clock;

/// s_bitcmp0_b32 and s_bitcmp1_b32: whether a bit has this value.
static bool executeBitCompare(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  if (name != "s_bitcmp0_b32" && name != "s_bitcmp1_b32")
    return false;
  wave.scc = std::nullopt;
  if (instruction.operands.size() < 2)
    return true;
  std::optional<uint32_t> value = wave.read32(instruction.operands[0]);
  std::optional<uint32_t> bit = wave.read32(instruction.operands[1]);
  if (value && bit)
    wave.scc = (*value >> (*bit & 31) & 1) == uint32_t(name[8] - '0');
  return true;
}

static bool executeCompare(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  bool isShort = name.starts_with("s_cmpk_");
  if (!isShort && !name.starts_with("s_cmp_"))
    return false;
  wave.scc = std::nullopt;
  const auto &operands = instruction.operands;
  if (operands.size() < 2)
    return true;
  name.remove_prefix(isShort ? 7 : 6);
  if (name == "eq_u64" || name == "lg_u64") {
    std::optional<uint64_t> a = wave.read64(operands[0]);
    std::optional<uint64_t> b = wave.read64(operands[1]);
    if (a && b)
      wave.scc = (*a == *b) == name.starts_with("eq");
    return true;
  }
  Compare compare = lookupCompare(name);
  std::optional<uint32_t> a = wave.read32(operands[0]);
  std::optional<uint32_t> b = wave.read32(operands[1]);
  if (b && isShort && name.ends_with("i32"))
    b = uint32_t(int32_t(int16_t(*b)));
  if (compare && a && b)
    wave.scc = compare(*a, *b);
  return true;
}

/// s_and_saveexec_b64 and the like: the old mask, and a new one.
static bool executeSaveExec(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  size_t at = name.find("_saveexec_");
  if (at == name.npos || instruction.operands.size() < 2)
    return false;
  Operand exec{Operand::Scalar, 2, kExec, 0};
  std::optional<uint64_t> old = wave.readMask(exec);
  std::optional<uint64_t> mask = wave.readMask(instruction.operands[1]);
  std::optional<uint64_t> result;
  name = name.substr(2, at - 2);
  if (old && mask) {
    if (name == "and")
      result = *mask & *old;
    else if (name == "or")
      result = *mask | *old;
    else if (name == "xor")
      result = *mask ^ *old;
    else if (name == "andn2" || name == "and_not1")
      result = *mask & ~*old;
    else if (name == "andn1" || name == "and_not0")
      result = ~*mask & *old;
  }
  wave.writeMask(instruction.operands[0], old);
  wave.writeMask(exec, result);
  wave.scc =
      result ? std::optional<bool>((*result & wave.all) != 0) : std::nullopt;
  return true;
}

static bool executeSelect(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  if (!name.starts_with("s_cselect_") || operands.size() < 3)
    return false;
  if (!wave.scc) {
    wave.forget(operands[0]);
    return true;
  }
  const Operand &chosen = operands[*wave.scc ? 1 : 2];
  if (name.ends_with("64"))
    wave.write64(operands[0], wave.read64(chosen));
  else
    wave.write32(operands[0], wave.read32(chosen));
  return true;
}

/// s_addk_i32, s_mulk_i32, s_bitset0_b32 and s_bitset1_b32, whose destination
/// is an operand.
static bool executeInPlace(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  bool isSum = name == "s_addk_i32" || name == "s_addk_co_i32";
  bool sets = name == "s_bitset1_b32", clears = name == "s_bitset0_b32";
  if ((!isSum && !sets && !clears && name != "s_mulk_i32") ||
      operands.size() < 2)
    return false;
  std::optional<uint32_t> a = wave.read32(operands[0]), result;
  if (sets || clears) {
    std::optional<uint32_t> bit = wave.read32(operands[1]);
    if (a && bit) {
      uint32_t mask = 1u << (*bit & 31);
      result = sets ? *a | mask : *a & ~mask;
    }
  } else if (a) {
    uint32_t b = uint32_t(int32_t(int16_t(operands[1].literal)));
    result = isSum ? *a + b : *a * b;
    if (isSum)
      wave.scc = addSigned(*a, b).scc;
  } else if (isSum) {
    wave.scc = std::nullopt;
  }
  wave.write32(operands[0], result);
  return true;
}

static bool executeUnary(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  if (operands.size() < 2)
    return false;
  if (name == "s_mov_b64" || name == "s_not_b64") {
    std::optional<uint64_t> value = wave.read64(operands[1]);
    if (value && name == "s_not_b64")
      value = ~*value;
    wave.write64(operands[0], value);
    if (name == "s_not_b64")
      wave.scc = value ? std::optional<bool>(*value != 0) : std::nullopt;
    return true;
  }
  Unary64 unary = lookupUnary32(name);
  if (!unary)
    return false;
  std::optional<uint32_t> value = wave.read32(operands[1]);
  if (!value) {
    wave.forget(operands[0]);
    if (unary(1).scc)
      wave.scc = std::nullopt;
    return true;
  }
  Result64 result = unary(*value);
  wave.write32(operands[0], uint32_t(result.value));
  if (result.scc)
    wave.scc = result.scc;
  return true;
}

static bool executeBinary(const Instruction &instruction, Wave &wave) {
  std::string_view name = instruction.mnemonic;
  const auto &operands = instruction.operands;
  if (operands.size() < 3)
    return false;
  std::optional<Result64> result;
  bool isKnown = true, isWide = true;
  if (Binary64 wide = lookupBinary64(name)) {
    std::optional<uint64_t> a = wave.read64(operands[1]);
    std::optional<uint64_t> b = wave.read64(operands[2]);
    if (a && b)
      result = wide(*a, *b);
  } else if (Binary64 shift = lookupShift64(name)) {
    std::optional<uint64_t> a = wave.read64(operands[1]);
    std::optional<uint32_t> b = wave.read32(operands[2]);
    if (a && b)
      result = shift(*a, *b);
  } else if (Binary32 binary = lookupBinary32(name)) {
    isWide = false;
    bool usesCarry = name == "s_addc_u32" || name == "s_subb_u32" ||
                     name.find("_ci_") != name.npos;
    std::optional<uint32_t> a = wave.read32(operands[1]);
    std::optional<uint32_t> b = wave.read32(operands[2]);
    if (a && b && (!usesCarry || wave.scc))
      result = binary(*a, *b, wave.scc.value_or(false));
  } else {
    isKnown = false;
  }
  if (!isKnown)
    return false;
  if (!result) {
    wave.forget(operands[0]);
    wave.scc = std::nullopt;
    return true;
  }
  if (isWide)
    wave.write64(operands[0], result->value);
  else
    wave.write32(operands[0], uint32_t(result->value));
  if (result->scc)
    wave.scc = result->scc;
  return true;
}

std::span<const Executor> clock::getScalarExecutors() {
  static constexpr Executor executors[] = {
      executeBinary, executeCompare, executeBitCompare, executeSelect,
      executeUnary,  executeInPlace, executeSaveExec};
  return executors;
}
