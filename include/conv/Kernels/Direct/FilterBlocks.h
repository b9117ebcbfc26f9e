//===- FilterBlocks.h - filters of small groups as blocks -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrices of groups with few channels are too narrow for a matrix
// instruction, but 8 neighbouring channels fit: they span several groups,
// each with a filter of its own. At one tap, their filters make a block of 8
// x 8 elements, and an atom multiplies 16 positions by the blocks of two
// taps:
//
//              channels at     channels at        8 output channels
//              tap (r, s)      tap (r, s + 1)
//             ┌───────────────┬───────────────┐   ┌─────────────┐
//   16        │               │               │ x │ a 0 0 0 ... │ (r, s)
//   positions │               │               │   │ 0 b 0 0 ... │
//             └───────────────┴───────────────┘   ├─────────────┤
//                                                 │ ...         │ (r, s + 1)
//                                                 └─────────────┘
//
// Larger groups have squares on the diagonal instead of single elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_FILTERBLOCKS_H
#define CONV_KERNELS_DIRECT_FILTERBLOCKS_H

#include "conv/Dialect/Conv/IR/ChannelVector.h"
#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// How a product with few channels is multiplied block by block.
struct FilterBlocks : ChannelVector {
  /// Positions and blocks of an atom; there is one block for each tap.
  static constexpr int64_t kPositions = 16, kTaps = 2;

  /// The layout of sums in shared memory (`DirectExchange`): f32 elements
  /// between pairs of a vector of channels, and of a subgroup, for `positions`
  /// positions, when several vectors are read side by side.
  static int64_t getPairDistance(int64_t positions) {
    return kPair * (positions + kBanks / (4 * kPair));
  }
  static int64_t getExchangedSums(int64_t positions, int64_t vectors) {
    return kVector / kPair * getPairDistance(positions) +
           llvm::alignTo(llvm::divideCeil(kBanks, vectors), kPair);
  }
  static constexpr int64_t kBanks = 32; ///< Shared memory banks of 4 bytes.

  int64_t channels; ///< A matrix's left channels and columns.
  /// The digit of the reduction that counts channels, if there are several.
  std::optional<size_t> channel;
  /// The innermost other digit of the reduction with several values, if any;
  /// its taps are multiplied two at a time.
  std::optional<size_t> tap;

  /// Matrices in a vector.
  int64_t getMatrices() const { return kVector / channels; }

  /// None if D7 does not hold; `obstacle` then says why, as "expects ..., but
  /// got ...".
  static std::optional<FilterBlocks> compute(const ViewedProduct &product,
                                             std::string &obstacle);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_FILTERBLOCKS_H
