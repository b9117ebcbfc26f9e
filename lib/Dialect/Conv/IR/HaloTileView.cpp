//===- HaloTileView.cpp - positions that are numbered halo tile by halo tile
//-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the digits that `PlanOptions::halo tile` makes of positions `(n, p,
// q)`: an image, two halo tiles, two blocks in a halo tile, and two places in a
// block; and those that it makes of the columns `(r, s, c)` of the gradient of
// a filter: a line of taps, a row of channels, a tap of the line, and a place
// in the row. Without halo tiles, `PlanOptions::hasChannelRows` makes of
// channels the last two digits of the columns: a row, and a place in it.
//
//===----------------------------------------------------------------------===//

#include "HaloTileView.h"

#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBlockSize = PlanOptions::kBlockSize;
static constexpr size_t kHaloTiles = 1, kBlocks = 3, kPlaces = 5, kDigits = 7;
static constexpr int64_t kRowSize = PlanOptions::kRowSize;
static constexpr size_t kLine = 0, kRow = 1, kTap = 2, kInRow = 3,
                        kColumnDigits = 4;

SmallVector<int64_t> mlir::conv::getHaloTile(ArrayRef<int64_t> digits) {
  if (digits.size() != kDigits || digits[kPlaces] != kBlockSize ||
      digits[kPlaces + 1] != kBlockSize)
    return {};
  return {digits[kBlocks] * kBlockSize, digits[kBlocks + 1] * kBlockSize};
}

namespace {
/// A digit of a view without halo tiles: coordinates have the coefficients of
/// digit `from` of the view with them.
struct Digit {
  size_t from;
  int64_t size;
};
} // namespace

/// Whether each coordinate counts `outer` as `times` as many as `inner`.
static bool isMultiple(ArrayRef<ViewAttr::Coordinate> coordinates, size_t outer,
                       size_t inner, int64_t times) {
  return llvm::all_of(coordinates, [&](const ViewAttr::Coordinate &coordinate) {
    return coordinate.coefficients[outer] ==
           times * coordinate.coefficients[inner];
  });
}

/// Positions in order, whose digits start at `first`; nothing if coordinates do
/// not count them.
static std::optional<SmallVector<Digit>>
joinPositions(ArrayRef<ViewAttr::Coordinate> coordinates,
              ArrayRef<int64_t> digits, size_t first) {
  SmallVector<int64_t> haloTile = getHaloTile(digits);
  SmallVector<Digit> joined = {{first, digits.front()}};
  for (size_t d : {0, 1}) {
    size_t place = first + kPlaces + d;
    if (!isMultiple(coordinates, first + kBlocks + d, place, kBlockSize) ||
        !isMultiple(coordinates, first + kHaloTiles + d, place, haloTile[d]))
      return std::nullopt;
    joined.push_back({place, digits[kHaloTiles + d] * haloTile[d]});
  }
  return joined;
}

/// Channels in order, whose row and place in it are digits `row` and `place`.
static std::optional<Digit> joinRow(ArrayRef<ViewAttr::Coordinate> coordinates,
                                    ArrayRef<int64_t> digits, size_t first,
                                    size_t row, size_t place) {
  if (digits[place] != kRowSize ||
      !isMultiple(coordinates, first + row, first + place, kRowSize))
    return std::nullopt;
  return Digit{first + place, digits[row] * kRowSize};
}

/// The same for columns: taps, and then channels.
static std::optional<SmallVector<Digit>>
joinChannels(ArrayRef<ViewAttr::Coordinate> coordinates,
             ArrayRef<int64_t> digits, size_t first) {
  if (digits.size() != kColumnDigits)
    return std::nullopt;
  auto channels = joinRow(coordinates, digits, first, kRow, kInRow);
  if (!channels)
    return std::nullopt;
  return SmallVector<Digit>{
      {first + kLine, digits[kLine]}, {first + kTap, digits[kTap]}, *channels};
}

/// Digits as they are.
static SmallVector<Digit> keepDigits(ArrayRef<int64_t> digits, size_t first) {
  SmallVector<Digit> same;
  for (auto [i, size] : llvm::enumerate(digits))
    same.push_back({first + i, size});
  return same;
}

/// Digits without halo tiles, of which the last may be channels in rows.
static SmallVector<Digit>
joinLastRow(ArrayRef<ViewAttr::Coordinate> coordinates,
            ArrayRef<int64_t> digits, size_t first) {
  if (digits.size() < 2)
    return keepDigits(digits, first);
  size_t row = digits.size() - 2;
  auto channels = joinRow(coordinates, digits, first, row, row + 1);
  if (!channels)
    return keepDigits(digits, first);
  SmallVector<Digit> joined = keepDigits(digits.take_front(row), first);
  joined.push_back(*channels);
  return joined;
}

ViewAttr mlir::conv::removeHaloTiles(ViewAttr view) {
  MLIRContext *context = view.getContext();
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  // Rows of a right operand are the columns.
  bool hasHaloTileReduction = !getHaloTile(view.getColumns()).empty();
  auto join = [&](ArrayRef<int64_t> digits, size_t first,
                  bool areRows) -> std::optional<SmallVector<Digit>> {
    if (!getHaloTile(digits).empty())
      return joinPositions(coordinates, digits, first);
    if (!areRows)
      return keepDigits(digits, first);
    return hasHaloTileReduction && digits.size() > 1
               ? joinChannels(coordinates, digits, first)
               : joinLastRow(coordinates, digits, first);
  };

  SmallVector<AffineExpr> results;
  for (const ViewAttr::Coordinate &coordinate : coordinates)
    results.push_back(getAffineConstantExpr(coordinate.constant, context));
  unsigned next = 0;
  size_t first = 0;
  std::array<SmallVector<int64_t>, 3> sizes;
  for (auto [i, digits] : llvm::enumerate(
           std::array{view.getBatch(), view.getRows(), view.getColumns()})) {
    auto joined = join(digits, first, i == 1);
    if (!joined)
      return nullptr;
    for (Digit digit : *joined) {
      AffineExpr dimension = getAffineDimExpr(next++, context);
      for (auto [result, coordinate] : llvm::zip(results, coordinates))
        result = result + dimension * coordinate.coefficients[digit.from];
      sizes[i].push_back(digit.size);
    }
    first += digits.size();
  }
  return ViewAttr::get(context, sizes[0], sizes[1], sizes[2],
                       AffineMap::get(next, 0, results, context),
                       view.getLimits(), view.getPadding());
}
