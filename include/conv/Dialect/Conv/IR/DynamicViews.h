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

#ifndef CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H
#define CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// Work-items of a GPU kernel without a product.
inline constexpr int64_t kElementwiseWorkItems = 256;

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

/// The problem as one line, by its sizes: `dynamic_forward bf16 -b 2 ...`. It
/// does not include the epilogue.
std::string formatProblem(DynamicOpInterface op);

/// The most channels of a group that one GPU kernel sums up in a kernel
/// gradient; a second one adds the partial sums of larger groups.
inline constexpr int64_t kMostMembers = 16;
/// The most partial sums of a group.
inline constexpr int64_t kMostPartialSums = 64;

/// Channels of a partial sum of a group, or 0 if there would be too many sums.
int64_t computeMembersOfSum(int64_t perGroup);

/// The fewest kernels of `taps` contiguous taps that fill whole vectors of
/// `elements` elements. A work-item has so many, so that neighbouring lanes
/// access neighbouring vectors of kernels, which are most of what is moved.
int64_t countKernelsOfVectors(int64_t elements, int64_t taps);

/// The most channels of a work-item, or groups in a kernel gradient, if kernels
/// are normalized. Normalization takes about fifty instructions per kernel;
/// with more kernels, the code of a block exceeds the instruction cache.
int64_t countNormalizedChannels(const DynamicShape &shape, Direction direction);

/// Whether an element of the result needs one tap each of many normalized
/// kernels, as in a gradient of the input: their code would take from seconds
/// to minutes to compile, and is a loop over the kernels instead.
bool normalizesManyKernels(DynamicOpInterface op);

/// Groups of a work-item, at most `most`, in a kernel gradient that sums over
/// the channels of a group: as many as make a row of the input one access.
int64_t countSummedGroups(const DynamicShape &shape, int64_t operandBytes,
                          int64_t most);

/// Positions of the block of a work-item with `groups` groups. Operands and
/// sums are in registers, and longer blocks reread less of the input.
int64_t countSummedPositions(const DynamicShape &shape, int64_t operandBytes,
                             int64_t groups);

/// The views of the tensors of one dynamic convolution. Positions count from
/// the first position of a block, and may be outside of the block.
class DynamicViews {
public:
  explicit DynamicViews(DynamicOpInterface op);

  /// Positions of a block.
  int64_t countPositions() const { return positions; }
  /// Whether work-items take positions one after the other.
  bool isStream() const { return isStreamed; }
  /// All matrices of the result.
  SmallVector<DynamicSum> getSums() const;
  /// The elements of the kernels at a position, by tap.
  SmallVector<ViewAttr> getTaps(int64_t position) const;
  /// The element for the result's channel in a vector of all channels.
  ViewAttr getVector() const;
  /// The element of a position in a vector of `countTokens()`.
  ViewAttr getPosition(int64_t position) const;
  /// The tokens of a sequence, rounded up to whole runs of any length.
  int64_t countTokens() const;
  /// Which neighbours mask the products of packed sequences, up to how many,
  /// and the bits of their number. A stream only asks whether there is one: it
  /// goes from a token to its neighbour, and forgets where a sequence starts.
  Side countedSide() const {
    return direction == Direction::BackwardData && !isStreamed ? Side::After
                                                               : Side::Before;
  }
  int64_t countedLimit() const { return isStreamed ? 1 : shape.w - 1; }
  unsigned countedBits() const { return isStreamed ? 8 : 32; }
  /// The view without the positions that the last block has after the end of a
  /// sequence: the part that is written.
  ViewAttr getWritten(ViewAttr view) const;
  /// The tile of a workgroup, for results of this type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;

private:
  ViewAttr createView(ArrayRef<AffineExpr> coordinates) const;
  int64_t countBlocks() const {
    return llvm::alignTo(llvm::divideCeil(shape.t, positions), run);
  }
  /// The most elements of a work-item, and the fewest that make its accesses
  /// whole words, or lines of a wave.
  int64_t computeElements() const;
  int64_t getNarrowElements() const;
  /// Whether the next run reads kernels again, which are most of what it
  /// reads: the gradient of the input needs some taps of each, which are last.
  bool readsTapsAgain() const;
  /// Products of an element of the result, or of all its taps, at a position.
  int64_t countProducts() const;
  /// Positions of a block that holds all that it reads in registers.
  int64_t countHeld() const;
  /// Positions of a run that moves `share` times what the next run reads again.
  int64_t countTokensOfRun(int64_t share) const;
  /// Selects positions, runs and elements of work-items that stream.
  void planStream(const ::conv::ChipInfo &chip);
  /// Whether the work-items of AMD's GPUs load the kernels of groups together,
  /// so that the taps of a work-item need not be whole vectors.
  bool sharesLines() const;
  /// Makes lines of a tile longer, so that they have enough kernels.
  void widen(std::array<int64_t, 2> &tile) const;
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
  int64_t operandBytes, positions;
  int64_t run = 1; ///< Blocks that a work-item has one after the other.
  int64_t
      elements; ///< Channels of a work-item, or groups in a kernel gradient.
  int64_t leastBytes = 0; ///< Of an access of a work-item that streams.
  bool hasState;
  bool isShort; ///< Blocks have few positions.
  bool isNormalized, hasOneKernel, isPacked, isStreamed;
  bool hasRuns; ///< A work-item has a run of blocks, perhaps of one.
  AffineExpr sequence, block, group, member; ///< Digits.
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DYNAMICVIEWS_H
