//===- Planner.h - plans the products of a convolution ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward convolutions and weight gradients are one product each (Planner.cpp);
// data gradients have one product per dgrad phase of the strides, and further
// steps (BackwardDataPlan.cpp), or one of all phases (JoinedPhases.cpp).
// Transposed products are in TransposedPlan.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_PLANNER_H
#define CONV_LIB_PLAN_PLANNER_H

#include "DgradPhase.h"
#include "IndexSpace.h"
#include "LiveTaps.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// Plans one convolution, of the taps that meet the image if the padding is
/// zeros. The padding of the result may differ from the op's: backward data
/// plans the gradient of the padded input first.
class Planner {
public:
  Planner(ConvolutionOpInterface op, const PlanOptions &options);

  ConvolutionPlan plan();
  bool canSplit();
  std::string findSplitObstacle();
  int64_t getSplittableSize();
  int64_t getSliceSize();
  bool canHaveChannelRows() const;
  /// Whether warpgroups would store split-K slices with rows innermost.
  bool canTurnSlices() const;

private:
  /// A planner of an op that has this shape.
  Planner(ConvolutionOpInterface op, const ConvolutionShape &whole,
          const PlanOptions &options);

  static constexpr StringLiteral kInputLetters = "DHW";
  static constexpr StringLiteral kFilterLetters = "TRS";
  static constexpr StringLiteral kPhaseLetters = "dhw";
  static constexpr StringLiteral kGapLetters = "lmo";
  static constexpr StringLiteral kOutputLetters = "ZPQ";

  /// The letters of `order` that are in `letters`; `innermost`, if set, last.
  static std::string select(StringRef order, StringRef letters,
                            char innermost = 0);
  /// The letter of spatial dimension `d`, outermost first.
  char letter(StringRef letters, int64_t d) const {
    return letters.take_back(rank)[d];
  }
  std::string spatial(StringRef letters) const {
    return letters.take_back(rank).str();
  }
  std::string letters(char first, StringRef others) const {
    return first + spatial(others);
  }
  /// The letters of the dimensions of a halo tile.
  static std::string haloTilePositions(StringRef letters) {
    return letters.take_back(PlanOptions::kHaloTileRank).str();
  }

  void setTaps(int64_t d, TapRange taps);
  void planForward();
  void planBackwardData();
  void planBackwardWeight();
  void planOutputWindows();
  /// The operand of a weight gradient whose positions are summed up, and the
  /// operand that windows move over.
  struct GradientOperands {
    TensorRole dense, windows;
    StringRef denseOrder, windowsOrder;
  };
  void addGradient(const GradientOperands &operands);
  /// Adds boxes of zeros for the taps of a weight gradient that are not live.
  void addDeadTaps(SmallVector<PlanSubproblem, 0> &subproblems);
  void planTransposed();
  /// Whether positions of a dgrad phase meet elements of the filter.
  static bool hasElements(ArrayRef<DgradPhase> phases) {
    return phases.back().count > 0;
  }
  void setPhaseSpace(ArrayRef<DgradPhase> phases);
  /// The output's channels that follow each other in the reduction of a dgrad
  /// phase before another tap does; 0 if taps or all channels are innermost.
  int64_t getReducedRow() const;
  PlanSubproblem planPhase(ArrayRef<DgradPhase> phases);
  void planPhases();
  /// Whether dgrad phases are joined, because the options ask for it or because
  /// there are too many.
  bool joinsPhases() const;
  void setJoinedSpace();
  void shortenStrides();
  void planJoinedPhases();
  void planFold(int64_t d, size_t source, bool isLast);

  /// Sets the indices of the product if there is only one. Dgrad phases that
  /// are separate subproblems set none: each has a reduction of its own.
  bool setOnlySpace();
  /// The least number over all dgrad phases.
  int64_t getLeastOfPhases(function_ref<int64_t(const IndexSpace &)> get);
  /// If the padding is not zeros, changes the shape to that of the padded input
  /// and returns the dimensions along which it is folded.
  SmallVector<int64_t> padInput();
  void setForwardSpace();
  void setBackwardWeightSpace();
  /// Whether the windows of a weight gradient move over the output.
  bool hasOutputWindows() const;
  /// Sets the rows and columns of the input, without a reduction.
  void setInputSpace();
  /// The channels of a channel row of a weight gradient.
  int64_t getChannelRow() const;
  /// Whether tensor copies need channel rows for the columns of a weight
  /// gradient, and for joined dgrad phases.
  bool hasSeparateTaps() const;
  bool hasSeparatePhases() const;
  /// Whether columns are numbered by channel rows.
  bool hasChannelRows() const {
    return options.hasChannelRows && canHaveChannelRows();
  }
  /// Computes the input's positions from those of output and filter.
  void setInputPositions();

  /// Moves the product of a subproblem whose reduction is split to the step
  /// before; the subproblem then adds up the split-K slices as terms.
  void splitProduct(PlanSubproblem &subproblem);
  /// Whether contiguous elements of the result are in one column.
  bool hasRowsInnermost() const;
  /// Adds a step for the subproblems of the target, after a step for the split
  /// products that were moved out of them.
  void addProducts(SmallVector<PlanSubproblem, 0> subproblems);
  void addProduct(PlanSubproblem subproblem);
  void addStep(SmallVector<PlanSubproblem, 0> subproblems,
               std::optional<size_t> intermediate);
  size_t addIntermediate(ArrayRef<int64_t> shape);

  Direction direction;
  LayoutsAttr layouts;
  SmallVector<int64_t, 3> filter; ///< All taps.
  SmallVector<TapRange, 3> live;  ///< The taps that are multiplied.
  ConvolutionShape shape;         ///< Of live taps.
  PaddingMode padding;
  PlanOptions options;
  int64_t rank;
  int64_t elementBytes; ///< Of the operands.
  int64_t mostRowBytes; ///< Of channels that are reduced between taps.
  IndexSpace space;
  /// What the products write: an intermediate tensor, or the result.
  std::optional<size_t> target;
  /// Split products, the largest first, and the intermediate tensor that they
  /// write, each into its own matrices.
  SmallVector<PlanSubproblem, 0> splitProducts;
  std::optional<size_t> sums;
  ConvolutionPlan result;
};

/// Multiplications for each column of a subproblem.
double countProducts(const PlanSubproblem &subproblem);

/// Inserts a subproblem before those with smaller products.
void insertByWork(PlanSubproblem subproblem,
                  SmallVector<PlanSubproblem, 0> &subproblems);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_PLANNER_H
