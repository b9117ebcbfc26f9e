//===- Planner.h - how products are found -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward convolutions and gradients of filters are one product each
// (ConvolutionPlan.cpp); gradients of inputs are as many as strides have
// dgrad phases, and more (BackwardDataPlan.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_PLANNER_H
#define CONV_LIB_PLAN_PLANNER_H

#include "DgradPhase.h"
#include "IndexSpace.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// Plans one convolution. The result's padding may be that of another one:
/// backward data plans the gradient of the padded input first.
class Planner {
public:
  Planner(ConvolutionOpInterface op, const PlanOptions &options);

  ConvolutionPlan plan();
  int64_t getSplittableSize();
  int64_t getPartSize();
  bool canHaveChannelRows() const;

private:
  static constexpr StringLiteral kInputLetters = "DHW";
  static constexpr StringLiteral kFilterLetters = "TRS";
  static constexpr StringLiteral kPhaseLetters = "dhw";
  static constexpr StringLiteral kGapLetters = "lmo";
  static constexpr StringLiteral kOutputLetters = "ZPQ";

  /// The letters of `order` that are in `letters`; `innermost` last if it is.
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

  void planForward();
  void planBackwardData();
  void planBackwardWeight();
  void planOutputWindows();
  /// The operand of the gradient of a filter whose positions are summed up, and
  /// the one that windows see.
  struct GradientOperands {
    TensorRole dense, windows;
    StringRef denseOrder, windowsOrder;
  };
  void addGradient(const GradientOperands &operands);
  void planTransposed();
  /// Whether positions of a dgrad phase meet elements of the filter.
  static bool hasElements(ArrayRef<DgradPhase> phases) {
    return phases.back().count > 0;
  }
  void setPhaseSpace(ArrayRef<DgradPhase> phases);
  PlanPart planPhase(ArrayRef<DgradPhase> phases);
  void planPhases();
  /// Whether dgrad phases are joined: because the options ask for it, or
  /// because there are so many.
  bool joinsPhases() const;
  void setJoinedSpace();
  void shortenStrides();
  void planJoinedPhases();
  void planFold(int64_t d, size_t source, bool isLast);

  /// Sets the indices of the product, if there is only one. None are set of
  /// dgrad phases that are parts: each has a reduction of its own.
  bool setOnlySpace();
  int64_t getSplittableSizeOfPhases();
  /// The window as if the padded input were the input, if padding is not zeros.
  /// Returns the dimensions that it is folded along.
  SmallVector<int64_t> padInput();
  void setForwardSpace();
  void setBackwardWeightSpace();
  /// Whether windows of the gradient of a filter are on the output.
  bool hasOutputWindows() const;
  /// The rows and columns of the input, without a reduction.
  void setInputSpace();
  /// Whether copies of boxes need rows of channels for the columns of a
  /// gradient of a filter, and for joined dgrad phases.
  bool hasSeparateTaps() const;
  bool hasSeparatePhases() const;
  /// Whether columns are numbered in rows of channels.
  bool hasChannelRows() const {
    return options.hasChannelRows && canHaveChannelRows();
  }
  /// Sets the input's positions from those of output and filter.
  void setInputPositions();

  /// Takes the product of a part whose space is split, for the step before: the
  /// part adds up its terms.
  void splitProduct(PlanPart &part);
  /// Whether neighbours of the result in memory are in one column.
  bool hasRowsInnermost() const;
  /// Adds a step for parts of the target, after one for products that were
  /// taken from them.
  void addProducts(SmallVector<PlanPart, 0> parts);
  void addProduct(PlanPart part);
  void addStep(SmallVector<PlanPart, 0> parts,
               std::optional<size_t> intermediate);
  size_t addIntermediate(ArrayRef<int64_t> shape);

  Direction direction;
  LayoutsAttr layouts;
  ConvolutionShape shape;
  PaddingMode padding;
  PlanOptions options;
  int64_t rank;
  IndexSpace space;
  /// What the products write: an intermediate tensor, or the result.
  std::optional<size_t> target;
  /// Products that are split, the largest first, and the intermediate tensor
  /// that they write, each its own matrices.
  SmallVector<PlanPart, 0> splitProducts;
  std::optional<size_t> sums;
  ConvolutionPlan result;
};

/// Multiplications for each column of a part.
double countProducts(const PlanPart &part);

/// Inserts a part before those with smaller products.
void insertByWork(PlanPart part, SmallVector<PlanPart, 0> &parts);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_PLANNER_H
