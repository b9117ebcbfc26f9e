//===- HostReductionTile.cpp - sums of a thread's registers ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostReductionTile.h"

#include "conv/Chip/HostProcessor.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

HostReductionTile HostReductionTile::get(const DirectTiling &tiling,
                                         const ::conv::ChipInfo &chip) {
  constexpr int64_t kFewestLanes = 4, kNeighbours = 4;
  HostReductionTile tile;
  int64_t most = chip.processor->vectorLanes;
  if (tiling.isAlongBatch) {
    tile.lanes = std::gcd(most, tiling.batch.run);
    tile.vectors = tiling.batch.run / tile.lanes;
    tile.neighbours = std::min(kNeighbours, countInLine(tiling));
  } else {
    auto line = static_cast<int64_t>(llvm::PowerOf2Ceil(countInLine(tiling)));
    tile.lanes = std::clamp(line, kFewestLanes, most);
    tile.vectors = tile.neighbours = 1;
  }
  // The other registers have vectors of both operands.
  int64_t sums = chip.processor->vectorRegisters * 3 / 4 / tile.vectors;
  ArrayRef<int64_t> digits = tiling.columns.digits;
  tile.firstColumn = digits.size();
  tile.columns = 1;
  while (tile.firstColumn > 0 &&
         (tile.columns == 1 ||
          tile.columns * digits[tile.firstColumn - 1] <= sums))
    tile.columns *= digits[--tile.firstColumn];
  int64_t runs = llvm::divideCeil(tile.columns, std::max<int64_t>(1, sums));
  tile.run = llvm::divideCeil(tile.columns, runs);
  return tile;
}
