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

void HostReductionTile::setColumns(ArrayRef<int64_t> digits,
                                   int64_t registers) {
  // The other registers have vectors of both operands.
  int64_t sums =
      std::min(registers * 3 / 4 / vectors, registers - 1 - rows) / rows;
  firstColumn = digits.size();
  columns = 1;
  while (firstColumn > 0 &&
         (columns == 1 || columns * digits[firstColumn - 1] <= sums))
    columns *= digits[--firstColumn];
  int64_t runs = llvm::divideCeil(columns, std::max<int64_t>(1, sums));
  run = llvm::divideCeil(columns, runs);
}

double HostReductionTile::countLoads() const {
  auto runs = double(llvm::divideCeil(columns, run));
  return runs / double(columns) + 2 / double(rows);
}

HostReductionTile HostReductionTile::get(const DirectTiling &tiling,
                                         const ::conv::ChipInfo &chip) {
  constexpr int64_t kFewestLanes = 4, kNeighbours = 4;
  HostReductionTile tile;
  int64_t most = chip.processor->vectorLanes;
  int64_t registers = chip.processor->vectorRegisters;
  ArrayRef<int64_t> digits = tiling.columns.digits;
  tile.rows = 1;
  if (tiling.isAlongBatch) {
    tile.lanes = std::gcd(most, tiling.batch.run);
    tile.vectors = tiling.batch.run / tile.lanes;
    tile.neighbours = std::min(kNeighbours, countInLine(tiling));
    tile.setColumns(digits, registers);
    return tile;
  }
  auto line = static_cast<int64_t>(llvm::PowerOf2Ceil(countInLine(tiling)));
  tile.lanes = std::clamp(line, kFewestLanes, most);
  tile.vectors = tile.neighbours = 1;
  tile.setColumns(digits, registers);
  HostReductionTile best = tile;
  int64_t rows = tiling.rows.digits[tiling.rows.innermost];
  for (tile.rows = 2; tile.rows <= rows && 2 * tile.rows < registers;
       ++tile.rows) {
    if (rows % tile.rows != 0)
      continue;
    tile.setColumns(digits, registers);
    if (tile.countLoads() < best.countLoads())
      best = tile;
  }
  return best;
}
