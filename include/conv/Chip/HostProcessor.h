//===- HostProcessor.h - facts about processors -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_HOSTPROCESSOR_H
#define CONV_CHIP_HOSTPROCESSOR_H

#include "conv/Chip/Chip.h"
#include "conv/Support/IntegerMath.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace conv {

/// The level of processors that code of the host is compiled for.
struct HostProcessor {
  std::string_view level; ///< "x86-64-v3", as LLVM and GCC spell it.
  /// Features beside those of the level, as LLVM spells them:
  /// "+avx512bf16", or nothing.
  std::string_view features;
  int64_t vectorLanes;     ///< f32 elements of a vector register.
  int64_t vectorRegisters; ///< Vector registers of a thread.
  int64_t firstCacheBytes; ///< Data cache next to a core.
  /// The cache of a core after that, which differs between processors of a
  /// level: this many bytes unless the machine is known (`getDeviceChip`).
  int64_t secondCacheBytes;
  int64_t leastMaskedBits; ///< Narrowest elements that loads with a mask have.
  /// Whether stores with a mask are as fast as others, for all elements.
  bool hasMaskedStores;
  /// Whether an instruction gathers elements of 32 bits from any addresses with
  /// a mask, in less time than a branch for each element.
  bool hasGathers;
};

/// f32 elements of a vector that all levels have.
inline constexpr int64_t kHostLanes = 8;

/// Elements up to so far apart are stored as parts of vectors: strided
/// gradients of the input have phases, every second or third element.
inline constexpr int64_t kHostMostApart = 4;

/// Bytes that a thread holds to multiply a tile: both operands for a block of
/// `gemmK`, and the sums, each as whole register tiles of either orientation.
inline int64_t countHostTileBytes(const MatrixAtom &atom,
                                  std::array<int64_t, 2> tile, int64_t gemmK) {
  int64_t rows = roundUp(tile[0], atom.m), columns = roundUp(tile[1], atom.m);
  return (rows + columns) * gemmK * byteSize(atom.operand) +
         rows * columns * byteSize(atom.accumulator);
}

} // namespace conv

#endif // CONV_CHIP_HOSTPROCESSOR_H
