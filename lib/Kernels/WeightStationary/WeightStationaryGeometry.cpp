//===- WeightStationaryGeometry.cpp - halo tiles and a filter ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The images have what the copy engine needs. Lanes load the filter, so its
// view is arbitrary.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

std::optional<WeightStationaryGeometry>
mlir::conv::computeWeightStationaryGeometry(const ViewedTensor &lhs,
                                            const ViewedTensor &rhs,
                                            const ViewedTensor &result,
                                            std::string &obstacle) {
  std::optional<TmaGeometry> product =
      computeWindowGeometry(lhs, rhs, result, obstacle);
  if (!product)
    return std::nullopt;
  auto refuse = [&](const std::string &expected) {
    obstacle = "expects " + expected;
    return std::nullopt;
  };
  if (product->reducesPositions || !product->hasHaloTiles())
    return refuse("rows that are positions in halo tiles, but got others");
  if (product->window.rank() != TmaWindow::kHaloTileRank)
    return refuse(formatv("{0} spatial dimensions, but got {1}",
                          TmaWindow::kHaloTileRank, product->window.rank()));
  if (product->slices > 1)
    return refuse(formatv("1 split, but got {0}", product->slices));
  constexpr int64_t kAccess = ::conv::WarpgroupTile::kAccess;
  if (product->window.channels % kAccess)
    return refuse(formatv("a left operand with a multiple of {0} channels, but "
                          "got {1}",
                          kAccess, product->window.channels));
  obstacle = checkTmaHaloTiles(*product);
  if (!obstacle.empty())
    return std::nullopt;
  return WeightStationaryGeometry{*product, computeTmaResult(result)};
}

::conv::WeightStationaryTile
mlir::conv::getWeightStationaryTile(ScheduleAttr schedule,
                                    const WeightStationaryGeometry &geometry) {
  return {getWarpgroupTile(schedule, geometry.product),
          geometry.product.window.countTaps(),
          geometry.product.window.channels};
}

std::string mlir::conv::checkHaloTiles(const WeightStationaryGeometry &geometry,
                                       ScheduleAttr schedule,
                                       const ::conv::ChipInfo &chip) {
  ::conv::WeightStationaryTile tile =
      getWeightStationaryTile(schedule, geometry);
  if (std::string obstacle = checkWarpgroupTile(geometry.product, schedule);
      !obstacle.empty())
    return obstacle;
  // S6 and S17.
  int64_t columns = geometry.result.columns;
  std::optional<::conv::TileLimit> limit =
      tile.findExceeded(columns, chip.sharedMemoryBytes);
  return limit ? explainExceeded(tile, *limit, columns, chip.sharedMemoryBytes)
               : "";
}
