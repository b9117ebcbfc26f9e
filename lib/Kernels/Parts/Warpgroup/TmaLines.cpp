//===- TmaLines.cpp - cache lines of copied rows ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine requests a row of a box one cache line at a time. Rows of one
// group of channels may start anywhere in a cache line.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

static constexpr int64_t kLineBytes = 128;

/// Average number of cache lines per row, for consecutive groups of
/// `groupBytes`. If rows are clipped, they end with their group.
static double countLines(int64_t groupBytes, bool isClipped) {
  int64_t lines = 0, rows = 0;
  // After this many groups, a group starts at a cache line again.
  for (int64_t group = 0; group < kLineBytes / Tile::kAccessBytes; ++group)
    for (int64_t row = 0; row < groupBytes; row += Tile::kRowBytes, ++rows) {
      int64_t bytes = isClipped ? std::min(groupBytes - row, Tile::kRowBytes)
                                : Tile::kRowBytes;
      int64_t inLine = (group * groupBytes + row) % kLineBytes;
      lines += llvm::divideCeil(inLine + bytes, kLineBytes);
    }
  return double(lines) / double(rows);
}

/// The average for a matrix, whose innermost dimension is one group.
static double countLines(const TmaMatrix &matrix, int64_t elementBytes) {
  return countLines(matrix.dimensions.back().size * elementBytes,
                    /*isClipped=*/true);
}

/// The average for the operand without a window in a reduction over positions.
static double countPositionLines(const TmaGeometry &geometry) {
  const TmaWindow &window = geometry.window;
  return countLines(geometry.leftShape.back() / window.groups *
                        geometry.elementBytes,
                    /*isClipped=*/window.groups == 1);
}

/// The average for the operand with the window. Boxes of halo tiles are clipped
/// at the end of a group.
static double countWindowLines(const TmaGeometry &geometry) {
  const TmaWindow &window = geometry.window;
  return countLines(window.channelsOfGroup() * geometry.elementBytes,
                    /*isClipped=*/window.groups == 1 ||
                        geometry.hasHaloTiles());
}

double TmaGeometry::getLeftLines() const {
  if (leftMatrix)
    return countLines(*leftMatrix, elementBytes);
  return reducesPositions && !areTapsRows ? countPositionLines(*this)
                                          : countWindowLines(*this);
}

double TmaGeometry::getRightLines() const {
  if (rightMatrix)
    return countLines(*rightMatrix, elementBytes);
  if (reducesPositions)
    return areTapsRows ? countPositionLines(*this) : countWindowLines(*this);
  const Coordinate &innermost = filter.back();
  return innermost.groupStep == 0
             ? countLines(innermost.size * elementBytes, /*isClipped=*/true)
             : countLines(innermost.groupStep * elementBytes,
                          /*isClipped=*/false);
}

bool TmaGeometry::haveGroupsSharedLines() const {
  return !reducesPositions && window.hasGroups() &&
         window.channelsOfGroup() * elementBytes % kLineBytes != 0;
}
