//===- ConvolutionPlan.h - a convolution as matrix products -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows which matrices a convolution multiplies, in every
// direction. Schedule selection and the lowering both ask here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_CONVOLUTIONPLAN_H
#define CONV_PLAN_CONVOLUTIONPLAN_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// A batch of matrix products `lhs * transpose(rhs)`: views of a convolution's
/// two operands.
struct MatrixProduct {
  TensorRole lhsRole, rhsRole; ///< Which operand is which.
  ViewAttr lhs, rhs;
};

/// A subproblem of a kernel: the sum of an optional product and of terms,
/// written through a view of the target tensor.
struct PlanSubproblem {
  /// Matrices that are added in this order: views of intermediate tensors.
  struct Term {
    size_t intermediate;
    ViewAttr view;
  };
  std::optional<MatrixProduct> product = std::nullopt;
  SmallVector<Term, 0> terms = {};
  ViewAttr target;
  /// A vector with one element per channel of the result, viewed as matrices of
  /// the target's sizes. Null if the result has no such vector.
  ViewAttr channels = {};
};

/// One kernel: subproblems that write disjoint elements of one tensor.
struct PlanStep {
  SmallVector<PlanSubproblem, 0> subproblems;
  /// The intermediate tensor that the step writes. If there is none, the step
  /// writes the result and applies the epilogue to the sums.
  std::optional<size_t> intermediate = std::nullopt;
};

/// How the products of a plan are merged, split and tiled.
struct PlanOptions {
  /// The extent of a block in each spatial dimension; the extents of a halo
  /// tile are multiples of it.
  static constexpr int64_t kBlockSize = ::conv::WarpgroupTile::kBlockSize;
  static constexpr size_t kHaloTileRank = 2;
  /// Channels of one row where gemmN is numbered by channel rows and channels
  /// are innermost.
  static constexpr int64_t kRowSize = ::conv::WarpgroupTile::kRowElements;

  /// Groups whose channels share one matrix: a divisor of the group count.
  int64_t mergedGroups = 1;
  /// Split-K slices, each a matrix of the batch; a last step adds them up.
  int64_t splits = 1;
  /// The extents of a halo tile in the last two spatial dimensions. Positions
  /// are then numbered halo tile by halo tile, and within one block by block;
  /// positions after the last one are not written. Empty if positions are in
  /// order, as they always are in one dimension.
  SmallVector<int64_t, 2> haloTile = {};
  /// Whether the dgrad phases of backward data become columns of one product.
  /// This requires unmerged groups and no strided dimension that is dilated.
  bool joinsPhases = false;
  /// Whether a weight gradient multiplies taps that only meet padding with
  /// zeros, too, so that it is one subproblem.
  bool keepsDeadTaps = false;
  /// The columns of a weight gradient are numbered by tap and then by channel,
  /// with whole channel rows for each tap, because tensor copies load whole
  /// rows. If channels are not innermost, a tap has one row of all its
  /// channels, rounded up to eight. Columns after a tap's last channel are not
  /// written. Split-K slices have rows innermost if the result has.
  bool hasChannelRows = false;
  /// The product is transposed: rows are the result's channels, columns its
  /// positions, the batch its images (S20). In a weight gradient, rows are what
  /// the windows read, and columns the fewer channels of the other operand.
  bool transposed = false;
};

/// Floating-point operations of a convolution with the taps that its plan
/// multiplies, which meet the image; without its epilogue.
double computeLiveFlops(ConvolutionOpInterface op);

/// Kernels that run one after the other and compute a convolution.
struct ConvolutionPlan {
  /// Shapes of the intermediate tensors, which hold accumulators.
  SmallVector<SmallVector<int64_t>> intermediates;
  SmallVector<PlanStep, 0> steps;

  /// All subproblems that have a product, each with its step.
  SmallVector<std::pair<const PlanStep *, const PlanSubproblem *>>
  getProducts() const;
  /// The subproblem with the largest product, or the first subproblem if none
  /// has any.
  const PlanSubproblem &getLargestProduct() const;
};

