//===- DirectBand.h - groups of few channels as dense matrices -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrices of groups with few channels are too narrow for a matrix
// instruction of 8 columns, but neighbouring positions see mostly the same
// inputs. So its columns are a run of positions with a block of channels, and
// its reduction are the positions of the window that this run sees, with the
// same block of channels. The filter becomes a band matrix:
//
//   3 taps, runs of 4 positions       window  0  1  2  3  4  5
//                                     q       a  b  c  .  .  .
//                                     q + 1   .  a  b  c  .  .
//                                     q + 2   .  .  a  b  c  .
//                                     q + 3   .  .  .  a  b  c
//
// each entry of which is itself a matrix: of the channels of a group, or
// diagonal for a pair of groups with one channel each.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DIRECTBAND_H
#define CONV_DIALECT_CONV_IR_DIRECTBAND_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// How a product with few channels is multiplied as bands.
struct DirectBand {
  /// Channels that a lane reads of a position: 16 bytes of 16-bit elements.
  static constexpr int64_t kVector = 8;
  /// Columns of an atom: a run of positions with a block of channels.
  static constexpr int64_t kColumns = 8;
  /// Of an atom, whose rows are runs of positions.
  static constexpr int64_t kRuns = 16;
  /// Positions of a window that an atom multiplies at a time, one by each
  /// group of lanes; and channels of each, two at a time.
  static constexpr int64_t kPositions = 4, kPair = 2;

  /// Where sums are exchanged in shared memory (`DirectExchange`): f32 elements
  /// between pairs of a vector of channels, and of a subgroup, for so many
  /// positions, when so many vectors are read side by side.
  static int64_t getPairDistance(int64_t positions) {
    return kPair * (positions + kBanks / (4 * kPair));
  }
  static int64_t getExchangedSums(int64_t positions, int64_t vectors) {
    return kVector / kPair * getPairDistance(positions) +
           llvm::divideCeil(kBanks, vectors);
  }
  static constexpr int64_t kBanks = 32; ///< Of shared memory, of 4 bytes.

  /// The matrix instruction that has these sizes.
  static AtomAttr getAtom(MLIRContext *context);

  int64_t channels; ///< Of a matrix: of its left operand, and columns.
  size_t position;  ///< The digit of the rows that runs move along.
  size_t dimension; ///< Of the left operand, along which it moves.
  /// The digit of the reduction that moves along the same dimension, and that
  /// of the channels, if there are any.
  std::optional<size_t> tap, channel;
  int64_t taps;      ///< Values of that digit.
  int64_t unit;      ///< Coordinates between positions of the window.
  int64_t stride;    ///< Units from one position of a run to the next one.
  int64_t tapStride; ///< Units from one tap to the next one; may be negative.

  /// Channels that an atom multiplies at a time, with those of other groups as
  /// zeros.
  int64_t getBlock() const { return std::max(channels, kPair); }
  int64_t getBlocks() const { return kVector / getBlock(); }
  int64_t getMatrices() const { return kVector / channels; } ///< Of a vector.
  int64_t getRun() const { return kColumns / getBlock(); }   ///< Positions.
  int64_t getPairs() const { return getBlock() / kPair; }    ///< Of a block.
  /// Units that a run sees, and fours of them.
  int64_t getWindow() const {
    return stride * (getRun() - 1) + std::abs(tapStride) * (taps - 1) + 1;
  }
  int64_t getFours() const { return llvm::divideCeil(getWindow(), kPositions); }
  /// Units from the first position of the window to the first tap's.
  int64_t getFirstTap() const {
    return tapStride < 0 ? -tapStride * (taps - 1) : 0;
  }

  /// None if D7 does not hold, and in `obstacle` why, as "expects ..., but got
  /// ...".
  static std::optional<DirectBand> compute(const ViewedProduct &product,
                                           std::string &obstacle);
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DIRECTBAND_H
