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

/// The longest period: the elements of a period are in registers, of all rows.
static constexpr int64_t kMostPeriod = 16;
/// The longest period in a stream, where registers have a few rows.
static constexpr int64_t kMostOfStream = 64;

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

namespace {
/// Matrices that differ only by their place in a period.
struct Family {
  ViewAttr first; ///< Has place 0.
  int64_t period; ///< 1 if they do not fill it.
};
} // namespace

/// The distance between columns and rows in the innermost coordinate.
static int64_t computeStep(const MatrixOperand &matrix,
                           const ViewAttr::Coordinate &innermost) {
  int64_t step = 0;
  for (auto [digits, distance] :
       llvm::zip(matrix.view.getDigitSizes(), innermost.coefficients))
    if (digits > 1)
      step = std::gcd(step, distance);
  // A tensor of one channel is all one period.
  return step == 0 ? matrix.getType().getShape().back() : step;
}

/// The family of a matrix, and its place, if its innermost coordinate is
/// contiguous in memory and no condition depends on the place. With windows,
/// elements may be outside of the tensor if all of their period are.
static std::optional<std::pair<Family, int64_t>>
getFamily(const MatrixOperand &matrix, bool withWindows) {
  ViewAttr view = matrix.view;
  unsigned rank = view.getTensorRank();
  if (rank == 0 || matrix.strides.back() != 1 ||
      view.getPadding() != PaddingMode::Zeros)
    return std::nullopt;
  ViewAttr::Coordinate innermost = view.getCoordinates()[rank - 1];
  int64_t size = matrix.getType().getShape().back(),
          step = computeStep(matrix, innermost), place = innermost.constant;
  bool isShort = step <= (withWindows ? kMostOfStream : kMostPeriod);
  auto createFamily = [&](int64_t period) {
    AffineMap map = view.getMap();
    ViewAttr first = replaceInnermost(view, view.getColumns(), map.getNumDims(),
                                      map.getResult(rank - 1) - place);
    return std::pair(Family{first, period}, place);
  };
  if (withWindows && isShort && step > 1 && size % step == 0) {
    place = llvm::mod(place, step);
    return createFamily(step);
  }
  auto [low, high] = view.getRange(innermost);
  if (low < 0 || high >= size)
    return std::nullopt;
  bool isWhole = low == place && high - place + step <= size;
  return createFamily(isWhole && isShort ? step : 1);
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
                                                     const Family &family,
                                                     const Places &places,
                                                     bool withGaps) {
  auto [view, period] = family;
  bool isWhole = withGaps || int64_t(places.size()) == period;
  bool isInside = llvm::all_of(
      places, [&](auto place) { return place.first < family.period; });
  if (period == 1 || !isWhole || !isInside)
    return std::nullopt;
  InterleavedMatrices joined{join(first, view, period, 0), {}, period};
  unsigned repeated = countRepeatedDigits(view);
  joined.compact = join(first, view, period, repeated);
  for (int64_t size : view.getColumns().take_back(repeated))
    joined.repeat *= size;
  for (auto [place, number] : places)
    joined.members.push_back({number, place});
  llvm::sort(joined.members, [](const auto &lhs, const auto &rhs) {
    return lhs.place < rhs.place;
  });
  return joined;
}

SmallVector<InterleavedMatrices, 0>
mlir::conv::interleave(ArrayRef<MatrixOperand> matrices, bool withGaps,
                       bool withWindows) {
  llvm::MapVector<std::pair<Value, ViewAttr>, std::pair<Family, Places>>
      families;
  SmallVector<InterleavedMatrices, 0> result;
  for (auto [number, matrix] : llvm::enumerate(matrices)) {
    auto found = getFamily(matrix, withWindows);
    bool isNew = false;
    if (found) {
      auto [family, place] = *found;
      auto &[known, places] =
          families.insert({{matrix.tensor, family.first}, {family, {}}})
              .first->second;
      isNew = places.try_emplace(place, number).second;
    }
    if (!isNew)
      result.push_back({matrix, {{number}}});
  }
  for (auto &[key, members] : families) {
    auto &[family, places] = members;
    const MatrixOperand &first = matrices[places.begin()->second];
    if (auto joined = joinFamily(first, family, places, withGaps))
      result.push_back(std::move(*joined));
    else
      for (auto [place, number] : places)
        result.push_back({matrices[number], {{number}}});
  }
  return result;
}
