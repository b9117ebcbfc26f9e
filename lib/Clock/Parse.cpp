//===- Parse.cpp - printed instructions to what the clock reads -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line of AMD's assembly: the mnemonic determines the unit and the width;
// operands follow between commas, and modifiers after the last one. The
// mnemonics of all generations share one table, since none has two meanings.
//
//===----------------------------------------------------------------------===//

#include "ParseText.h"

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>

using namespace conv;
using namespace conv::clock;

std::string_view clock::getName(Unit unit) {
  static constexpr std::string_view names[kUnits] = {
      "matrix", "vector", "scalar",  "lds",    "memory",
      "smem",   "wait",   "barrier", "branch", "internal"};
  return names[size_t(unit)];
}

/// Suffixes that name an encoding, not a meaning.
static std::string stripEncoding(std::string_view mnemonic) {
  for (std::string_view suffix : {"_e32", "_e64", "_sdwa", "_vcd"})
    if (mnemonic.ends_with(suffix))
      mnemonic.remove_suffix(suffix.size());
  return std::string(mnemonic);
}

/// Invalidations and write-backs of caches, which have no address.
static bool isCacheControl(std::string_view name) {
  return startsWithAny(name, {"global_inv", "global_wb", "buffer_inv",
                              "buffer_wb", "buffer_gl0_inv", "buffer_gl1_inv"});
}

