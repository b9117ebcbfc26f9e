//===- DynamicViews.h - the matrices of dynamic convolutions ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic convolution computes matrices from matrices, element by element,
// with several results: a row is a block of neighbouring positions of a
// sequence, a column a channel, and there is a matrix for each position of the
// block. So the neighbours that positions share are read once for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H
#define CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// An element of the first operand and one of the second, which are multiplied.
struct DynamicFactors {
  ViewAttr lhs, rhs;
  ViewAttr state; ///< Of the initial state, if the first may be one of that.
  /// From the position of the result to the one that the first is at.
  int64_t distance;
};

/// One matrix of the result, at a position of its block: a sum of products.
struct DynamicSum {
  int64_t position;
  ViewAttr result;
  SmallVector<DynamicFactors> factors;
};

/// The problem on one line, by its sizes: `dynamic_forward bf16 -b 2 ...`. The
/// epilogue is not part of it.
std::string formatProblem(DynamicOpInterface op);

/// Most channels of a group whose products one kernel sums up for the gradient
/// of kernels; partial sums of more are summed up by another one.
inline constexpr int64_t kMostMembers = 16;
/// Most partial sums of a group.
inline constexpr int64_t kMostPartialSums = 64;

/// Channels of a partial sum of a group, or 0 if there would be too many sums.
int64_t computeMembersOfSum(int64_t perGroup);

/// Most channels of a work-item, or groups for the gradient of kernels, where
/// kernels are normalised: that is some fifty instructions for each kernel, and
/// with more of them the code of a block leaves the instruction cache.
int64_t countNormalizedChannels(const DynamicShape &shape, Direction direction);

/// Groups of a work-item of the gradient of kernels that sums over the channels
/// of groups, at most `most`: as many as make a row of the input one access.
int64_t countSummedGroups(const DynamicShape &shape, int64_t operandBytes,
                          int64_t most);

/// Positions of its block, if it has `groups`: what they read and their sums
/// are in registers, and longer blocks read less of the input again.
int64_t countSummedPositions(const DynamicShape &shape, int64_t operandBytes,
                             int64_t groups);

/// The views of the tensors of one dynamic convolution. Positions are counted
/// from the first one of a block, and may be outside of it.
class DynamicViews {
public:
  explicit DynamicViews(DynamicOpInterface op);

  /// Of a block.
  int64_t countPositions() const { return positions; }
  /// All matrices of the result.
  SmallVector<DynamicSum> getSums() const;
  /// The elements of the kernels at a position, by tap.
  SmallVector<ViewAttr> getTaps(int64_t position) const;
  /// The element of the result's channel in a vector of all.
  ViewAttr getVector() const;
  /// The element of a position in a vector of `countTokens()`.
  ViewAttr getPosition(int64_t position) const;
  /// The tokens of a sequence, rounded up to whole blocks of any length.
  int64_t countTokens() const;
  /// The same matrices without the positions that the last block has after the
  /// end of a sequence: what is written.
  ViewAttr getWritten(ViewAttr view) const;
  /// The tile of a workgroup, for results of this type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;

private:
  ViewAttr createView(ArrayRef<AffineExpr> coordinates) const;
  /// Channels of a work-item, or groups for the gradient of kernels.
  int64_t countElements() const;
  /// The elements of input or output at a position. For the gradient of
  /// kernels, columns are groups, and it is channel `channel` of each.
  ViewAttr getToken(int64_t position, int64_t channel = 0) const;
  /// Tap `tap` of the kernels at a position.
  ViewAttr getKernel(int64_t position, int64_t tap) const;
  /// The elements of the initial state at a position, and a channel as for
  /// `getToken`; null if no block has it before a sequence.
  ViewAttr getState(int64_t position, int64_t channel = 0) const;
  DynamicSum getForwardSum(int64_t position) const;
  DynamicSum getInputSum(int64_t position) const;
  DynamicSum getKernelSum(int64_t position, int64_t tap) const;

  DynamicShape shape;
  KernelOrder order;
  Direction direction;
  int64_t operandBytes, positions;
  bool hasState;
  bool isShort; ///< Blocks have few positions.
  bool isNormalized, hasOneKernel;
  AffineExpr sequence, block, group, member; ///< Digits.
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H
