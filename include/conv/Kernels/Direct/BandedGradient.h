//===- BandedGradient.h - gradients of one channel's filter -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a depthwise convolution, a channel's filter sees its own channel only.
// With `dy(k, j)` for position `j` of the run number `k` of 8 neighbours, and
// `x(k, i)` for the input positions from the start of that run on, an atom sums
// up all products of `dy` and `x` over 16 runs:
//
//                          8 positions j of the output
//                         ┌─────────────────┐
//     16 positions i of   │ 0               │
//     the input           │ 1 0             │    the sum of tap s is that of
//                         │ 2 1 0           │    the elements on the diagonal
//                         │   2 1 0         │    i - j = s
//                         │     2 1 0 ...   │
//                         └─────────────────┘
//
// So 7 taps of a line use 56 of 128 products, where blocks of channels
// (`DirectBlocks`) use one of eight. The positions of a channel must then be
// contiguous, rather than its channels: 8 x 8 elements at a time are transposed
// in place in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_BANDEDGRADIENT_H
#define CONV_KERNELS_DIRECT_BANDEDGRADIENT_H

#include "conv/Dialect/Conv/IR/ChannelVector.h"
#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// How the gradient of a depthwise filter is multiplied as a banded matrix.
/// Positions are values of the innermost digit of the reduction; taps along it
/// are values of one digit of the columns, and all other taps are *lines*.
struct BandedGradient : ChannelVector {
  /// Positions of a run, and runs of an atom.
  static constexpr int64_t kRun = 8, kRuns = 16;
  /// Sums of a lane in one atom.
  static constexpr int64_t kSums = 4;
  /// The most sums of a lane: the remaining registers hold fragments.
  static constexpr int64_t kMaxSums = 128;

  int64_t step;              ///< Input positions between output positions.
  int64_t dilation;          ///< Input positions between taps.
  int64_t taps;              ///< Along the positions.
  int64_t lines;             ///< Taps of all other digits of the columns.
  std::optional<size_t> tap; ///< The digit of `taps`, if there are several.

  /// Taps whose input positions are equal modulo `step` share an atom: the
  /// first taps of these classes are taps 0, 1, ...
  int64_t countClasses() const;
  /// The input positions of a class, modulo `step`.
  int64_t getRemainder(int64_t index) const { return index * dilation % step; }
  /// Diagonals from a tap of a class to the next one.
  int64_t getDiagonalStep() const {
    return std::max<int64_t>(1, countClasses() * dilation / step);
  }
  int64_t getLastDiagonal() const { return (taps - 1) * dilation / step; }
  /// Atoms of a channel.
  int64_t countAtoms() const { return countClasses() * lines; }
  /// Input positions of the runs of all classes.
  int64_t getBlock() const { return kRun * step; }

  /// None if D9 does not hold.
  static std::optional<BandedGradient> compute(const ViewedProduct &product);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_BANDEDGRADIENT_H
