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
#include "HostLines.h"
#include "HostReductionTile.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/ADT/SmallSet.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Cycles of a vector that is loaded from a box, or stored there: if the tile
/// does not fit the first cache, the vector comes from the second one, and if
/// it does not fit beside the input that it is copied from, a part of them.
/// Where each sum is a vector, only the boxes count: sums take most of the
/// memory, and a register tile reads its own once for all of the part.
static double getAccessCycles(const DirectTiling &tiling, bool isReduction,
                              const ::conv::HostCalibration &fit,
                              const ::conv::ChipInfo &chip) {
  int64_t bytes = tiling.sharedBytes;
  if (isReduction && !tiling.isAlongBatch)
    bytes = (tiling.lhs.numElements + tiling.rhs.numElements) * sizeof(float);
  double first = double(chip.processor->firstCacheBytes), near = 1 / fit.ports;
  if (double(bytes) > first)
    return fit.beyondFirstCache;
  if (isReduction)
    return near;
  auto input = double(tiling.lhs.numElements * sizeof(float));
  double beyond = std::max(0.0, double(bytes) + input - first) / input;
  return near + beyond * fit.besideInput * (fit.beyondFirstCache - near);
}

/// Cycles until the runs of a box arrive whose operand does not fit the second
/// cache: processors fetch the next line of a run before it is read, but not
/// the next run.
static double getFarCycles(const TensorBox &box, const ViewedTensor &operand,
                           const ::conv::HostCalibration &fit,
                           const ::conv::ChipInfo &chip) {
  int64_t bytes = operand.getExtent() * getElementBytes(operand.type);
  return bytes > chip.processor->secondCacheBytes
             ? double(box.numElements) / double(box.run) * fit.farRunCycles
             : 0;
}

/// Cycles to copy a box.
static double getCopyCycles(const TensorBox &box, const ViewedTensor &operand,
                            const ::conv::HostCalibration &fit,
                            double accessCycles) {
  auto elements = double(box.numElements);
  double runs = elements / double(box.sizes[box.innermost]);
  double lanes = operand.strides[box.innermost] == 1 ? double(kHostLanes) : 1;
  return (runs * fit.boxRunInstructions + elements / lanes) / fit.ports +
         elements / lanes * accessCycles;
}

/// The different sums of `step * i + tap * j` with i below `steps` and j below
/// `taps`.
static double countPlaces(int64_t step, int64_t steps, int64_t tap,
                          int64_t taps) {
  llvm::SmallSet<int64_t, 32> places;
  for (int64_t i = 0; i < steps; ++i)
    for (int64_t j = 0; j < taps; ++j)
      places.insert(i * step + j * tap);
  return double(places.size());
}

/// Cycles of the products of one tile whose reduction fits the box.
static double getRowCycles(const DirectTiling &tiling,
                           const ::conv::HostCalibration &fit,
                           const ::conv::ChipInfo &chip, double accessCycles) {
  bool isAlongBatch = tiling.isAlongBatch;
  auto ofTaps =
      ArrayRef(tiling.lhs.distances).take_back(tiling.reduction.getRank());
  auto ofRows = ArrayRef(tiling.lhs.distances)
                    .slice(tiling.batch.getRank(), tiling.rows.getRank());
  size_t innermost = tiling.reduction.innermost;
  int64_t taps = tiling.reduction.digits[innermost];
  int64_t lines = llvm::product_of(tiling.reduction.digits) / taps;
  int64_t row = ofRows[tiling.rows.innermost];
  // A register tile has vectors of matrices at each row, or vectors of rows.
  int64_t elements = tiling.batch.run * tiling.rows.run;
  int64_t lanes = std::gcd(int64_t(chip.processor->vectorLanes),
                           isAlongBatch ? tiling.batch.run : tiling.rows.run);
  int64_t vectors = elements / lanes;
  int64_t step = isAlongBatch ? 1 : lanes;
  double windows =
      countPlaces(step * row, tiling.rows.run / step, ofTaps[innermost], taps);
  int64_t across = isAlongBatch ? vectors / tiling.rows.run : 1;
  // Several lines load each vector of the input once, and each tap once for the
  // vectors of a line.
  int64_t shared = countHostLines(tiling, chip);
  double inputLines =
      shared == 1
          ? double(lines)
          : countPlaces(ofRows[tiling.rows.innermost - 1], shared,
                        ofTaps[innermost - 1],
                        tiling.reduction.digits[innermost - 1]) *
                double(lines) / double(tiling.reduction.digits[innermost - 1]);
  double ofWindows = inputLines * windows * double(across);
  double allTaps = double(shared * lines * taps);
  double loadCycles =
      ofWindows * accessCycles + allTaps * double(across) / fit.ports;
  if (!isAlongBatch && row > 1)
    loadCycles += 2 * inputLines * windows / fit.ports; // And shuffles.
  double products = double(vectors) * allTaps;
  double inOrder = double(
      lines *
      llvm::divideCeil(taps, shared > 1 ? 1 : countChains(fit, vectors, taps)));
  double tileCycles =
      std::max({loadCycles, products / fit.ports, fit.latencyCycles * inOrder});
  double tiles = double(tiling.countSums()) / double(elements * shared);
  return tiles * (tileCycles + fit.registerTileInstructions / fit.ports);
}

