//===- TmaGeometry.cpp - a product as copies of boxes -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a product whose geometry is known, and what the copy engine
// needs to know. `GeometryReader` reads the geometry from views.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include "GeometryReader.h"
#include "HaloTileView.h"
#include "MatrixGeometry.h"
#include "conv/Dialect/Conv/IR/TensorMapLimits.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

using Tile = ::conv::WarpgroupTile;

TmaGeometry::Loop TmaGeometry::getOuterLoop() const {
  if (reducesPositions || hasMatrices())
    return {segments, 1};
  if (hasHaloTiles())
    return {window.countHaloTilesOfWindow() * getChannelsOfHaloTiles(),
            getMultipliedElements()};
  return hasInnerTaps() ? Loop{channelsOfSlice, getRowElements()}
                        : Loop{window.countTaps(), 1};
}

int64_t TmaGeometry::getMultipliedElements() const {
  int64_t row = getRowElements();
  if (reducesPositions || hasMatrices())
    return row;
  // If halo tiles serve all taps, 96 channels are two rows of 48 instead of one
  // of 64 and one of 32. Then a few elements are copied twice, but none are
  // multiplied in vain. Kernels that keep the filter count rows of 64.
  bool areEven = hasHaloTiles() && !filter.empty();
  int64_t rows = areEven ? llvm::divideCeil(channelsOfSlice, row) : 1;
  int64_t ofAtom = Tile::kAtomBytes / elementBytes;
  return std::min<int64_t>(
      row, llvm::alignTo(llvm::divideCeil(channelsOfSlice, rows), ofAtom));
}

TmaGeometry::Loop TmaGeometry::getInnerLoop() const {
  if (reducesPositions || hasMatrices())
    return {segmentPositions, getRowElements()};
  if (hasHaloTiles())
    return {window.countTapsOfHaloTile(), 1};
  return hasInnerTaps() ? Loop{window.countTaps(), 1}
                        : Loop{channelsOfSlice, getRowElements()};
}

/// Instructions transpose 16-bit elements, and warps transpose f32. Blocks of
/// positions need 16-bit elements.
bool GeometryReader::checkElements() {
  bool isTransposed =
      geometry.isLeftTransposed() || geometry.isRightTransposed();
  bool hasBlocks = geometry.reducesPositions && geometry.hasHaloTiles();
  if (geometry.elementBytes == Tile::kElementBytes ||
      (!hasBlocks &&
       (!isTransposed || geometry.elementBytes == Tile::kConvertedBytes)))
    return true;
  return refuse(
      "operands of 16 bits, of f32 without halo tiles of a reduction, or "
      "with the reduction innermost, but got others");
}

bool GeometryReader::checkChannels() {
  const TmaWindow &window = geometry.window;
  int64_t alignment = Tile::kAccessBytes / geometry.elementBytes;
  int64_t rowElements = geometry.getRowElements();
  // Boxes start at multiples of a group's channels.
  int64_t channels = window.channelsOfGroup(), other;
  if (geometry.reducesPositions)
    other = geometry.leftShape.back() / window.groups;
  else if (const TmaGeometry::Coordinate &last = geometry.filter.back();
           last.groupStep != 0)
    other = last.groupStep;
  else
    other = last.size;
  if (channels % alignment || other % alignment)
    return refuse(formatv("channels that are multiples of {0}, but got {1} and "
                          "{2}",
                          alignment, channels, other));
  if (!geometry.reducesPositions && geometry.slices > 1 &&
      geometry.channelsOfSlice % rowElements)
    return refuse(formatv("slices of a multiple of {0} channels, but got {1}",
                          rowElements, geometry.channelsOfSlice));
  if (geometry.reducesPositions && !geometry.hasHaloTiles() &&
      window.countTaps() > 1 && geometry.columnsOfTap % Tile::kRowElements)
    return refuse(formatv("a multiple of {0} columns for each tap, but got "
                          "{1}",
                          Tile::kRowElements, geometry.columnsOfTap));
  if (!geometry.phases.empty() && geometry.columnsOfPhase % Tile::kRowElements)
    return refuse(
        formatv("a multiple of {0} columns of each dgrad phase, but got "
                "{1}",
                Tile::kRowElements, geometry.columnsOfPhase));
  return true;
}