/// Plans a convolution of the taps that meet the image:
///
///   * forward: gemmM is the output's pixels `(n, p, q)`, gemmN its channels;
///     gemmK is the filter's elements.
///   * backward data: one subproblem for each dgrad phase of the input's
///   positions.
///     All positions of a dgrad phase meet the same filter elements, so each
///     product is dense: gemmM is the pixels `(n, h, w)` of the dgrad phase,
///     gemmN the input's channels, and gemmK these filter elements times the
///     output's channels. Positions that meet no filter element are subproblems
///     of zeros. Subproblems are in the order of their work, the largest first,
///     so that the last ones are short. Joined dgrad phases are one product
///     instead, with a column for each dgrad phase and channel; its filter
///     elements and positions reach beyond the tensors where a dgrad phase has
///     fewer. If the padding is not zeros, the product is the gradient of the
///     padded input, and one step per dimension adds the gradients of padded
///     positions to those of the elements that they were copied from.
///   * backward weight: gemmM is the output's channels, gemmN the filter's
///     elements `(r, s, c)`; gemmK is the output's pixels. If the output has
///     few channels and all strides are 1, gemmM is the input's channels, gemmN
///     is `(r, s, k)`, and gemmK is the input's pixels. Taps that only meet
///     padding with zeros are subproblems of zeros, unless they are kept.
///
/// Pixels `(n, p, q)` are numbered in order, or by halo tiles. For halo tiles
/// of 16 x 16, their digits are the halo tile, `(n, p / 16, q / 16)`, the block
/// in the halo tile, `(p / 8 % 2, q / 8 % 2)`, and the position in the block,
/// `(p % 8, q % 8)`; in three dimensions, `z` follows the image. The columns of
/// a weight gradient are then `(r, c / 64, s, c % 64)`: taps of one tap row,
/// which read the same halo tile, are neighbours. If it is transposed, its rows
/// are `(c / 64, r, s, c % 64)`, and windows move over the tensor with more
/// channels, the input or the output (then `k` in place of `c`). With channel
/// rows, columns are `(r, s, c / 64, c % 64)`, or `(r, s, c)` if channels are
/// not innermost, if that differs from the filter's own order or size.
///
/// Groups are the batch. Merged groups are side by side in rows, columns and
/// reduction: elements between two different groups are zero or not written.
ConvolutionPlan planConvolution(ConvolutionOpInterface op,
                                const PlanOptions &options);

/// The options that a schedule asks for.
PlanOptions getPlanOptions(ScheduleAttr schedule);

/// The tensors of the product of one subproblem, as the kernel of its step sees
/// them.
ViewedProduct getViewedProduct(ConvolutionOpInterface op,
                               const ConvolutionPlan &plan,
                               const PlanStep &step,
                               const PlanSubproblem &subproblem);

/// The only product of a plan, if its kernel computes nothing else.
std::optional<ViewedProduct> getOnlyProduct(ConvolutionOpInterface op,
                                            const ConvolutionPlan &plan);

/// Whether the reduction can have `options.splits` slices (S12): at most the
/// longest of its digits, or equal slices of several digits; over halo tiles,
/// at most their number. All dgrad phases have to.
bool canSplit(ConvolutionOpInterface op, const PlanOptions &options);

/// Why it cannot, or an empty string.
std::string findSplitObstacle(ConvolutionOpInterface op,
                              const PlanOptions &options);

/// A bound of that number: the product of the digits that can be split. Of
/// several dgrad phases, the smallest.
int64_t getSplittableSize(ConvolutionOpInterface op,
                          const PlanOptions &options = {});

/// Whether channel rows would change how columns are numbered.
bool canHaveChannelRows(ConvolutionOpInterface op,
                        const PlanOptions &options = {});

/// Whether `PlanOptions::hasChannelRows` makes any difference: to how columns
/// are numbered, or to the order of split-K slices.
bool dependsOnChannelRows(ConvolutionOpInterface op,
                          const PlanOptions &options);

/// Why the convolution cannot be transposed (S20) with these halo tiles, or an
/// empty string.
std::string findTransposedObstacle(ConvolutionOpInterface op,
                                   ArrayRef<int64_t> haloTile = {});

/// Products that one element sums up in a split-K slice, including zeros after
/// the end of the reduction; 0 if the reduction cannot be split.
int64_t getSliceSize(ConvolutionOpInterface op, const PlanOptions &options);

} // namespace mlir::conv

#endif // CONV_PLAN_CONVOLUTIONPLAN_H
