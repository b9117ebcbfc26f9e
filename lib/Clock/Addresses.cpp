//===- Addresses.cpp - what memory instructions touch ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of buffer instructions whose offset is out of range access nothing:
// this is how kernels read zeros as padding.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"

#include "conv/Chip/Banks.h"

#include <algorithm>
#include <bit>

using namespace conv;
using namespace conv::clock;

/// The offset register of each lane, 0 without one; none if a lane is unknown.
static std::optional<Lanes> readOffsets(const Wave &wave,
                                        const Operand &operand, uint64_t exec) {
  VectorValue storage;
  if (operand.kind != Operand::Vector)
    return Lanes{};
  const VectorValue &value = wave.readVector(operand, 0, storage);
  if ((value.known & exec) != exec)
    return std::nullopt;
  return value.lanes;
}

static std::optional<LaneAddresses>
readBuffer(const Instruction &instruction, const Wave &wave, uint64_t exec) {
  const auto &operands = instruction.operands;
  auto isResource = [](const Operand &operand) {
    return operand.kind == Operand::Scalar && operand.count == 4;
  };
  auto resource = std::find_if(operands.begin(), operands.end(), isResource);
  if (resource == operands.end() || resource == operands.begin() ||
      resource + 1 == operands.end() || resource->index + 3 >= kScalarRegisters)
    return std::nullopt;
  std::optional<uint64_t> base = wave.read64(*resource);
  std::optional<uint32_t> records = wave.getScalar(resource->index + 2);
  std::optional<uint32_t> uniform = wave.read32(*(resource + 1));
  std::optional<Lanes> offsets = instruction.takesIndex
                                     ? readOffsets(wave, *(resource - 1), exec)
                                     : std::optional<Lanes>(Lanes{});
  if (!base || !records || !uniform || !offsets)
    return std::nullopt;
  LaneAddresses addresses;
  uint64_t start = *base & 0xffffffffffff;
  for (size_t lane = 0; lane < 64; ++lane) {
    uint64_t offset =
        uint64_t((*offsets)[lane]) + uint64_t(instruction.offset) + *uniform;
    addresses.lanes[lane] = start + offset;
    bool isInside = offset + uint64_t(instruction.bytes) <= *records;
    addresses.active |= uint64_t(isInside && (exec >> lane & 1)) << lane;
  }
  return addresses;
}

/// global and flat: a pair of registers, or a scalar pair and an offset.
static std::optional<LaneAddresses>
readPointer(const Instruction &instruction, const Wave &wave, uint64_t exec) {
  const auto &operands = instruction.operands;
  size_t at = instruction.isStore || instruction.writesShared ? 0 : 1;
  if (operands.size() <= at)
    return std::nullopt;
  uint64_t base = 0;
  bool hasBase = operands.back().kind == Operand::Scalar;
  if (hasBase) {
    std::optional<uint64_t> value = wave.read64(operands.back());
    if (!value)
      return std::nullopt;
    base = *value;
  }
  std::optional<Lanes> low = readOffsets(wave, operands[at], exec);
  Operand upper = operands[at];
  upper.index += 1;
  std::optional<Lanes> high =
      hasBase ? std::optional<Lanes>(Lanes{}) : readOffsets(wave, upper, exec);
  if (!low || !high)
    return std::nullopt;
  LaneAddresses addresses;
  addresses.active = exec;
  for (size_t lane = 0; lane < 64; ++lane)
    addresses.lanes[lane] = base + (uint64_t((*high)[lane]) << 32) +
                            (*low)[lane] + uint64_t(instruction.offset);
  return addresses;
}

std::optional<LaneAddresses>
clock::readAddresses(const Instruction &instruction, const Wave &wave) {
  std::string_view name = instruction.mnemonic;
  if (name.starts_with("buffer_"))
    return readBuffer(instruction, wave, wave.getExec());
  if (name.starts_with("global_") || name.starts_with("flat_"))
    return readPointer(instruction, wave, wave.getExec());
  return std::nullopt;
}

void AccessRecorder::noteUnknown(int index) {
  if (unknownAddresses++ == 0)
    firstUnknown = index;
}