std::string mlir::conv::checkTmaHaloTiles(const TmaGeometry &geometry) {
  // S14.
  const TmaWindow &window = geometry.window;
  if (window.rank() > TmaWindow::kHaloTileRank && window.groups > 1)
    return formatv("expects one group for halo tiles of volumes, but got {0}",
                   window.groups);
  for (auto [i, d] : llvm::enumerate(window.dimensions)) {
    if (!window.isInHaloTile(i))
      continue;
    if (d.stride != 1)
      return formatv(
          "expects a window that moves by 1 over halo tiles, but got {0}",
          d.stride);
    if (geometry.getHaloTileExtent(i) > kMaxBoxElements)
      return formatv("expects halo tiles of at most {0} elements with their "
                     "halos, but got {1}",
                     kMaxBoxElements, geometry.getHaloTileExtent(i));
    if (geometry.reducesPositions && window.haloTile[i] != Tile::kBlockSize)
      return formatv(
          "expects halo tiles of a reduction to have {0} positions a "
          "side, but got {1}",
          Tile::kBlockSize, window.haloTile[i]);
  }
  return "";
}

std::optional<TmaGeometry> GeometryReader::readWindowed() {
  if (!readProduct())
    return std::nullopt;
  if (int64_t groups = geometry.window.groups; groups > 1) {
    refuse(formatv("one group, but got {0}", groups));
    return std::nullopt;
  }
  if (geometry.elementBytes == Tile::kElementBytes)
    return geometry;
  refuse(formatv("operands of f16 or of bf16, but got {0}",
                 lhs.type.getElementType()));
  return std::nullopt;
}

std::optional<TmaGeometry> GeometryReader::read() {
  if (!readProduct() || (!geometry.reducesPositions && !readFilter()) ||
      !checkElements() || !checkChannels())
    return std::nullopt;
  obstacle = geometry.hasHaloTiles() ? checkTmaHaloTiles(geometry)
                                     : checkTmaWindow(geometry.window);
  if (!obstacle.empty())
    return std::nullopt;
  return geometry;
}

std::optional<TmaGeometry> GeometryReader::readMatrices() {
  geometry = {};
  if (!readTypes() || !checkSizes() ||
      !mlir::conv::readMatrices(lhs, rhs, geometry))
    return std::nullopt;
  return geometry;
}

/// Whether the left operand of a reduction over positions has the window, in
/// halo tiles.
static bool areTapsRows(const ViewedTensor &lhs, const ViewedTensor &rhs) {
  return llvm::is_contained(lhs.view.getColumnRoles(), DigitRole('n')) &&
         lhs.view.getRows().size() > 1 && rhs.view.getRows().size() == 1 &&
         !getHaloTile(lhs.view).empty();
}

std::optional<TmaGeometry>
mlir::conv::computeTmaGeometry(const ViewedTensor &lhs, const ViewedTensor &rhs,
                               const ViewedTensor &result,
                               std::string &obstacle) {
  if (areTapsRows(lhs, rhs)) {
    // Positions and windows are read the same way on either side.
    auto geometry = GeometryReader(rhs, lhs, result, obstacle).read();
    if (geometry)
      geometry->areTapsRows = true;
    return geometry;
  }
  if (auto geometry = GeometryReader(lhs, rhs, result, obstacle).read())
    return geometry;
  std::string other; // Obstacles of windows say more.
  return GeometryReader(lhs, rhs, result, other).readMatrices();
}

std::optional<TmaGeometry> mlir::conv::computeWindowGeometry(
    const ViewedTensor &lhs, const ViewedTensor &rhs,
    const ViewedTensor &result, std::string &obstacle) {
  return GeometryReader(lhs, rhs, result, obstacle).readWindowed();
}
