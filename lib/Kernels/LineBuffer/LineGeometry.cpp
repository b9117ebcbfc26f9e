//===- LineGeometry.cpp - a product as a line buffer ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduces the window of a product, which has any number of dimensions, to lines
// and a vertical dimension. One spatial dimension is images of one line.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/LineBuffer/LineGeometry.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

static ::conv::LineWindow::Dimension
getDimension(const TmaWindow::Dimension &d) {
  return {d.extent,   d.positions, d.taps,      d.stride,
          d.dilation, d.low,       d.isReversed};
}

static ::conv::LineWindow getLineWindow(const TmaWindow &window) {
  ::conv::LineWindow lines;
  lines.images = window.images;
  lines.channels = window.channels;
  lines.horizontal = getDimension(window.dimensions.back());
  if (window.rank() == 2)
    lines.vertical = getDimension(window.dimensions.front());
  return lines;
}

std::optional<LineGeometry> mlir::conv::computeLineGeometry(
    const ViewedTensor &lhs, const ViewedTensor &rhs,
    const ViewedTensor &result, std::string &obstacle) {
  std::optional<TmaGeometry> product =
      computeWindowGeometry(lhs, rhs, result, obstacle);
  if (!product)
    return std::nullopt;
  auto refuse = [&](const std::string &expected) {
    obstacle = "expects " + expected;
    return std::nullopt;
  };
  if (!product->reducesPositions && product->slices > 1)
    return refuse(formatv("1 split, but got {0}", product->slices));
  constexpr int64_t kAccess =
      ::conv::LineWindow::kAccessBytes / ::conv::WarpgroupTile::kElementBytes;
  if (product->reducesPositions && product->leftShape.back() % kAccess)
    return refuse(formatv("a left operand with a multiple of {0} channels, but "
                          "got {1}",
                          kAccess, product->leftShape.back()));
  if (product->window.rank() > 2)
    return refuse(formatv("1 or 2 spatial dimensions, but got {0}",
                          product->window.rank()));
  LineGeometry geometry{*product, getLineWindow(product->window),
                        computeTmaResult(result)};
  const ::conv::LineWindow &window = geometry.window;
  if (window.images > 1 && window.linesToNextImage() < 0)
    return refuse("windows that start before the end of the image, but got "
                  "others");
  return geometry;
}

::conv::LineTile mlir::conv::getLineTile(ScheduleAttr schedule,
                                         const LineGeometry &geometry) {
  return {getWarpgroupTile(schedule, geometry.product), geometry.window};
}

::conv::LineGradientTile
mlir::conv::getLineGradientTile(ScheduleAttr schedule,
                                const LineGeometry &geometry) {
  return {getWarpgroupTile(schedule, geometry.product), geometry.window,
          geometry.product.segmentPositions};
}

static std::string explainGroups(const ::conv::LineWindow &window) {
  return formatv("expects windows of at most {0} groups of elements next to "
                 "each other, but got {1}",
                 window.kMaxGroups, window.countGroups());
}

static std::string explainReach(const ::conv::LineWindow &window,
                                int64_t most) {
  return formatv("expects windows that reach at most {0} bytes beyond a line,"
                 " but got {1}",
                 most, window.reachBytes());
}

static std::string checkTile(const ::conv::LineTile &tile, int64_t columns,
                             const ::conv::ChipInfo &chip) {
  std::optional<::conv::TileLimit> limit =
      tile.findExceeded(columns, chip.sharedMemoryBytes);
  if (!limit)
    return "";
  if (*limit == ::conv::TileLimit::Groups)
    return explainGroups(tile.window);
  if (*limit == ::conv::TileLimit::Reach)
    return explainReach(tile.window, tile.maxReachBytes());
  return explainExceeded(tile, *limit, columns, chip.sharedMemoryBytes);
}

static std::string checkTile(const ::conv::LineGradientTile &tile,
                             int64_t columns, const ::conv::ChipInfo &chip) {
  std::optional<::conv::TileLimit> limit =
      tile.findExceeded(columns, chip.sharedMemoryBytes);
  if (!limit)
    return "";
  const ::conv::WarpgroupTile &sizes = tile.tile;
  switch (*limit) {
  case ::conv::TileLimit::Workgroup:
    return formatv("expects 1 warpgroup, and at most {0} columns and {1} "
                   "accumulators of a lane, for positions that are reduced, "
                   "but got {2}, {3} and {4}",
                   sizes.maxColumns(), sizes.maxAccumulators(), sizes.consumers,
                   sizes.columns, sizes.accumulators());
  case ::conv::TileLimit::Columns:
    return formatv("expects tiles of a multiple of {0} columns, of which as "
                   "many have {1} as have {2} in groups, but got {3}",
                   sizes.kRowElements, columns, tile.usedColumns(),
                   sizes.columns);
  case ::conv::TileLimit::Stages:
    return formatv("expects a multiple of {0} stages for positions that are "
                   "reduced, but got {1}",
                   tile.kIm2colWarpgroups, sizes.stages);
  case ::conv::TileLimit::Groups:
    return explainGroups(tile.window);
  case ::conv::TileLimit::Reach:
    return explainReach(tile.window, tile.linesOffset());
  case ::conv::TileLimit::SharedMemory:
    return formatv("expects {0} stages of {1} bytes of tiles and {2} bytes of "
                   "lines to fit {3} bytes of shared memory, but got more",
                   sizes.stages, sizes.stageBytes(), tile.linesBytes(),
                   chip.sharedMemoryBytes);
  }
  llvm_unreachable("every limit has a message");
}

/// Checks the part of S13 that concerns the convolution.
std::string mlir::conv::checkLines(const LineGeometry &geometry,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip) {
  return geometry.product.reducesPositions
             ? checkTile(getLineGradientTile(schedule, geometry),
                         geometry.result.columns, chip)
             : checkTile(getLineTile(schedule, geometry),
                         geometry.result.columns, chip);
}
