//===- HaloTileView.cpp - positions that are numbered halo tile by halo tile
//-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the digits that `PlanOptions::haloTile` makes of positions `(n, p, q)`
// or `(n, z, p, q)`: an image, or an image and a layer of it, two halo tiles,
// two blocks in a halo tile, and two places in a block; and those that it makes
// of the columns `(r, s, c)` or `(t, r, s, c)` of the gradient of a filter: a
// line of taps, a row of channels, a tap of the line, and a place in the row.
// Without halo tiles, `PlanOptions::hasChannelRows` makes of channels the last
// two digits of the columns: a row, and a place in it.
//
//===----------------------------------------------------------------------===//

#include "HaloTileView.h"

#include "conv/Plan/ConvolutionPlan.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBlockSize = PlanOptions::kBlockSize;
static constexpr int64_t kRowSize = PlanOptions::kRowSize;
/// Digits behind those of images and layers, from the end: of halo tiles, of
/// blocks and of places.
static constexpr size_t kHaloTiles = 6, kBlocks = 4, kPlaces = 2;
/// The same behind those of lines of taps.
static constexpr size_t kRow = 3, kTap = 2, kInRow = 1;
/// Those of images and layers, or of lines of taps.
static constexpr size_t kMaxOuterDigits = 2;

/// Whether there are digits before the last `inner` ones, and not too many.
static bool hasOuterDigits(ArrayRef<int64_t> digits, size_t inner) {
  return digits.size() > inner && digits.size() <= inner + kMaxOuterDigits;
}

SmallVector<int64_t> mlir::conv::getHaloTile(ArrayRef<int64_t> digits) {
  if (!hasOuterDigits(digits, kHaloTiles))
    return {};
  ArrayRef<int64_t> blocks = digits.take_back(kBlocks).drop_back(kPlaces);
  if (llvm::any_of(digits.take_back(kPlaces),
                   [](int64_t size) { return size != kBlockSize; }))
    return {};
  // Of layers, it has one.
  SmallVector<int64_t> haloTile(digits.size() - kHaloTiles - 1, 1);
  for (int64_t count : blocks)
    haloTile.push_back(count * kBlockSize);
  return haloTile;
}

namespace {
/// A digit of a view without halo tiles: coordinates have the coefficients of
/// digit `from` of the view with them.
struct Digit {
  size_t from;
  int64_t size;
};
} // namespace

/// Digits as they are.
static SmallVector<Digit> keepDigits(ArrayRef<int64_t> digits, size_t first) {
  SmallVector<Digit> same;
  for (auto [i, size] : llvm::enumerate(digits))
    same.push_back({first + i, size});
  return same;
}

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
  size_t outer = digits.size() - kHaloTiles;
  SmallVector<Digit> joined = keepDigits(digits.take_front(outer), first);
  size_t end = first + digits.size();
  for (auto [d, size] :
       llvm::enumerate(ArrayRef(haloTile).drop_front(outer - 1))) {
    size_t place = end - kPlaces + d;
    if (!isMultiple(coordinates, end - kBlocks + d, place, kBlockSize) ||
        !isMultiple(coordinates, end - kHaloTiles + d, place, size))
      return std::nullopt;
    joined.push_back({place, digits[outer + d] * size});
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
  if (!hasOuterDigits(digits, kRow))
    return std::nullopt;
  size_t size = digits.size();
  auto channels =
      joinRow(coordinates, digits, first, size - kRow, size - kInRow);
  if (!channels)
    return std::nullopt;
  SmallVector<Digit> joined = keepDigits(digits.drop_back(kRow), first);
  joined.push_back({first + size - kTap, digits[size - kTap]});
  joined.push_back(*channels);
  return joined;
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
