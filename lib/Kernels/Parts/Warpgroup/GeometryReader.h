//===- GeometryReader.h - roles of a product as boxes -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the digits of a product by their roles: images and positions, over
// which the window moves; taps and a channel, which the window sees; and the
// group. How coordinates combine these digits describes the window.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Reads one product. `obstacle` is the first property that does not fit.
class GeometryReader {
public:
  GeometryReader(const ViewedTensor &lhs, const ViewedTensor &rhs,
                 const ViewedTensor &result, std::string &obstacle)
      : lhs(lhs), rhs(rhs), result(result), obstacle(obstacle) {}

  /// Three readings: everything but the filter, of 16-bit operands; the same
  /// and what the copy engine needs; and a product of matrices.
  std::optional<TmaGeometry> readWindowed();
  std::optional<TmaGeometry> read();
  std::optional<TmaGeometry> readMatrices();

private:
  bool readProduct();
  bool readHaloTiles();
  bool readTypes();
  bool checkSizes();
  bool checkConditions();
  bool readRoles();
  bool readWindow();
  bool readDimension(size_t dimension);
  bool readFilter();
  bool readPositions();
  bool checkElements();
  bool checkChannels();

  const ViewedTensor &getWindow() const {
    return geometry.reducesPositions ? rhs : lhs;
  }
  /// The role of the digit that counts the split-K slices of an index.
  static DigitRole getSplit(DigitRole role) {
    return {role.letter, DigitPart::Split};
  }
  /// By how much a coordinate moves from one group to the next; 0 if there is
  /// only one group.
  int64_t getGroupStep(ViewAttr view,
                       const ViewAttr::Coordinate &coordinate) const;
  /// Whether a coordinate is moved only by groups, by an index with split-K
  /// slices of `length`, and by `others`.
  bool isMovedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                 DigitRole role, int64_t length,
                 ArrayRef<DigitRole> others = {}) const;
  /// Whether one index counts the coordinate, without a constant, and only
  /// groups move it beside that.
  bool isCountedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                   DigitRole role, int64_t length) const;
  std::optional<size_t> findPhase(const ViewAttr::Coordinate &coordinate,
                                  unsigned axis) const;
  /// The axis of a spatial dimension (see `DigitRole::getAxis`).
  unsigned getAxis(size_t dimension) const {
    return kMaxSpatialRank - spatialRank + dimension;
  }
  bool readFilterDimension(const ViewAttr::Coordinate &coordinate,
                           int64_t size);
  /// Adds one dimension of the filter, or two if groups need their own.
  void addCoordinate(TmaGeometry::Coordinate coordinate);

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  ViewedTensor lhs, rhs; ///< Views joined over halo tiles.
  const ViewedTensor &result;
  SmallVector<int64_t> haloTile;
  std::string &obstacle;
  size_t spatialRank;
  DigitRole image, channel, group;
  SmallVector<DigitRole> positions; ///< No role if a dimension has none.
  /// Whether digits of images, positions, taps and channels are in this order.
  bool areInOrder = true;
  TmaGeometry geometry;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H
