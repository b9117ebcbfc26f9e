//===- WaveOp.h - an operation of a whole wave ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view of a wave operation's handler: the frames of the active lanes. Has
// no STL, because handlers are compiled for AVX2.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_WAVEOP_H
#define CONV_LIB_RUNTIME_SIM_WAVEOP_H

#include "conv/Runtime/SimAbi.h"

#include <cstddef>

namespace conv::runtime::sim {

namespace abi = ::conv::sim;

/// Bytes from one lane's frame to the next. An odd number of cache lines, so
/// that the same operand of all lanes does not compete for a few cache sets.
inline constexpr size_t frameStride = abi::frameBytes + 64;

/// The facts of SimChips.def.
struct SimChip {
  const char *name;
  uint32_t waveSize;
  uint32_t ldsBytes;
  uint32_t ldsBanks;
  bool isGfx9;
  bool isFnuz;
};

struct WaveOp {
  uint8_t *frames; ///< The frame of lane 0.
  abi::Item *const *items;
  uint32_t waveSize;
  uint64_t active; ///< A bit for each active lane.
  const abi::Site *site;
  const SimChip *chip;
  const char *failure = nullptr; ///< Set by a handler that refuses.

  bool isActive(uint32_t lane) const { return active >> lane & 1; }

  template <typename T> T &result(uint32_t lane) const {
    return *reinterpret_cast<T *>(frames + lane * frameStride);
  }
  template <typename T> const T &operand(uint32_t lane, unsigned index) const {
    return *reinterpret_cast<const T *>(frames + lane * frameStride +
                                        site->operandOffset[index]);
  }
  /// An operand that is an immediate, or equal in all lanes.
  template <typename T> const T &uniform(unsigned index) const {
    return operand<T>(firstActive(), index);
  }
  uint32_t firstActive() const { return uint32_t(__builtin_ctzll(active)); }
};

using WaveHandler = void (*)(WaveOp &op);

/// Multiplications and additions of a matrix instruction; 0 for other handlers.
struct MatrixInfo {
  uint64_t flops;
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_WAVEOP_H
