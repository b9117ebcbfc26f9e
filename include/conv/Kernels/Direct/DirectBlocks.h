//===- DirectBlocks.h - gradients of filters of groups, as blocks -*- C++ -*-=//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a group's filter has few elements, each a sum over all
// positions. Positions are the reduction of a matrix instruction: 8 output
// channels and 8 input channels at one tap make a block of sums, and an atom
// has two blocks:
//
//                              8 output channels
//    tap (r, s),     8 input  ┌────────┐
//                   channels  │ block  │      summed up over 2 runs of 8
//    tap (r, s + 1), 8 input  ├────────┤      positions
//                   channels  │ block  │
//                             └────────┘
//
// Smaller groups share a block and own the squares on its diagonal; larger
// groups have a block for each pair of vectors.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_DIRECTBLOCKS_H
#define CONV_KERNELS_DIRECT_DIRECTBLOCKS_H

#include "conv/Dialect/Conv/IR/ChannelVector.h"
#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// How the gradient of a filter is multiplied as blocks. Rows of the product
/// are channels of the left operand; columns are right channels at taps.
struct DirectBlocks : ChannelVector {
  /// Blocks per atom.
  static constexpr int64_t kBlocks = 2;
  /// Neighbouring positions of a run, and runs of an atom.
  static constexpr int64_t kRun = 8, kRuns = 2;

  /// The most blocks of a vector of rows: their sums are in registers.
  static constexpr int64_t kMaxBlocks = 72;

  int64_t matrices; ///< That share a vector; 1 if a matrix has whole ones.
  int64_t rowVectors,
      columnVectors; ///< Vectors of a matrix, or of matrices that share them.
  /// The digits of rows and of columns that count channels, if a matrix has
  /// more than one channel.
  std::optional<size_t> row, column;
  int64_t taps; ///< Columns of one channel.

  int64_t countBlocks() const { return columnVectors * taps; }
  /// Atoms of a vector of rows; the last atom may have only one block.
  int64_t countAtoms() const {
    return llvm::divideCeil(countBlocks(), kBlocks);
  }

  /// None if D8 does not hold; `obstacle` then says why, as "expects ..., but
  /// got ...".
  static std::optional<DirectBlocks> compute(const ViewedProduct &product,
                                             std::string &obstacle);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_DIRECTBLOCKS_H
