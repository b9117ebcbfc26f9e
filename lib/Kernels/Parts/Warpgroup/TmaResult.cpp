//===- TmaResult.cpp - how results are stored -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy writes 64 rows of a tile. If these rows are not adjacent in memory,
// the copy engine can still find them as it finds the positions of a window: it
// then moves from image to image and from line to line by itself.
//
//===----------------------------------------------------------------------===//

#include "HaloTileView.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether the result has the elements of the tensor in the same order: group
/// by group if groups have rows of their own, else row by row of all groups.
static bool isMatrix(const ViewedTensor &result, bool hasRowsOfGroups) {
  SmallVector<int64_t> sizes = result.view.getDigitSizes();
  // The memory strides of the digits, compared with a matrix's strides.
  SmallVector<int64_t> distances = getDistances(result);
  if (!hasRowsOfGroups) {
    size_t batch = result.view.getBatch().size();
    size_t last = batch + result.view.getRows().size();
    for (SmallVector<int64_t> *list : {&sizes, &distances})
      std::rotate(list->begin(), list->begin() + batch, list->begin() + last);
  }
  int64_t expected = 1;
  for (auto [size, distance] : llvm::reverse(llvm::zip(sizes, distances))) {
    if (size != 1 && distance != expected)
      return false;
    expected *= size;
  }
  return getStart(result) == 0 && expected == result.type.getNumElements();
}

/// The window whose positions are the rows: images outermost, channels
/// innermost, and between them pixels that may be strided.
static std::optional<TmaWindow> readPositions(const ViewedTensor &result) {
  ViewAttr view = result.view;
  ArrayRef<int64_t> shape = result.type.getShape();
  ArrayRef<int64_t> columns = view.getColumns();
  SmallVector<DigitRole> roles(view.getRowRoles());
  llvm::append_range(roles, view.getColumnRoles());
  if (shape.size() < 3 || roles.size() != shape.size() || columns.size() != 1 ||
      result.strides != computeContiguousStrides(shape))
    return std::nullopt;
  DigitRole group = view.getBatchRoles().back();
  int64_t groups = view.getSize(group);
  if (columns.front() * groups != shape.back())
    return std::nullopt;
  TmaWindow window{shape.front(), shape.back(), {}, {}, groups};
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  for (auto [i, role] : llvm::enumerate(roles)) {
    const ViewAttr::Coordinate &coordinate = coordinates[i];
    bool isChannel = i + 1 == shape.size(), isSpatial = i != 0 && !isChannel;
    int64_t step = view.getCoefficient(coordinate, role);
    int64_t groupStep = isChannel ? columns.front() : 0;
    if (!view.isOnlyMovedBy(coordinate, {role, group}) || step <= 0 ||
        (groups > 1 && view.getCoefficient(coordinate, group) != groupStep) ||
        (!isSpatial && (step != 1 || coordinate.constant != 0)))
      return std::nullopt;
    if (isSpatial)
      window.dimensions.push_back({shape[i], view.getSize(role), /*taps=*/1,
                                   step, /*dilation=*/1, -coordinate.constant,
                                   /*isReversed=*/false});
  }
  return window;
}

/// The window for rows that are numbered halo tile by halo tile; their pixels
/// are adjacent.
static std::optional<TmaWindow> readHaloTiles(ViewedTensor result) {
  SmallVector<int64_t> haloTile = getHaloTile(result.view);
  result.view = joinTiles(result.view);
  if (haloTile.empty() || !result.view || !isClipped(result))
    return std::nullopt;
  std::optional<TmaWindow> window = readPositions(result);
  if (!window || window->dimensions.size() != haloTile.size() ||
      llvm::any_of(window->dimensions,
                   [](const auto &d) { return d.stride != 1 || d.low != 0; }))
    return std::nullopt;
  window->haloTile = haloTile;
  return window;
}

bool mlir::conv::hasBoxesOf(const ViewedTensor &operand,
                            const ViewedTensor &result) {
  return result.view.getBatch().back() == 1 && operand.view == result.view &&
         operand.type == result.type && operand.strides == result.strides;
}

TmaResult mlir::conv::computeTmaResult(const ViewedTensor &result) {
  using Form = TmaResult::Form;
  auto [batch, rows, columns] = result.view.getShape();
  TmaResult computed{Form::Lanes, rows, columns, {}};
  computed.groups = result.view.getBatch().back();
  int64_t elementBytes = getElementBytes(result.type);
  if (batch != computed.groups ||
      columns * elementBytes % ::conv::WarpgroupTile::kAccessBytes)
    return computed;
  if (std::optional<TmaWindow> window = readHaloTiles(result)) {
    computed.form = Form::HaloTiles;
    computed.window = *window;
  } else if (!result.view.getLimits().empty()) {
    return computed;
  } else if (isMatrix(result, /*hasRowsOfGroups=*/false)) {
    computed.form = Form::Matrix;
  } else if (isMatrix(result, /*hasRowsOfGroups=*/true)) {
    computed.form = Form::Matrix;
    computed.hasRowsOfGroups = true;
  } else if (std::optional<TmaWindow> window = readPositions(result);
             window && checkTmaWindow(*window).empty()) {
    computed.form = Form::Positions;
    computed.window = *window;
  }
  return computed;
}