void AccessRecorder::recordGlobal(const Instruction &instruction, int index,
                                  const Wave &wave, WaveTrace &trace,
                                  Access &access) {
  uint64_t exec = wave.getExec(), line = uint64_t(pace.chip->cacheLineBytes);
  uint64_t bytes = uint64_t(instruction.bytes);
  access.firstLine = uint32_t(trace.lines.size());
  if (instruction.writesShared)
    access.passes = uint16_t(
        std::max<uint64_t>(1, bytes * uint64_t(std::popcount(exec)) /
                                  uint64_t(4 * pace.chip->sharedMemoryBanks)));
  std::optional<LaneAddresses> addresses = readAddresses(instruction, wave);
  if (!addresses) {
    noteUnknown(index);
    access.bytes = uint32_t(bytes * uint64_t(std::popcount(exec)));
    access.lines = uint16_t((access.bytes + line - 1) / line);
    for (int i = 0; i < access.lines; ++i)
      trace.lines.push_back(inventedLine++);
    return;
  }
  for (uint64_t left = addresses->active; left; left &= left - 1) {
    uint64_t address = addresses->lanes[size_t(std::countr_zero(left))];
    for (uint64_t at = address / line; at <= (address + bytes - 1) / line; ++at)
      if (trace.lines.size() == access.firstLine || trace.lines.back() != at)
        trace.lines.push_back(at);
  }
  auto first = trace.lines.begin() + access.firstLine;
  std::sort(first, trace.lines.end());
  trace.lines.erase(std::unique(first, trace.lines.end()), trace.lines.end());
  access.lines = uint16_t(trace.lines.size() - access.firstLine);
  access.bytes = uint32_t(bytes * uint64_t(std::popcount(addresses->active)));
}

/// Whether lanes exchange values without going through the banks.
static bool isExchange(std::string_view name) {
  return name.find("permute") != name.npos || name.find("swizzle") != name.npos;
}

void AccessRecorder::recordShared(const Instruction &instruction, int index,
                                  const Wave &wave, Access &access) {
  uint64_t exec = wave.getExec();
  uint32_t banks = uint32_t(pace.chip->sharedMemoryBanks);
  bool isPair = instruction.offset1 >= 0;
  int bytes = isPair ? instruction.bytes / 2 : instruction.bytes;
  uint32_t lanes = uint32_t(std::popcount(exec));
  access.bytes = lanes * uint32_t(instruction.bytes);
  access.passes = uint16_t(std::max(1u, access.bytes / (4 * banks)));
  if (isExchange(instruction.mnemonic))
    return;
  size_t at = instruction.isStore ? 0 : 1;
  std::optional<Lanes> offsets;
  if (at < instruction.operands.size() &&
      instruction.operands[at].kind == Operand::Vector)
    offsets = readOffsets(wave, instruction.operands[at], exec);
  if (!offsets) {
    noteUnknown(index);
    return;
  }
  if (exec == 0)
    return;
  // Bank patterns depend on the LDS address modulo all banks only.
  Pattern &pattern = patterns[size_t(index)];
  uint32_t base = (*offsets)[size_t(std::countr_zero(exec))];
  uint32_t phase = (base + uint32_t(instruction.offset)) % (4 * banks);
  Lanes relative{};
  for (size_t lane = 0; lane < 64; ++lane)
    relative[lane] = exec >> lane & 1 ? (*offsets)[lane] - base : 0;
  bool isSame = pattern.isFilled && pattern.exec == exec &&
                pattern.phase == phase && pattern.offsets == relative;
  if (!isSame) {
    pattern = {exec, phase, relative, 0, 0, true};
    auto add = [&](int64_t offset) {
      std::vector<LdsAccess> accesses;
      for (uint32_t lane = 0; lane < 64; ++lane)
        if (exec >> lane & 1)
          accesses.push_back({lane, (*offsets)[lane] + uint32_t(offset)});
      BankCost cost = computeBankCost(accesses, uint32_t(bytes), banks,
                                      instruction.isStore);
      pattern.passes += uint16_t(cost.cycles);
      pattern.conflicts += uint16_t(cost.conflicts);
    };
    add(instruction.offset);
    if (isPair)
      add(instruction.offset1);
  }
  access.passes = pattern.passes;
  access.conflicts = pattern.conflicts;
}

void AccessRecorder::record(const Instruction &instruction, int index,
                            const Wave &wave, WaveTrace &trace) {
  Access access;
  if (instruction.unit == Unit::Shared)
    recordShared(instruction, index, wave, access);
  else
    recordGlobal(instruction, index, wave, trace, access);
  trace.steps.push_back({index, int32_t(trace.accesses.size())});
  trace.accesses.push_back(access);
}
