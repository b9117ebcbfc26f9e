//===- DirectFragments.h - fragments of filters and windows -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of lanes for atoms that multiply positions by blocks of the
// filter (`FilterBlocks`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H

#include "ChannelFragments.h"
#include "DirectOperands.h"

#include <map>

namespace mlir::conv {

/// Taps that one atom multiplies: two neighbours, or a single last one.
struct TapPair {
  /// For each tap, its digits of the reduction.
  SmallVector<SmallVector<int64_t>, FilterBlocks::kTaps> taps;
};

SmallVector<TapPair> enumerateTapPairs(const DirectTiling &tiling);

/// The number of the lane among the lanes that share a row of an atom, and the
/// number of that row in each half of the atom.
Value getPairLane(const Kernel &kernel);
Value getRowLane(const Kernel &kernel);

/// The lane's fragments of a vector's filters, in registers.
class FilterFragments {
public:
  /// `batch` is the first matrix of the vector, relative to the tile.
  FilterFragments(const Kernel &kernel, const DirectOperands &operands,
                  ArrayRef<Value> batch);

  /// The blocks of tap pair `pair`.
  Value getFragment(size_t pair) const { return fragments[pair]; }

private:
  Value createElement(ArrayRef<int64_t> tap, int64_t inPair) const;

  const Kernel &kernel;
  const DirectOperands &operands;
  SmallVector<Value> batch;
  SmallVector<Value> fragments;
};

/// The lane's fragments of the windows of one unit of work.
class WindowFragments {
public:
  /// `rows` are the digits of the position whose vector the lane addresses.
  WindowFragments(const Kernel &kernel, const DirectOperands &operands,
                  ArrayRef<Value> batch, ArrayRef<Value> rows);

  /// The input of a line's positions at a pair of taps.
  Value createFragment(int64_t line, const TapPair &pair);
  /// Distance in shared memory to the input of a line's position at a tap.
  int64_t getDistance(int64_t line, ArrayRef<int64_t> tap) const;

private:
  /// Loads the words for the first and the last positions of an atom.
  BlockWords load(int64_t distance);

  const Kernel &kernel;
  const DirectOperands &operands;
  Value base;
  std::map<int64_t, BlockWords> words; ///< By distance.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H
