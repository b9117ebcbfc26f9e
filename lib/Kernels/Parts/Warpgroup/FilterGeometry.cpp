//===- FilterGeometry.cpp - which digit counts which dimension ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One index counts each dimension of a filter: rows, a channel, groups, or a
// tap, to which a dgrad phase may be added.
//
//===----------------------------------------------------------------------===//

#include "GeometryReader.h"

#include "JoinedRows.h"
#include "conv/Dialect/Conv/IR/TensorMapLimits.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// After a group's channels, a row of the left operand may have channels of the
/// next group. The filter has zeros there if groups are a dimension.
void GeometryReader::addCoordinate(TmaGeometry::Coordinate coordinate) {
  using Coordinate = TmaGeometry::Coordinate;
  if (coordinate.index == Coordinate::Channel && coordinate.groupStep != 0 &&
      coordinate.groupStep % geometry.getRowElements() != 0) {
    int64_t groups = geometry.window.groups;
    geometry.filter.push_back({Coordinate::Group, 0, groups, 1, 0});
    coordinate.size /= groups;
    coordinate.groupStep = 0;
  }
  geometry.filter.push_back(coordinate);
}

/// Reads which index counts a dimension of the filter.
bool GeometryReader::readFilterDimension(const ViewAttr::Coordinate &coordinate,
                                         int64_t size) {
  using Coordinate = TmaGeometry::Coordinate;
  ViewAttr view = rhs.view;
  int64_t groupStep = getGroupStep(view, coordinate);
  DigitRole row = view.getRowRoles().back();
  if (view.getCoefficient(coordinate, row) == 1 &&
      view.isOnlyMovedBy(coordinate, {row, group})) {
    addCoordinate({Coordinate::Row, 0, size, 1, 0, groupStep});
    return true;
  }
  int64_t step = view.getCoefficient(coordinate, channel);
  if (step != 0 &&
      isMovedBy(view, coordinate, channel, geometry.channelsOfSlice)) {
    addCoordinate({Coordinate::Channel, spatialRank, size, step,
                   coordinate.constant, groupStep});
    return true;
  }
  if (groupStep == 1 && coordinate.constant == 0 &&
      view.isOnlyMovedBy(coordinate, group)) {
    addCoordinate({Coordinate::Group, 0, size, 1, 0});
    return true;
  }
  for (size_t d = 0; d < spatialRank && groupStep == 0; ++d) {
    DigitRole tap(kTaps[getAxis(d)]);
    std::optional<size_t> phase = findPhase(coordinate, getAxis(d));
    SmallVector<DigitRole> moving = {group, tap};
    if (phase)
      moving.push_back(view.getRowRoles()[*phase]);
    if (!view.isOnlyMovedBy(coordinate, moving))
      continue;
    addCoordinate({Coordinate::Tap, d, size,
                   view.getCoefficient(coordinate, tap), coordinate.constant, 0,
                   phase});
    return true;
  }
  return false;
}

/// The row digit that is added to the tap: a dgrad phase, or a gap if the
/// filter has one element.
std::optional<size_t>
GeometryReader::findPhase(const ViewAttr::Coordinate &coordinate,
                          unsigned axis) const {
  char position = kInputPositions[axis];
  for (auto [i, role] : llvm::enumerate(rhs.view.getRowRoles()))
    if ((role == DigitRole(position, DigitPart::Phase) ||
         role == DigitRole(position, DigitPart::Gap)) &&
        rhs.view.getCoefficient(coordinate, role) == 1)
      return i;
  return std::nullopt;
}

bool GeometryReader::readFilter() {
  using Coordinate = TmaGeometry::Coordinate;
  rhs = joinRows(rhs);
  ArrayRef<int64_t> rows = rhs.view.getRows();
  geometry.phases = llvm::to_vector(rows.drop_back());
  geometry.columnsOfPhase = rows.back();
  for (auto [coordinate, size] :
       llvm::zip(rhs.view.getCoordinates(), rhs.type.getShape()))
    if (!readFilterDimension(coordinate, size))
      return refuse("a filter of one digit in each dimension, but got another "
                    "view");
  if (!geometry.phases.empty() && !geometry.isRightTransposed())
    return refuse(
        "joined dgrad phases whose channels are innermost in the filter, "
        "but got others");
  if (geometry.filter.back().index == Coordinate::Tap)
    return refuse("channels innermost in the filter, but got another layout");
  return geometry.filter.size() <= kMaxMapRank ||
         refuse(llvm::formatv("a filter of at most {0} dimensions, but got {1}",
                              kMaxMapRank, geometry.filter.size()));
}
