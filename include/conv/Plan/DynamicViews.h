//===- DynamicViews.h - views of dynamic convolutions -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic convolution computes matrices from matrices, element by element,
// with several results. A row is a block of neighbouring positions of a
// sequence, a column is a channel, and each position of the block has a matrix.
// Neighbours that several positions share are thus read once for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_DYNAMICVIEWS_H
#define CONV_PLAN_DYNAMICVIEWS_H

#include "conv/Plan/DynamicBlocks.h"

namespace mlir::conv {

/// Two elements that are multiplied: one of each operand.
struct DynamicFactors {
  ViewAttr lhs, rhs;
  ViewAttr state; ///< The initial state; null if out of reach.
  /// The distance from the position of the result to that of `lhs`.
  int64_t distance;
};

/// One matrix of the result, at a position of its block: a sum of products.
struct DynamicSum {
  int64_t position;
  ViewAttr result;
  SmallVector<DynamicFactors> factors;
};

/// The views of the tensors of one dynamic convolution. Positions count from
/// the first position of a block, and may be outside of the block.
class DynamicViews {
public:
  DynamicViews(DynamicOpInterface op, const DynamicBlocks &blocks);

  /// Whether work-items take positions one after the other.
  bool isStream() const { return blocks.isStream; }
  /// All matrices of the result.
  SmallVector<DynamicSum> getSums() const;
  /// The elements of the kernels at a position, by tap.
  SmallVector<ViewAttr> getTaps(int64_t position) const;
  /// The element for the result's channel in a vector of all channels.
  ViewAttr getVector() const;
  /// The element of a position in a vector of `countTokens()`.
  ViewAttr getPosition(int64_t position) const;
  /// The tokens of a sequence, rounded up to whole runs of any length.
  int64_t countTokens() const {
    return llvm::alignTo(shape.t, blocks.wholeRuns);
  }
  /// Which neighbours mask the products of packed sequences, up to how many,
  /// and the bits of their number. A stream only asks whether there is one: it
  /// goes from a token to its neighbour, and forgets where a sequence starts.
  Side countedSide() const {
    return direction == Direction::BackwardData && !isStream() ? Side::After
                                                               : Side::Before;
  }
  int64_t countedLimit() const { return isStream() ? 1 : shape.w - 1; }
  unsigned countedBits() const { return isStream() ? 8 : 32; }
  /// The view without the positions that the last block has after the end of a
  /// sequence: the part that is written.
  ViewAttr getWritten(ViewAttr view) const;

private:
  ViewAttr createView(ArrayRef<AffineExpr> coordinates) const;
  /// The elements of input or output at a position. In a kernel gradient,
  /// columns are groups, and the view selects channel `channel` of each.
  ViewAttr getToken(int64_t position, int64_t channel = 0) const;
  /// Tap `tap` of the kernels at a position.
  ViewAttr getKernel(int64_t position, int64_t tap) const;
  /// The elements of the initial state at a position, and a channel as in
  /// `getToken`; null if no block reaches the state.
  ViewAttr getState(int64_t position, int64_t channel = 0) const;
  DynamicSum getForwardSum(int64_t position) const;
  DynamicSum getInputSum(int64_t position) const;
  DynamicSum getKernelSum(int64_t position, int64_t tap) const;

  DynamicShape shape;
  KernelOrder order;
  Direction direction;
  bool hasState, hasOneKernel;
  DynamicBlocks blocks;
  AffineExpr sequence, block, group, member; ///< Digits.
};

} // namespace mlir::conv

#endif // CONV_PLAN_DYNAMICVIEWS_H
