//===- DirectHostCost.cpp - the cost of direct kernels on the host --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the vector instructions of a tile (`HostCalibration`).
//
//===----------------------------------------------------------------------===//

#include "DirectHostCost.h"

#include "../Parts/Host/HostCode.h"
#include "conv/Chip/HostCalibration.h"
#include "conv/Chip/HostProcessor.h"

#include "llvm/ADT/SmallSet.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Cycles to copy a box.
static double getCopyCycles(const TensorBox &box, const ViewedTensor &operand,
                            const ::conv::HostCalibration &fit) {
  auto elements = double(box.numElements);
  double runs = elements / double(box.sizes[box.innermost]);
  double lanes = operand.strides[box.innermost] == 1 ? double(kHostLanes) : 1;
  return (runs * fit.copiedRunInstructions + 2 * elements / lanes) / fit.ports;
}

void mlir::conv::addHostProduct(const DirectTiling &tiling,
                                const ViewedProduct &product,
                                const ::conv::ChipInfo &chip,
                                DirectCost &cost) {
  const ::conv::HostCalibration &fit = *chip.calibration->host;
  bool isAlongBatch = tiling.isAlongBatch;
  size_t rank = tiling.reduction.getRank();
  int64_t taps = tiling.reduction.digits[tiling.reduction.innermost];
  int64_t lines = llvm::product_of(tiling.reduction.digits) / taps;
  int64_t row =
      tiling.lhs.distances[tiling.batch.getRank() + tiling.rows.innermost];
  int64_t tap = ArrayRef(tiling.lhs.distances)
                    .take_back(rank)[tiling.reduction.innermost];
  // A register tile has vectors of matrices at each row, or vectors of rows.
  int64_t elements = tiling.batch.run * tiling.rows.run;
  int64_t vectors =
      elements /
      std::gcd(kHostLanes, isAlongBatch ? tiling.batch.run : tiling.rows.run);
  llvm::SmallSet<int64_t, 32> windows;
  int64_t step = isAlongBatch ? 1 : kHostLanes;
  for (int64_t i = 0; i < tiling.rows.run; i += step)
    for (int64_t j = 0; j < taps; ++j)
      windows.insert(i * row + j * tap);
  int64_t across = isAlongBatch ? vectors / tiling.rows.run : 1;
  double loads =
      double(windows.size()) * double(across) + double(taps) * double(across);
  if (!isAlongBatch && row > 1)
    loads += 2 * double(windows.size()); // And shuffles.
  double products = double(vectors * taps);
  double lineCycles = std::max({loads / fit.ports, products / fit.ports,
                                fit.latencyCycles * double(taps)});
  double tiles = double(tiling.countSums()) / double(elements);
  double productCycles = tiles * (double(lines) * lineCycles +
                                  fit.registerTileInstructions / fit.ports);

  double sums = double(tiling.countSums());
  double run = double(isAlongBatch ? tiling.batch.sizes[tiling.batch.innermost]
                                   : llvm::product_of(tiling.rows.sizes));
  double resultCycles = (sums / run * fit.resultRunInstructions +
                         sums / double(kHostLanes) * fit.resultInstructions) /
                        fit.ports;
  double cycles = chip.calibration->launch.setupCycles +
                  getCopyCycles(tiling.lhs, product.lhs, fit) +
                  getCopyCycles(tiling.rhs, product.rhs, fit) + productCycles +
                  resultCycles;
  if (tiling.sharedBytes > chip.processor->firstCacheBytes)
    cycles *= fit.beyondFirstCache;

  int64_t workgroups = tiling.batch.getNumTiles() * tiling.rows.getNumTiles();
  int64_t perUnit = llvm::divideCeil(workgroups, chip.computeUnits);
  cost.workgroups += workgroups;
  cost.sharedBytes = std::max(cost.sharedBytes, tiling.sharedBytes);
  cost.residentWorkgroups = 1;
  auto addBytes = [&](const TensorBox &box, const ViewedTensor &operand) {
    cost.memoryBytes += box.copied * operand.type.getElementTypeBitWidth() / 8;
  };
  addBytes(tiling.lhs, product.lhs);
  addBytes(tiling.rhs, product.rhs);
  cost.computeSeconds += double(perUnit) * cycles / (chip.clockGHz * 1e9);
}
