//===- GeometryReader.h - roles of a product as boxes -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks up the digits of a product by their roles: images and positions, which
// the window moves over, taps and a channel, which it sees, and the group. What
// coordinates make of them is the window.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Reads one product; `obstacle` is the first thing that does not fit.
class GeometryReader {
public:
  GeometryReader(const ViewedTensor &lhs, const ViewedTensor &rhs,
                 const ViewedTensor &result, std::string &obstacle)
      : lhs(lhs), rhs(rhs), result(result), obstacle(obstacle) {}

  /// All but the filter, of 16-bit operands; and that with what the copy engine
  /// needs; and one of plain matrices.
  std::optional<TmaGeometry> readWindowed();
  std::optional<TmaGeometry> read();
  std::optional<TmaGeometry> readMatrices();

private:
  bool readProduct();
  bool readHaloTiles();
  bool readTypes();
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
  /// The digits that slices of an index are counted with.
  static DigitRole getSplit(DigitRole role) {
    return {role.letter, DigitPart::Split};
  }
  /// By how much a coordinate moves from one group to the next: there is no
  /// step to the next of one.
  int64_t getGroupStep(ViewAttr view,
                       const ViewAttr::Coordinate &coordinate) const;
  /// Whether only groups, an index, whose slices are `length` of it, and
  /// `others` move a coordinate.
  bool isMovedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                 DigitRole role, int64_t length,
                 ArrayRef<DigitRole> others = {}) const;
  /// The same of an index that counts the coordinate, without a constant.
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
  /// Adds a dimension of the filter, or two.
  void addCoordinate(TmaGeometry::Coordinate coordinate);

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  ViewedTensor lhs, rhs; ///< Positions are in order.
  const ViewedTensor &result;
  SmallVector<int64_t> haloTile;
  std::string &obstacle;
  size_t spatialRank;
  DigitRole image, channel, group;
  SmallVector<DigitRole> positions; ///< Of a dimension without any, no role.
  /// Digits of images, positions, taps and channels are in this order.
  bool areInOrder = true;
  TmaGeometry geometry;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_GEOMETRYREADER_H
