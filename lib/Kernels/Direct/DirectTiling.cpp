//===- DirectTiling.cpp - sizes of a direct tiling --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that follow from a tiling.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectTiling.h"

#include "BoxVectors.h"
#include "TapRuns.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

bool DirectTiling::takes(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isSignlessInteger(8);
}

bool DirectTiling::isAlongBatchOf(const ViewedTensor &tensor) {
  return tensor.findBatchDimension() == tensor.findClosest();
}

int64_t DirectTiling::countAdjacentColumns(const ViewedTensor &result) {
  bool areAdjacent =
      llvm::any_of(result.view.getColumnRoles(), [&](DigitRole role) {
        return getDistance(result, role) == 1;
      });
  return areAdjacent ? getDistance(result, result.view.getRowRoles().back())
                     : 1;
}

/// The box of a run of rows, in all columns.
static ElementBox createRun(ViewAttr result, int64_t run) {
  ElementBox box;
  for (size_t d = 0; d < result.getBatch().size(); ++d)
    box.digits.push_back({1, 1, false});
  auto rows = *DigitBox::compute(result.getRows(), 1);
  for (auto [d, size] : llvm::enumerate(rows.digits)) {
    int64_t extent = d == rows.innermost ? run : 1;
    box.digits.push_back({extent, extent, size % extent != 0});
  }
  for (int64_t size : result.getColumns())
    box.digits.push_back({size, 0, false});
  return box;
}

int64_t DirectTiling::countStoredBytes(const ViewedTensor &result,
                                       int64_t run) {
  ElementBox box = createRun(result.view, run);
  BoxVectors vectors(box, result, result.view);
  vectors.narrowToWhole();
  return vectors.getWidth() * getElementBytes(result.type);
}

int64_t DirectTiling::countSums() const {
  int64_t sums = 1;
  for (const DigitBox *space : {&batch, &rows, &columns})
    for (size_t d = 0; d < space->getRank(); ++d)
      sums *= space->getPadded(d);
  return sums;
}

int64_t DirectTiling::countSharedBoxes() const {
  int64_t boxes = 1;
  for (size_t d = 0; d < batch.getRank(); ++d)
    boxes *= batch.countRuns(d);
  for (size_t d = 0; d < columns.getRank(); ++d)
    boxes *= d == columns.innermost ? 1 : columns.sizes[d];
  return boxes;
}

int64_t
DirectTiling::countRemainingSums(int64_t slices, int64_t units,
                                 int64_t workItems,
                                 const ::conv::DirectRoundCalibration &fit) {
  int64_t best = 1, least = slices;
  for (int64_t remaining = 2; remaining <= workItems / (kPartials * units);
       ++remaining) {
    int64_t reads =
        llvm::divideCeil(slices, remaining) + remaining + fit.readsOfRound;
    if (reads < least) {
      best = remaining;
      least = reads;
    }
  }
  return best;
}

int64_t DirectTiling::countVectors() const {
  int64_t vectors = blocks ? blocks->rowVectors : 1;
  for (size_t d = 0; d < batch.getRank(); ++d)
    vectors *= batch.countRuns(d);
  return vectors;
}

int64_t DirectTiling::countRuns() const {
  const DigitBox &positions = getPositions();
  int64_t runs = 1;
  for (size_t d = 0; d < positions.getRank(); ++d)
    runs *= banded && d == positions.innermost ? countLineRuns()
                                               : positions.countRuns(d);
  return runs / lines;
}

int64_t DirectTiling::getLineDistance(const TensorBox &box) const {
  if (getPosition() == 0)
    return 0;
  ArrayRef<int64_t> terms =
      ArrayRef(box.distances).take_back(reduction.getRank());
  return terms[getPosition() - 1];
}

int64_t DirectTiling::getColumnDistance(int64_t number,
                                        std::optional<size_t> without) const {
  int64_t distance = 0;
  for (size_t d = columns.getRank(); d-- > 0;) {
    if (d == without)
      continue;
    int64_t size = columns.digits[d];
    distance += number % size * rhs.distances[batch.getRank() + d];
    number /= size;
  }
  return distance;
}

int64_t DirectTiling::countLineRuns() const {
  constexpr int64_t kTogether = 8;
  int64_t runs = reduction.getPadded(reduction.innermost) / reduction.run;
  return runs > kTogether / 2 ? llvm::alignTo(runs, kTogether) : runs;
}

int64_t DirectTiling::countAtoms() const {
  int64_t atoms = 1;
  for (auto [d, size] : llvm::enumerate(reduction.digits))
    if (d != filter->channel)
      atoms *=
          d == filter->tap ? llvm::divideCeil(size, FilterBlocks::kTaps) : size;
  return atoms;
}

bool DirectTiling::unrollsLines(const ::conv::ChipInfo &chip) const {
  constexpr int64_t kMostProducts = 768;
  int64_t taps = reduction.digits[reduction.innermost];
  int64_t products = llvm::product_of(reduction.digits) *
                     llvm::product_of(columns.digits) * batch.run * rows.run;
  return chip.obeysScheduleFences() && isAlongBatch &&
         llvm::product_of(reduction.digits) > taps &&
         taps <= kMaxUnrolledTaps && products <= kMostProducts;
}

bool DirectTiling::areUnitsNeighbours(const ::conv::ChipInfo &chip) const {
  return isAlongBatch || countVectors() == 1 || !chip.isClocked();
}

int64_t DirectTiling::countBandedRegisters() const {
  constexpr int64_t kOthers = 44; // For a window, addresses and loops.
  return channels * banded->countAtoms() * BandedGradient::kSums + 2 * lines +
         kOthers;
}

int64_t DirectTiling::countResident(const ::conv::ChipInfo &chip,
                                    int64_t subgroups,
                                    int64_t registers) const {
  int64_t waves = std::clamp<int64_t>(
      chip.registerFilePerLane /
          llvm::alignTo(registers, chip.registerAllocationUnit),
      1, chip.maxWavesPerSimd);
  // Shared memory that a unit reserves for each workgroup.
  int64_t kept = chip.sharedMemoryOfUnit - chip.sharedMemoryBytes;
  int64_t allocated =
      llvm::alignTo(sharedBytes + kept, chip.sharedAllocationUnit);
  return std::max<int64_t>(
      1, std::min(chip.sharedMemoryOfUnit / allocated,
                  waves * chip.simdsPerComputeUnit / subgroups));
}
