//===- InterleavedMatrices.cpp - matrices interleaved in memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of one tensor are interleaved if they differ only by the constant of
// the innermost coordinate, and by less than the distance between columns.
// Together they are a view with one more innermost digit.
//
//===----------------------------------------------------------------------===//

#include "InterleavedMatrices.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// The longest period; the elements of a period are in registers.
static constexpr int64_t kMostPeriod = 16;

/// The innermost coordinate of a view, if it is contiguous in memory and no
/// condition depends on its constant.
static std::optional<ViewAttr::Coordinate>
getInnermost(const MatrixOperand &matrix) {
  ViewAttr view = matrix.view;
  unsigned rank = view.getTensorRank();
  if (rank == 0 || matrix.strides.back() != 1 ||
      view.getPadding() != PaddingMode::Zeros)
    return std::nullopt;
  ViewAttr::Coordinate innermost = view.getCoordinates()[rank - 1];
  auto [low, high] = view.getRange(innermost);
  if (low < 0 || high >= matrix.getType().getShape().back())
    return std::nullopt;
  return innermost;
}

/// `view` with its innermost coordinate and its columns replaced.
static ViewAttr replaceInnermost(ViewAttr view, ArrayRef<int64_t> columns,
                                 unsigned dims, AffineExpr innermost) {
  SmallVector<AffineExpr> results = llvm::to_vector(view.getMap().getResults());
  results[view.getTensorRank() - 1] = innermost;
  return ViewAttr::get(view.getContext(), view.getBatch(), view.getRows(),
                       columns,
                       AffineMap::get(dims, 0, results, view.getContext()),
                       view.getLimits(), view.getPadding());
}

/// The view without the constant of the innermost coordinate, which all members
/// of a family have in common, and that constant.
static std::optional<std::pair<ViewAttr, int64_t>>
getFamily(const MatrixOperand &matrix) {
  std::optional<ViewAttr::Coordinate> innermost = getInnermost(matrix);
  if (!innermost)
    return std::nullopt;
  ViewAttr view = matrix.view;
  AffineMap map = view.getMap();
  AffineExpr expression = map.getResult(view.getTensorRank() - 1);
  ViewAttr family = replaceInnermost(view, view.getColumns(), map.getNumDims(),
                                     expression - innermost->constant);
  return std::pair(family, innermost->constant);
}

/// The distance between columns in the innermost coordinate, which the elements
/// of a period fill; 1 if they do not.
static int64_t computePeriod(const MatrixOperand &first, ViewAttr family) {
  ViewAttr::Coordinate innermost =
      family.getCoordinates()[family.getTensorRank() - 1];
  int64_t period = 0;
  for (auto [digits, step] :
       llvm::zip(family.getDigitSizes(), innermost.coefficients))
    if (digits > 1)
      period = std::gcd(period, step);
  // A tensor of one channel is all one period.
  int64_t size = first.getType().getShape().back();
  if (period == 0)
    period = size;
  auto [low, high] = family.getRange(innermost);
  bool isInside = low == 0 && high + period <= size;
  return isInside && period <= kMostPeriod ? period : 1;
}

/// The number of innermost digits of the columns that no coordinate depends on.
static unsigned countRepeatedDigits(ViewAttr view) {
  AffineMap map = view.getMap();
  unsigned digits = view.getColumns().size(), repeated = 0;
  while (repeated < digits &&
         !map.isFunctionOfDim(map.getNumDims() - 1 - repeated))
    ++repeated;
  return repeated;
}

/// All members of a family as one matrix, without the last `dropped` digits of
/// its columns.
static MatrixOperand join(const MatrixOperand &first, ViewAttr family,
                          int64_t period, unsigned dropped) {
  unsigned dims = family.getMap().getNumDims() - dropped;
  AffineExpr innermost = family.getMap().getResult(family.getTensorRank() - 1);
  SmallVector<int64_t> columns =
      llvm::to_vector(family.getColumns().drop_back(dropped));
  columns.push_back(period);
  AffineExpr place = getAffineDimExpr(dims, family.getContext());
  return {first.tensor,
          replaceInnermost(family, columns, dims + 1, innermost + place),
          first.strides};
}

/// The numbers of a family's matrices, by their place.
using Places = llvm::SmallMapVector<int64_t, size_t, 8>;

/// One access for all members of a family, if they are interleaved.
static std::optional<InterleavedMatrices> joinFamily(const MatrixOperand &first,
                                                     ViewAttr family,
                                                     const Places &places,
                                                     bool withGaps) {
  int64_t period = computePeriod(first, family);
  bool isWhole = withGaps || int64_t(places.size()) == period;
  bool isInside =
      llvm::all_of(places, [&](auto place) { return place.first < period; });
  if (period == 1 || !isWhole || !isInside)
    return std::nullopt;
  InterleavedMatrices joined{join(first, family, period, 0), {}, period};
  unsigned repeated = countRepeatedDigits(family);
  joined.compact = join(first, family, period, repeated);
  for (int64_t size : family.getColumns().take_back(repeated))
    joined.repeat *= size;
  for (auto [place, number] : places)
    joined.members.push_back({number, place});
  llvm::sort(joined.members, [](const auto &lhs, const auto &rhs) {
    return lhs.place < rhs.place;
  });
  return joined;
}

SmallVector<InterleavedMatrices, 0>
mlir::conv::interleave(ArrayRef<MatrixOperand> matrices, bool withGaps) {
  llvm::MapVector<std::pair<Value, ViewAttr>, Places> families;
  SmallVector<InterleavedMatrices, 0> result;
  for (auto [number, matrix] : llvm::enumerate(matrices)) {
    auto family = getFamily(matrix);
    bool isNew = family && families[{matrix.tensor, family->first}]
                               .try_emplace(family->second, number)
                               .second;
    if (!isNew)
      result.push_back({matrix, {{number}}});
  }
  for (auto &[key, places] : families) {
    const MatrixOperand &first = matrices[places.begin()->second];
    if (auto joined = joinFamily(first, key.second, places, withGaps))
      result.push_back(std::move(*joined));
    else
      for (auto [place, number] : places)
        result.push_back({matrices[number], {{number}}});
  }
  return result;
}