/// Cycles of the products of one step of a long reduction.
static double getStepCycles(const DirectTiling &tiling,
                            const ::conv::HostCalibration &fit,
                            const ::conv::ChipInfo &chip, double accessCycles) {
  HostReductionTile tile = HostReductionTile::get(tiling, chip);
  int64_t line = HostReductionTile::countInLine(tiling);
  int64_t lines = llvm::product_of(tiling.reduction.sizes) / line;
  int64_t sums = tiling.countSums() / tiling.batch.run;
  double tiles = double(sums) / double(tile.rows * tile.columns) *
                 double(llvm::divideCeil(tile.columns, tile.run));
  int64_t perStep = tile.neighbours * (tiling.isAlongBatch ? 1 : tile.lanes);
  double steps = double(llvm::divideCeil(line, perStep));
  // Windows of neighbours share all but one column of each.
  auto sumsOfTile = double(tile.rows * tile.run * tile.vectors);
  double products = sumsOfTile * double(tile.neighbours);
  double loads = double(tile.vectors * (2 * tile.neighbours + tile.run - 1));
  if (!tiling.isAlongBatch)
    loads = products * tile.countLoads();
  double stepCycles = std::max({products / fit.ports, loads * accessCycles,
                                fit.latencyCycles * double(tile.neighbours)});
  double ends = fit.registerTileInstructions + 2 * sumsOfTile;
  return tiles * (double(lines) * steps * stepCycles + ends / fit.ports);
}

/// Whether few neighbouring pixels have places of their own in the first cache,
/// since their distance is a multiple of a large power of two: of 256, 512 and
/// more channels. Runs of a few channels then push each other out.
static bool hasConflicts(const ViewedTensor &result) {
  constexpr int64_t kPeriodBytes = 4096; // Then places of the cache repeat.
  constexpr int64_t kFewest = 8;
  int64_t distance = 0; // From a pixel to the next.
  for (auto [size, stride] : llvm::zip(result.type.getShape(), result.strides))
    if (size > 1 && stride > 1 && (distance == 0 || stride < distance))
      distance = stride;
  int64_t bytes = distance * getElementBytes(result.type);
  return bytes > 0 && kPeriodBytes / std::gcd(bytes, kPeriodBytes) < kFewest;
}

/// Cycles to store the results of one tile: from registers, or in runs. Half
/// vectors, and pixels that conflict, count as runs: without them, tiles of 8
/// of 24, 40 and 72 channels, and of 16 of 256 and more, are chosen, which are
/// slower than larger ones (bench/results/networks.md).
static double getResultCycles(const DirectTiling &tiling,
                              const ViewedTensor &result, bool isReduction,
                              const ::conv::HostCalibration &fit,
                              const ::conv::ChipInfo &chip) {
  double sums = double(tiling.countSums());
  if (isReduction)
    return sums * fit.resultInstructions / fit.ports;
  double vectors = sums / double(kHostLanes) * fit.resultInstructions;
  bool areWhole = hasWholeRegisterTiles(tiling) &&
                  tiling.batch.run % chip.processor->vectorLanes == 0;
  if (areWhole && !hasConflicts(result))
    return vectors / fit.ports;
  double run =
      double(tiling.isAlongBatch ? tiling.batch.sizes[tiling.batch.innermost]
                                 : llvm::product_of(tiling.rows.sizes));
  return (sums / run * fit.resultRunInstructions + vectors) / fit.ports;
}

void mlir::conv::addHostProduct(const DirectTiling &tiling,
                                const ViewedProduct &product, bool isReduction,
                                const ::conv::ChipInfo &chip,
                                DirectCost &cost) {
  const ::conv::HostCalibration &fit = *chip.calibration->host;
  double accessCycles = getAccessCycles(tiling, isReduction, fit, chip);
  double productCycles = isReduction
                             ? getStepCycles(tiling, fit, chip, accessCycles)
                             : getRowCycles(tiling, fit, chip, accessCycles);
  auto steps = double(tiling.reduction.getNumTiles());
  double copyCycles =
      getCopyCycles(tiling.lhs, product.lhs, fit, accessCycles) +
      getCopyCycles(tiling.rhs, product.rhs, fit, accessCycles);
  // Forward, where halos are copied more than once, the order of schedules is
  // worse with it.
  if (isReduction)
    copyCycles += getFarCycles(tiling.lhs, product.lhs, fit, chip) +
                  getFarCycles(tiling.rhs, product.rhs, fit, chip);
  double cycles =
      chip.calibration->launch.setupCycles +
      steps * (copyCycles + productCycles) +
      getResultCycles(tiling, product.result, isReduction, fit, chip);

  int64_t workgroups = tiling.batch.getNumTiles() * tiling.rows.getNumTiles();
  int64_t perUnit = llvm::divideCeil(workgroups, chip.computeUnits);
  cost.workgroups += workgroups;
  cost.sharedBytes = std::max(cost.sharedBytes, tiling.sharedBytes);
  cost.residentWorkgroups = 1;
  auto addBytes = [&](const TensorBox &box, const ViewedTensor &operand) {
    cost.memoryBytes += box.copied * double(getElementBytes(operand.type));
  };
  addBytes(tiling.lhs, product.lhs);
  addBytes(tiling.rhs, product.rhs);
  cost.computeSeconds += double(perUnit) * cycles / (chip.clockGHz * 1e9);
}