static Unit findUnit(std::string_view name) {
  if (startsWithAny(name, {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac"}))
    return Unit::Matrix;
  if (name.starts_with("v_"))
    return Unit::Vector;
  if (name.starts_with("ds_"))
    return Unit::Shared;
  if (isCacheControl(name))
    return Unit::Internal;
  if (startsWithAny(name,
                    {"buffer_", "global_", "flat_", "scratch_", "tbuffer_"}))
    return Unit::Global;
  if (startsWithAny(name, {"s_load_", "s_buffer_load_", "s_dcache"}))
    return Unit::ScalarMemory;
  if (startsWithAny(name, {"s_waitcnt", "s_wait_"}) && name != "s_wait_alu")
    return Unit::Wait;
  if (name.starts_with("s_barrier"))
    return Unit::Barrier;
  if (startsWithAny(name, {"s_cbranch", "s_branch", "s_setpc", "s_swappc"}))
    return Unit::Branch;
  if (startsWithAny(name, {"s_nop", "s_set", "s_sleep", "s_delay_alu",
                           "s_clause", "s_wait_alu", "s_endpgm", "s_sendmsg",
                           "s_inst_prefetch", "s_code_end", "s_icache"}))
    return Unit::Internal;
  return Unit::Scalar;
}

/// Bytes of a lane (or of a scalar load) by the width in the mnemonic.
static int findBytes(std::string_view name) {
  int factor = startsWithAny(name, {"ds_read2", "ds_write2", "ds_load_2addr",
                                    "ds_store_2addr"})
                   ? 2
                   : 1;
  if (size_t at = name.find("dwordx"); at != name.npos)
    return 4 * std::atoi(std::string(name.substr(at + 6)).c_str());
  if (name.find("dword") != name.npos)
    return 4;
  if (name.find("short") != name.npos)
    return 2;
  if (name.find("byte") != name.npos)
    return 1;
  // ..._b128, ..._u16_d16, ..._f32: the first number after a type's letter.
  for (size_t at = 0; (at = name.find('_', at)) != name.npos; ++at) {
    std::string_view rest = name.substr(at + 1);
    if (rest.starts_with("tr"))
      rest.remove_prefix(std::min(rest.size(), rest.find('_') + 1));
    while (!rest.empty() && (rest[0] == 'p' || rest[0] == 'k'))
      rest.remove_prefix(1);
    if (rest.size() < 2 ||
        std::string_view("bufi").find(rest[0]) == rest.npos || rest[1] < '0' ||
        rest[1] > '9')
      continue;
    return factor *
           std::max(8, std::atoi(std::string(rest.substr(1)).c_str())) / 8;
  }
  return 4 * factor;
}

/// How many of the leading operands an instruction writes.
static int countDefinitions(const Instruction &instruction) {
  std::string_view name = instruction.mnemonic;
  switch (instruction.unit) {
  case Unit::Matrix:
    return 1;
  case Unit::Vector:
    if (startsWithAny(name, {"v_nop", "v_cmpx"}))
      return 0;
    if (name == "v_swap_b32" ||
        startsWithAny(name,
                      {"v_add_co_", "v_sub_co_", "v_subrev_co_", "v_addc_co_",
                       "v_subb_co_", "v_subbrev_co_", "v_add_co_ci",
                       "v_sub_co_ci", "v_mad_u64_u32", "v_mad_co_u64",
                       "v_mad_i64_i32", "v_mad_co_i64", "v_div_scale"}))
      return 2;
    return 1;
  case Unit::Scalar:
    return startsWithAny(name, {"s_cmp", "s_bitcmp"}) ? 0 : 1;
  case Unit::Shared:
    return instruction.isStore ? 0 : 1;
  case Unit::Global:
    return instruction.isStore || instruction.writesShared ? 0 : 1;
  case Unit::ScalarMemory:
    return 1;
  default:
    return 0;
  }
}

static uint16_t readLimit(std::string_view text, std::string_view name) {
  size_t at = text.find(name);
  if (at == text.npos)
    return kNoLimit;
  return uint16_t(
      std::atoi(std::string(text.substr(at + name.size())).c_str()));
}

/// The counters that a wait waits for. Where a chip counts two things together,
/// the limit is stored under the first counter.
static void readLimits(Instruction &instruction) {
  std::string_view text = instruction.text, name = instruction.mnemonic;
  auto limit = [&](Counter counter) -> uint16_t & {
    return instruction.limits[size_t(counter)];
  };
  uint16_t number = uint16_t(instruction.immediate);
  if (name == "s_waitcnt") {
    limit(Counter::Load) = readLimit(text, "vmcnt(");
    limit(Counter::Shared) = readLimit(text, "lgkmcnt(");
  } else if (name == "s_waitcnt_vscnt") {
    limit(Counter::Store) = number;
  } else if (name == "s_waitcnt_vmcnt" || name == "s_wait_loadcnt") {
    limit(Counter::Load) = number;
  } else if (name == "s_waitcnt_lgkmcnt" || name == "s_wait_dscnt") {
    limit(Counter::Shared) = number;
  } else if (name == "s_wait_storecnt") {
    limit(Counter::Store) = number;
  } else if (name == "s_wait_kmcnt") {
    limit(Counter::Scalar) = number;
  } else if (name == "s_wait_loadcnt_dscnt") {
    limit(Counter::Load) = number >> 8;
    limit(Counter::Shared) = number & 0xff;
  } else if (name == "s_wait_storecnt_dscnt") {
    limit(Counter::Store) = number >> 8;
    limit(Counter::Shared) = number & 0xff;
  }
}

/// The parts of registers that gfx9 selects: src0_sel:BYTE_3.
static bool readSelection(Instruction &instruction, std::string_view word) {
  bool isFirst = word.starts_with("src0_sel:");
  if (!isFirst && !word.starts_with("src1_sel:"))
    return false;
  size_t at = size_t(instruction.definitions) + (isFirst ? 0 : 1);
  std::string_view part = word.substr(9);
  if (at >= instruction.operands.size() || part == "DWORD")
    return true;
  int digit = part.back() - '0';
  if (instruction.operands[at].kind != Operand::Vector || digit < 0 ||
      digit > 3)
    instruction.operands[at].kind = Operand::Modified;
  else
    instruction.operands[at].part = Operand::Part(
        (part.starts_with("WORD_") ? Operand::Low : Operand::Byte0) + digit);
  return true;
}

/// Whether halves of registers have names, which `op_sel` then only repeats.
static bool namesHalves(const Instruction &instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Operand &operand) {
                       return operand.part == Operand::Low ||
                              operand.part == Operand::High;
                     });
}

/// Offsets and flags after the last operand.
static void readModifier(Instruction &instruction, std::string_view word) {
  auto value = [&](std::string_view name) -> std::optional<int64_t> {
    if (!word.starts_with(name))
      return std::nullopt;
    return readInteger(word.substr(name.size()));
  };
  if (readSelection(instruction, word))
    return;
  if (std::optional<int64_t> offset = value("offset:"))
    instruction.offset = *offset;
  else if (std::optional<int64_t> table = value("bitop3:"))
    instruction.offset = *table;
  else if (std::optional<int64_t> offset = value("offset0:"))
    instruction.offset = *offset;
  else if (std::optional<int64_t> offset = value("offset1:"))
    instruction.offset1 = *offset;
  else if (word == "offen")
    instruction.takesIndex = true;
  else if (word == "lds")
    instruction.writesShared = true;
  else if (startsWithAny(word, {"dst_sel:", "op_sel", "quad_perm", "row_",
                                "neg_", "clamp"}) &&
           !word.ends_with("DWORD") &&
           !(word.starts_with("op_sel:") && namesHalves(instruction)))
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      if (instruction.unit == Unit::Vector &&
          instruction.operands[i].kind == Operand::Vector && i > 0) {
        instruction.operands[i].kind = Operand::Modified;
        instruction.operands[i].literal = 1;
      }
}

static void readOperands(Instruction &instruction, std::string_view rest) {
  std::vector<std::string_view> operands = split(rest, ',');
  std::vector<std::string_view> modifiers;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<std::string_view> words = split(operands[i], ' ');
    instruction.operands.push_back(readOperand(words[0]));
    modifiers.insert(modifiers.end(), words.begin() + 1, words.end());
  }
  auto setDefinitions = [&] {
    instruction.definitions = std::min<int>(countDefinitions(instruction),
                                            int(instruction.operands.size()));
  };
  setDefinitions();
  for (std::string_view word : modifiers)
    readModifier(instruction, word);
  setDefinitions(); // A load to LDS defines no register.
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Literal)
      instruction.immediate = int64_t(operand.literal);
}

