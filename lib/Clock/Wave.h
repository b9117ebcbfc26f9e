//===- Wave.h - registers of an interpreted wave ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of registers and which of them are known: a bit for each scalar
// register, and a bit for each lane of a vector register.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_WAVE_H
#define CONV_LIB_CLOCK_WAVE_H

#include "conv/Clock/Program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace conv::clock {

using Lanes = std::array<uint32_t, 64>;

/// A vector register.
struct VectorValue {
  Lanes lanes{};
  uint64_t known = 0;
  /// Known lanes of the lower and upper half, written apart since gfx11.
  std::array<uint64_t, 2> knownHalves{};

  void setKnown(uint64_t lanesKnown) {
    known = lanesKnown;
    knownHalves = {known, known};
  }
};

class Wave {
public:
  explicit Wave(int size)
      : size(size), all(size == 64 ? ~0ull : (1ull << size) - 1) {
    vectors.resize(kVectorRegisters);
    setScalar(kExec, uint32_t(all));
    setScalar(kExec + 1, uint32_t(all >> 32));
  }

  const int size;
  const uint64_t all; ///< A bit for each lane.
  std::vector<VectorValue> vectors;
  std::optional<bool> scc;

  void setScalar(int index, std::optional<uint32_t> value) {
    scalars[size_t(index)] = value.value_or(0);
    knownScalars[size_t(index)] = value.has_value();
  }
  std::optional<uint32_t> getScalar(int index) const {
    if (!knownScalars[size_t(index)])
      return std::nullopt;
    return scalars[size_t(index)];
  }

  /// A scalar operand of one register, of two, or a literal.
  std::optional<uint32_t> read32(const Operand &operand) const;
  std::optional<uint64_t> read64(const Operand &operand) const;
  void write32(const Operand &operand, std::optional<uint32_t> value);
  void write64(const Operand &operand, std::optional<uint64_t> value);

  /// A mask of lanes: one register, or two in waves of 64.
  std::optional<uint64_t> readMask(const Operand &operand) const;
  void writeMask(const Operand &operand, std::optional<uint64_t> value);

  /// Lanes that execute; all lanes if this depends on data.
  uint64_t getExec() const {
    Operand exec{Operand::Scalar, 2, kExec, 0};
    return readMask(exec).value_or(all) & all;
  }

  /// Register `part` of a vector operand; scalars are the same in all lanes.
  const VectorValue &readVector(const Operand &operand, int part,
                                VectorValue &storage) const;

  /// Writes the lanes that execute.
  void writeVector(const Operand &operand, int part, const Lanes &lanes,
                   uint64_t known);

  /// Writes one lane of a vector register, whether it executes or not.
  void writeLane(const Operand &operand, std::optional<uint32_t> lane,
                 std::optional<uint32_t> value);

  /// Makes the registers of `operand` unknown.
  void forget(const Operand &operand);

private:
  std::array<uint32_t, kScalarRegisters> scalars{};
  std::array<bool, kScalarRegisters> knownScalars{};
};

/// Executes instructions of one form; false, with nothing done, for others.
using Executor = bool (*)(const Instruction &, Wave &);

/// All executors. Instructions that none of them takes have unknown results.
std::span<const Executor> getScalarExecutors();
std::span<const Executor> getVectorExecutors();

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_WAVE_H
