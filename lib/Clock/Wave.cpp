//===- Wave.cpp - registers of an interpreted wave ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading an instruction has checked its operands against the register files.
//
//===----------------------------------------------------------------------===//

#include "Wave.h"

using namespace conv;
using namespace conv::clock;

std::optional<uint32_t> Wave::read32(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Literal:
    return uint32_t(operand.literal);
  case Operand::Scalar:
    return getScalar(operand.index);
  case Operand::Scc:
    return scc ? std::optional<uint32_t>(*scc) : std::nullopt;
  case Operand::None: // null reads zero; unknown operands have no count.
    return operand.count ? std::optional<uint32_t>(0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> Wave::read64(const Operand &operand) const {
  if (operand.kind == Operand::Literal)
    return operand.literal;
  if (operand.kind == Operand::None)
    return operand.count ? std::optional<uint64_t>(0) : std::nullopt;
  if (operand.kind != Operand::Scalar || operand.index + 1 >= kScalarRegisters)
    return std::nullopt;
  std::optional<uint32_t> low = getScalar(operand.index);
  std::optional<uint32_t> high = getScalar(operand.index + 1);
  if (!low || !high)
    return std::nullopt;
  return uint64_t(*high) << 32 | *low;
}

void Wave::write32(const Operand &operand, std::optional<uint32_t> value) {
  if (operand.kind == Operand::Scalar)
    setScalar(operand.index, value);
}

void Wave::write64(const Operand &operand, std::optional<uint64_t> value) {
  if (operand.kind != Operand::Scalar || operand.index + 1 >= kScalarRegisters)
    return;
  auto half = [&](int shift) {
    return value ? std::optional<uint32_t>(uint32_t(*value >> shift))
                 : std::nullopt;
  };
  setScalar(operand.index, half(0));
  setScalar(operand.index + 1, half(32));
}

std::optional<uint64_t> Wave::readMask(const Operand &operand) const {
  if (size == 64)
    return read64(operand);
  std::optional<uint32_t> value = read32(operand);
  return value ? std::optional<uint64_t>(*value) : std::nullopt;
}

void Wave::writeMask(const Operand &operand, std::optional<uint64_t> value) {
  if (size == 64)
    return write64(operand, value);
  write32(operand,
          value ? std::optional<uint32_t>(uint32_t(*value)) : std::nullopt);
}

static uint32_t selectPart(uint32_t value, Operand::Part part) {
  if (part >= Operand::Low)
    return value >> (16 * (part - Operand::Low)) & 0xffff;
  return part == Operand::All ? value
                              : value >> (8 * (part - Operand::Byte0)) & 0xff;
}

const VectorValue &Wave::readVector(const Operand &operand, int part,
                                    VectorValue &storage) const {
  if (operand.kind == Operand::Vector &&
      operand.index + part < kVectorRegisters) {
    const VectorValue &value = vectors[size_t(operand.index + part)];
    if (operand.part == Operand::All)
      return value;
    bool isUpper = operand.part == Operand::High ||
                   operand.part == Operand::Byte2 ||
                   operand.part == Operand::Byte3;
    storage.setKnown(value.knownHalves[isUpper]);
    for (size_t lane = 0; lane < 64; ++lane)
      storage.lanes[lane] = selectPart(value.lanes[lane], operand.part);
    return storage;
  }
  std::optional<uint32_t> value;
  if (operand.kind == Operand::Literal)
    value = uint32_t(part == 0 ? operand.literal : operand.literal >> 32);
  else if (operand.kind == Operand::Scalar &&
           operand.index + part < kScalarRegisters)
    value = getScalar(operand.index + part);
  else if (part == 0)
    value = read32(operand);
  storage.lanes.fill(value.value_or(0));
  storage.setKnown(value ? ~0ull : 0);
  return storage;
}

void Wave::writeVector(const Operand &operand, int part, const Lanes &lanes,
                       uint64_t known) {
  if (operand.kind != Operand::Vector ||
      operand.index + part >= kVectorRegisters)
    return;
  VectorValue &value = vectors[size_t(operand.index + part)];
  uint64_t exec = getExec();
  if (operand.part != Operand::All) {
    // One half is written, the other half is kept.
    int shift = operand.part == Operand::High ? 16 : 0;
    for (int lane = 0; lane < size; ++lane)
      if (uint32_t &old = value.lanes[size_t(lane)]; exec >> lane & 1)
        old = (old & ~(0xffffu << shift)) | (lanes[size_t(lane)] & 0xffff)
                                                << shift;
    uint64_t &half = value.knownHalves[operand.part == Operand::High];
    half = (half & ~exec) | (known & exec);
    value.known = value.knownHalves[0] & value.knownHalves[1];
    return;
  }
  if (exec == all) {
    value.lanes = lanes;
    value.setKnown(known);
    return;
  }
  for (int lane = 0; lane < size; ++lane)
    if (exec >> lane & 1)
      value.lanes[size_t(lane)] = lanes[size_t(lane)];
  value.setKnown((value.known & ~exec) | (known & exec));
}

void Wave::writeLane(const Operand &operand, std::optional<uint32_t> lane,
                     std::optional<uint32_t> value) {
  if (operand.kind != Operand::Vector || operand.index >= kVectorRegisters)
    return;
  VectorValue &written = vectors[size_t(operand.index)];
  if (!lane)
    return written.setKnown(0);
  size_t index = *lane & uint32_t(size - 1);
  uint64_t bit = uint64_t(1) << index;
  written.lanes[index] = value.value_or(0);
  written.setKnown(value ? written.known | bit : written.known & ~bit);
}

void Wave::forget(const Operand &operand) {
  bool isVector = operand.kind == Operand::Vector ||
                  (operand.kind == Operand::Modified && operand.literal == 1);
  for (int i = 0; i < operand.count; ++i) {
    if (isVector && operand.index + i < kVectorRegisters)
      vectors[size_t(operand.index + i)].setKnown(0);
    else if (operand.kind == Operand::Scalar &&
             operand.index + i < kScalarRegisters)
      setScalar(operand.index + i, std::nullopt);
  }
}