/// LLVM does not print a second offset of zero of narrow LDS access pairs.
static void completePair(Instruction &instruction) {
  bool isPair =
      startsWithAny(instruction.mnemonic, {"ds_read2", "ds_write2",
                                           "ds_load_2addr", "ds_store_2addr"});
  if (!isPair)
    return;
  bool isFar = instruction.mnemonic.find("st64") != std::string::npos ||
               instruction.mnemonic.find("stride64") != std::string::npos;
  int64_t step = instruction.bytes / 2 * (isFar ? 64 : 1);
  instruction.offset *= step;
  instruction.offset1 = std::max<int64_t>(instruction.offset1, 0) * step;
}

Instruction clock::parseInstruction(std::string_view text, const Pace &pace,
                                    std::vector<Instruction> &seconds) {
  text = trim(text);
  Instruction instruction;
  instruction.text = std::string(text);
  if (size_t at = text.find(" :: "); at != text.npos) {
    Instruction second = parseInstruction(text.substr(at + 4), pace, seconds);
    instruction.second = int(seconds.size());
    seconds.push_back(std::move(second));
    text = trim(text.substr(0, at));
  }
  size_t space = text.find_first_of(" \t");
  instruction.mnemonic = stripEncoding(text.substr(0, space));
  std::string_view name = instruction.mnemonic;
  instruction.unit = findUnit(name);
  instruction.isStore =
      name.find("_store") != name.npos || name.find("_write") != name.npos ||
      (name.find("_atomic_") != name.npos && name.find("_rtn") == name.npos);
  instruction.writesShared = name.find("load_lds") != name.npos ||
                             name.find("load_async_to_lds") != name.npos;
  if (instruction.unit == Unit::Shared || instruction.unit == Unit::Global ||
      instruction.unit == Unit::ScalarMemory)
    instruction.bytes = findBytes(name);
  if (space != text.npos)
    readOperands(instruction, text.substr(space + 1));
  if (instruction.unit == Unit::Wait)
    readLimits(instruction);
  completePair(instruction);
  instruction.matrixCycles =
      getMatrixCycles(pace, instruction.mnemonic, instruction.flops);
  return instruction;
}

/// The instructions of a loop by which its copies are found; empty if it does
/// not multiply matrices.
static std::map<Unit, int> countUnits(const Program &program,
                                      const Loop &loop) {
  std::map<Unit, int> counts;
  for (int i = loop.first; i <= loop.last; ++i)
    if (Unit unit = program.code[size_t(i)].unit;
        unit == Unit::Matrix || unit == Unit::Shared || unit == Unit::Global)
      ++counts[unit];
  return counts.count(Unit::Matrix) ? counts : std::map<Unit, int>();
}

static int findOriginal(const Program &program, const Loop &loop) {
  std::map<Unit, int> counts = countUnits(program, loop);
  for (size_t i = 0; i < program.loops.size() && !counts.empty(); ++i)
    if (countUnits(program, program.loops[i]) == counts)
      return int(i);
  return int(program.loops.size());
}

/// Backward branches close loops; only innermost loops are kept.
void clock::findLoops(Program &program) {
  std::vector<Loop> all;
  for (int i = 0; i < int(program.code.size()); ++i)
    if (int target = program.code[i].target; target >= 0 && target <= i)
      all.push_back({target, i, 0});
  program.loops.clear();
  for (const Loop &loop : all) {
    bool isInner = std::none_of(all.begin(), all.end(), [&](const Loop &other) {
      bool isSame = other.first == loop.first && other.last == loop.last;
      return !isSame && other.first >= loop.first && other.last <= loop.last;
    });
    if (isInner)
      program.loops.push_back(
          {loop.first, loop.last, findOriginal(program, loop)});
  }
}

std::vector<bool> clock::findEnds(const Program &program, const Loop &loop) {
  std::vector<bool> isEnd(program.code.size());
  isEnd[size_t(loop.last)] = true;
  for (const Loop &other : program.loops)
    if (other.original == loop.original)
      isEnd[size_t(other.last)] = true;
  return isEnd;
}
