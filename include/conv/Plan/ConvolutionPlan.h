//===- ConvolutionPlan.h - a convolution as matrix products -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows which matrices a convolution multiplies, in every
// direction. Whoever chooses a schedule, and whoever lowers the op, asks here.
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

/// The sum of a product, if there is one, and of terms, written through a view
/// of the target.
struct PlanPart {
  /// Matrices that are added, in this order: views of intermediate tensors.
  struct Term {
    size_t intermediate;
    ViewAttr view;
  };
  std::optional<MatrixProduct> product = std::nullopt;
  SmallVector<Term, 0> terms = {};
  ViewAttr target;
  /// A vector with one element per channel of the result, as matrices of the
  /// target's sizes. Null where a result has no such vector.
  ViewAttr channels = {};
};

/// One kernel: parts that write different elements of one tensor.
struct PlanStep {
  SmallVector<PlanPart, 0> parts;
  /// The intermediate tensor that it writes, or none for the result: then the
  /// epilogue is applied to the sums.
  std::optional<size_t> intermediate = std::nullopt;
};

/// How many of what a plan puts together, or takes apart.
struct PlanOptions {
  /// Positions of a block in each dimension, and what sizes of halo tiles are
  /// multiples of.
  static constexpr int64_t kBlockSize = ::conv::TmaTile::kBlockSize;
  static constexpr size_t kHaloTileRank = 2;
  /// Channels of a row, where those of columns are numbered in rows.
  static constexpr int64_t kRowSize = ::conv::TmaTile::kRowElements;

  /// Groups whose channels are side by side in one matrix: divides the groups.
  int64_t mergedGroups = 1;
  /// Parts of the reduction, each a matrix of the batch, that a last step adds.
  int64_t splits = 1;
  /// Positions of a halo tile in each of the last two spatial dimensions. Then
  /// positions are numbered halo tile by halo tile, within it block by block,
  /// and positions after the last are not written. Empty for positions in
  /// order, as those of one dimension always are.
  SmallVector<int64_t, 2> haloTile = {};
  /// The dgrad phases of backward data are columns of one product, if they can
  /// be: without merged groups, if no strided dimension is dilated.
  bool joinsPhases = false;
  /// Columns of the gradient of a filter are taps and then channels, in whole
  /// rows of these for each tap, as copies of boxes bring them. Columns after
  /// a tap's last channel are not written. Split-K slices have rows innermost
  /// where the result has.
  bool hasChannelRows = false;
  /// Rows are channels of the result, columns its positions, and images the
  /// batch (S20). Of the gradient of a filter, rows are what windows see, and
  /// columns the channels of the other operand, which are fewer.
  bool transposed = false;
};

/// Kernels that one after the other compute a convolution.
struct ConvolutionPlan {
  /// Shapes of the intermediate tensors, whose elements are accumulators.
  SmallVector<SmallVector<int64_t>> intermediates;
  SmallVector<PlanStep, 0> steps;

  /// All parts with a product, and their steps.
  SmallVector<std::pair<const PlanStep *, const PlanPart *>>
  getProducts() const;
  /// The part with the largest product, or the first one if none has any.
  const PlanPart &getLargestProduct() const;
};

/// Plans a convolution:
///
///   * forward: rows are the output's pixels `(n, p, q)`, columns its channels;
///     the reduction is over the filter's elements.
///   * backward data: one part for each dgrad phase of the input's positions by
///     the strides. Positions of one dgrad phase meet the same filter elements,
///     so each product is dense: rows are the pixels `(n, h, w)` of that dgrad
///     phase, columns the input's channels, and the reduction is over those
///     filter elements and the output's channels. Positions that meet no filter
///     element are parts of zeros. Parts are in the order of their work, the
///     largest first, so that those at the end are short. Joined dgrad phases
///     are one product instead, with a column for each dgrad phase and channel;
///     its filter elements and positions go beyond the tensors where a dgrad
///     phase has fewer. With padding that is not zeros, this is the gradient of
///     the padded input, and one step per dimension folds what was padded onto
///     the elements that it was taken from.
///   * backward weight: rows are the output's channels, columns the filter's
///     elements `(r, s, c)`; the reduction is over the output's pixels. If
///     these have few channels, and there are no strides, rows are the input's
///     channels, columns `(r, s, k)`, and the reduction is over its pixels.
///
/// Pixels `(n, p, q)` are in order, or halo tile by halo tile. Then their
/// digits are, for halo tiles of 16 x 16, `(n, p / 16, q / 16)`, those of the
/// block in the halo tile, `(p / 8 % 2, q / 8 % 2)`, and those in the block,
/// `(p % 8, q % 8)`; of three dimensions, `z` follows the image. Columns of the
/// gradient of a filter are then `(r, c / 64, s, c % 64)`: the taps of a line,
/// which see the same halo tile, are neighbours. Transposed, rows are
/// `(c / 64, r, s, c % 64)`, and windows are on the tensor of more channels,
/// the input or the output: `k` in place of `c`. With rows of channels they are
/// `(r, s, c / 64, c % 64)`, where that is another order or number than that of
/// the filter's elements.
///
/// Groups are the batch, those of one merged set side by side in rows, columns
/// and reduction: elements of two different groups are zero or not written.
ConvolutionPlan planConvolution(ConvolutionOpInterface op,
                                const PlanOptions &options);

/// The options that a schedule asks for.
PlanOptions getPlanOptions(ScheduleAttr schedule);

/// The tensors of the product of a step's part, as its kernel sees them.
ViewedProduct getViewedProduct(ConvolutionOpInterface op,
                               const ConvolutionPlan &plan,
                               const PlanStep &step, const PlanPart &part);

/// The only product of a plan, if its kernel computes nothing else.
std::optional<ViewedProduct> getOnlyProduct(ConvolutionOpInterface op,
                                            const ConvolutionPlan &plan);

/// The digit of the reduction that is split: its size. With halo tiles in the
/// reduction, how many those are. Of several dgrad phases, the least size.
int64_t getSplittableSize(ConvolutionOpInterface op,
                          const PlanOptions &options = {});

/// Whether rows of channels would change how columns are numbered.
bool canHaveChannelRows(ConvolutionOpInterface op,
                        const PlanOptions &options = {});

/// Whether the convolution can be transposed (S20), with such halo tiles: why
/// not, or an empty string.
std::string findTransposedObstacle(ConvolutionOpInterface op,
                                   ArrayRef<int64_t> haloTile = {});

/// Products of an element in a split-K slice, zeros after the end of the
/// reduction included; 0 if the reduction cannot be split.
int64_t getPartSize(ConvolutionOpInterface op, const PlanOptions &options);

} // namespace mlir::conv

#endif // CONV_PLAN_CONVOLUTIONPLAN_H
