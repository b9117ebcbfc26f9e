//===- DirectFragments.h - fragments of filters and windows -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lanes hold of the operands of atoms, if these multiply positions by
// blocks of the filter (`FilterBlocks`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H

#include "ChannelFragments.h"
#include "DirectOperands.h"

#include <map>

namespace mlir::conv {

/// Taps that one atom multiplies: neighbours, or a last one alone.
struct TapPair {
  /// Digits of the reduction, of each tap.
  SmallVector<SmallVector<int64_t>, FilterBlocks::kTaps> taps;
};

SmallVector<TapPair> enumerateTapPairs(const DirectTiling &tiling);

/// The lane's place among those that share a row of an atom, and the number of
/// that row in each half of it.
Value getPairLane(const Kernel &kernel);
Value getRowLane(const Kernel &kernel);

/// The lane's part of a vector's filters, in registers.
class FilterFragments {
public:
  /// `batch` is the first matrix of the vector, from the start of the tile.
  FilterFragments(const Kernel &kernel, const DirectOperands &operands,
                  ArrayRef<Value> batch);

  /// The blocks of pair number `pair`.
  Value getFragment(size_t pair) const { return fragments[pair]; }

private:
  Value createElement(ArrayRef<int64_t> tap, int64_t inPair) const;

  const Kernel &kernel;
  const DirectOperands &operands;
  SmallVector<Value> batch;
  SmallVector<Value> fragments;
};

/// The lane's part of the windows of one unit of work.
class WindowFragments {
public:
  /// `rows` are the digits of the position whose vector the lane points to.
  WindowFragments(const Kernel &kernel, const DirectOperands &operands,
                  ArrayRef<Value> batch, ArrayRef<Value> rows);

  /// What positions on a line see at a pair of taps.
  Value createFragment(int64_t line, const TapPair &pair);
  /// Distance in shared memory of what a position on a line sees at a tap.
  int64_t getDistance(int64_t line, ArrayRef<int64_t> tap) const;

private:
  /// Of the first and the last positions of an atom.
  BlockWords load(int64_t distance);

  const Kernel &kernel;
  const DirectOperands &operands;
  Value base;
  std::map<int64_t, BlockWords> words; ///< By distance.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTFRAGMENTS_H
