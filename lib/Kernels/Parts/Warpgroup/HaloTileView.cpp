//===- HaloTileView.cpp - indices numbered by halo tile -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The digits of `PlanOptions::haloTile` and `PlanOptions::hasChannelRows`, by
// role: `p.tile`, `p.block` and `p.in` form the position `p`, and `c.tile` and
// `c.in` form the channel `c`.
//
//===----------------------------------------------------------------------===//

#include "HaloTileView.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<int64_t> mlir::conv::getHaloTile(ViewAttr view) {
  SmallVector<int64_t> haloTile;
  bool hasHaloTiles = false;
  for (DigitRole role : view.getRoles()) {
    if (!role.isPosition() ||
        (role.part != DigitPart::Whole && role.part != DigitPart::Tile))
      continue;
    // In a dimension that is not split (depth), this gives one layer.
    haloTile.push_back(view.getSize({role.letter, DigitPart::Block}) *
                       view.getSize({role.letter, DigitPart::In}));
    hasHaloTiles |= role.part == DigitPart::Tile;
  }
  return hasHaloTiles ? haloTile : SmallVector<int64_t>();
}

namespace {
/// A digit of the view without halo tiles. Its coefficients in coordinates are
/// the coefficients of digit `from` of the view with halo tiles.
struct Digit {
  unsigned from;
  int64_t size;
  DigitRole role;
};
} // namespace

/// The index whose innermost part is digit `in`, or none if coordinates do not
/// count its parts as one index.
static std::optional<Digit>
joinIndex(ViewAttr view, ArrayRef<ViewAttr::Coordinate> coordinates,
          unsigned in) {
  char letter = view.getRoles()[in].letter;
  Digit joined{in, view.getSize({letter, DigitPart::In}), letter};
  for (DigitPart part : {DigitPart::Block, DigitPart::Tile}) {
    std::optional<unsigned> outer = view.find({letter, part});
    if (!outer)
      continue;
    for (const ViewAttr::Coordinate &coordinate : coordinates)
      if (coordinate.coefficients[*outer] !=
          joined.size * coordinate.coefficients[in])
        return std::nullopt;
    joined.size *= view.getSize({letter, part});
  }
  return joined;
}

/// Whether the digits of an index end with the tiles of positions, then their
/// blocks, then the places in blocks, each in the same order. If so, positions
/// are in order once the tile and block digits are removed.
static bool arePositionsTogether(ArrayRef<DigitRole> roles) {
  SmallVector<DigitRole> positions;
  for (DigitPart part : {DigitPart::Tile, DigitPart::Block, DigitPart::In})
    for (DigitRole role : roles)
      if (role.isPosition() && role.part == DigitPart::In)
        positions.push_back({role.letter, part});
  return roles.take_back(positions.size()) == ArrayRef(positions);
}

/// For each index, the digits of the view without halo tiles.
static std::optional<std::array<SmallVector<Digit>, 3>>
joinDigits(ViewAttr view, ArrayRef<ViewAttr::Coordinate> coordinates) {
  std::array<SmallVector<Digit>, 3> joined;
  if (!arePositionsTogether(view.getRowRoles()) ||
      !arePositionsTogether(view.getColumnRoles()))
    return std::nullopt;
  unsigned number = 0;
  for (auto [list, sizes] :
       llvm::zip(joined, std::array{view.getBatch(), view.getRows(),
                                    view.getColumns()}))
    for (int64_t size : sizes) {
      DigitRole role = view.getRoles()[number];
      std::optional<Digit> digit = Digit{number, size, role};
      bool isOuter =
          role.part == DigitPart::Tile || role.part == DigitPart::Block;
      if (isOuter && !view.find({role.letter, DigitPart::In}))
        return std::nullopt;
      if (role.part == DigitPart::In)
        digit = joinIndex(view, coordinates, number);
      ++number;
      if (!digit)
        return std::nullopt;
      if (!isOuter)
        list.push_back(*digit);
    }
  return joined;
}

ViewAttr mlir::conv::joinTiles(ViewAttr view) {
  if (llvm::none_of(view.getRoles(), [](DigitRole role) {
        return role.part == DigitPart::Tile;
      }))
    return view;
  MLIRContext *context = view.getContext();
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  auto joined = joinDigits(view, coordinates);
  if (!joined)
    return nullptr;
  SmallVector<AffineExpr> results;
  for (const ViewAttr::Coordinate &coordinate : coordinates)
    results.push_back(getAffineConstantExpr(coordinate.constant, context));
  std::array<SmallVector<int64_t>, 3> sizes;
  SmallVector<DigitRole> roles;
  for (auto [list, digits] : llvm::zip(sizes, *joined))
    for (const Digit &digit : digits) {
      AffineExpr dimension = getAffineDimExpr(roles.size(), context);
      for (auto [result, coordinate] : llvm::zip(results, coordinates))
        result = result + dimension * coordinate.coefficients[digit.from];
      list.push_back(digit.size);
      roles.push_back(digit.role);
    }
  return ViewAttr::get(context, sizes[0], sizes[1], sizes[2], roles,
                       AffineMap::get(roles.size(), 0, results, context),
                       view.getLimits(), view.getPadding());
}
