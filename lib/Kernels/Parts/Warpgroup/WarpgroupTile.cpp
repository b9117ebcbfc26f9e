//===- WarpgroupTile.cpp - sizes of tiles that are copied -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule determines the size of a tile, the geometry the size of the
// halos, and the chip whether they fit.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

using Tile = ::conv::WarpgroupTile;

int64_t TmaGeometry::getHaloTileExtent(size_t dimension) const {
  const TmaWindow::Dimension &d = window.dimensions[dimension];
  // In a reduction over positions, columns that share a halo tile belong to one
  // line of taps, whereas rows may belong to all lines.
  bool hasHalo = reducesPositions && !areTapsRows
                     ? dimension + 1 == window.rank()
                     : window.isInHaloTile(dimension);
  return window.haloTile[dimension] + (hasHalo ? (d.taps - 1) * d.dilation : 0);
}

int64_t TmaGeometry::getHaloTilePitch(size_t dimension) const {
  int64_t pitch = 1;
  for (size_t d = dimension + 1; d < window.haloTile.size(); ++d)
    pitch *= getHaloTileExtent(d);
  return pitch;
}

int64_t TmaGeometry::getHaloTileCopyBytes() const {
  return getHaloTilePitch(0) * getHaloTileExtent(0) * Tile::kRowBytes;
}

int64_t TmaGeometry::getHaloTileBytes() const {
  return llvm::alignTo(getHaloTileCopyBytes(), Tile::kAlignment);
}

::conv::TapRows TmaGeometry::getTapRows() const {
  if (!areTapsRows)
    return {};
  const TmaWindow::Dimension &line = window.dimensions[window.rank() - 2];
  return {line.taps, window.dimensions.back().taps, line.dilation,
          getHaloTileExtent(window.rank() - 1)};
}

int64_t TmaGeometry::getStageGap(const ::conv::WarpgroupTile &tile) const {
  return areTapsRows
             ? tile.leftHaloTileBytes - getTapRows().copyBytes(tile.rows)
             : 0;
}

bool TmaGeometry::sharesOuterLoop(int64_t workgroups) const {
  int64_t outer = getOuterLoop().count(), inner = getInnerLoop().count();
  if (hasHaloTiles() && !reducesPositions)
    return true;
  if (outer < workgroups || inner < workgroups)
    return outer > inner;
  return llvm::divideCeil(outer, workgroups) * inner <
         outer * llvm::divideCeil(inner, workgroups);
}

int64_t TmaGeometry::getMostWorkgroups() const {
  int64_t outer = getOuterLoop().count(), inner = getInnerLoop().count();
  return hasHaloTiles() && !reducesPositions ? outer : std::max(outer, inner);
}

static bool is3xTF32(ScheduleAttr schedule) {
  return schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32;
}

::conv::WarpgroupTile
mlir::conv::getWarpgroupTile(ScheduleAttr schedule,
                             const TmaGeometry &geometry) {
  ::conv::WarpgroupTile tile = getWarpgroupTile(schedule);
  tile.resultBytes = geometry.resultBytes;
  tile.isRightTransposed = geometry.isRightTransposed();
  tile.convertedParts = Tile::countConvertedParts(
      is3xTF32(schedule), geometry.elementBytes,
      geometry.isLeftTransposed() || geometry.isRightTransposed());
  if (!geometry.hasHaloTiles())
    return tile;
  if (geometry.areTapsRows)
    tile.leftHaloTileBytes = geometry.getTapRows().bytes(tile.rows);
  else if (geometry.reducesPositions)
    tile.rightHaloTileBytes = geometry.getHaloTileBytes();
  else
    tile.haloTileBytes = tile.rows / geometry.getHaloTilePositions() *
                         geometry.getHaloTileBytes();
  return tile;
}

std::string mlir::conv::checkWarpgroupTile(const TmaGeometry &geometry,
                                           ScheduleAttr schedule) {
  ::conv::WarpgroupTile tile = getWarpgroupTile(schedule, geometry);
  // S10, for converted operands.
  if (tile.isConverted() && (tile.columns > tile.maxColumns() ||
                             tile.accumulators() > tile.maxAccumulators()))
    return formatv("expects at most {0} columns and {1} accumulators of a lane "
                   "for operands that are converted, but got {2} and {3}",
                   tile.maxColumns(), tile.maxAccumulators(), tile.columns,
                   tile.accumulators());
  if (tile.isConverted() && !tile.hasWholeConvertedColumns())
    return formatv("expects a multiple of {0} columns for operands that are "
                   "converted, but got {1}",
                   Tile::kConvertedColumns, tile.columns);
  if (tile.isConverted() && geometry.hasHaloTiles())
    return "expects no halo tiles of operands that are converted, but got some";
  if (geometry.hasRowsOfColumns() && !tile.hasWholeRowsOfColumns())
    return formatv("expects a multiple of {0} columns of taps and channels, "
                   "but got {1}",
                   tile.rowElements(), tile.columns);
  // S18.
  if (tile.cluster > geometry.getMostWorkgroups())
    return formatv("expects a cluster of at most {0}, each with a step of the "
                   "reduction, but got {1}",
                   geometry.getMostWorkgroups(), tile.cluster);
  // S14.
  if (schedule.getHaloTile().empty() == geometry.hasHaloTiles())
    return "expects positions in two or three spatial dimensions for halo "
           "tiles, but got others";
  if (!geometry.hasHaloTiles())
    return "";
  if (::conv::TapRows taps = geometry.getTapRows(); taps.areRows())
    return taps.countLines(tile.rows) > 0
               ? ""
               : formatv("expects rows that are lines of {0} taps of {1} "
                         "channels and divide the {2} of the filter, but got "
                         "{3}",
                         taps.taps, Tile::kAtomRows, taps.lines, tile.rows)
                     .str();
  if (tile.rows > Tile::kMaxRowsOfHaloTiles)
    return formatv("expects at most {0} rows, but got {1}",
                   Tile::kMaxRowsOfHaloTiles, tile.rows);
  if (geometry.reducesPositions &&
      tile.columns != geometry.getHaloTileColumns())
    return formatv(
        "expects tiles of the {0} columns that share a halo tile, but "
        "got {1}",
        geometry.getHaloTileColumns(), tile.columns);
  if (!geometry.reducesPositions &&
      !tile.hasWholeHaloTiles(geometry.getHaloTilePositions()))
    return formatv("expects halo tiles that divide {0} rows, but got {1}",
                   tile.rows, geometry.getHaloTilePositions());
  return "";
}

std::string mlir::conv::checkTmaMemory(const ::conv::WarpgroupTile &tile,
                                       const ::conv::ChipInfo &chip) {
  if (tile.stages <= chip.sharedMemoryBytes &&
      tile.sharedBytes() <= chip.sharedMemoryBytes)
    return "";
  std::string slots = tile.hasSlots()
                          ? formatv("{0} slots of {1} bytes, ",
                                    tile.haloTileSlots(), tile.haloTileBytes)
                                .str()
                          : "";
  std::string exchange =
      tile.cluster > 1
          ? formatv(" (or {0} bytes of sums)", tile.exchangeBytes()).str()
          : "";
  return formatv(
      "expects {0} stages of {1} bytes{2}, {3}barriers and {4} bytes "
      "for each of {5} warpgroups to fit {6} bytes of shared memory, "
      "but got more",
      tile.stages, tile.stageBytes(), exchange, slots, tile.stagingBytes(),
      tile.consumers, chip.sharedMemoryBytes);
}
