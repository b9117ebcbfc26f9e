//===- DirectLoop.cpp - small groups, from shared memory --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup copies the boxes of both operands that its tile reads. Then each
// work-item computes one box of elements after the other, with all sums in
// registers. A run of the innermost digit of the reduction is unrolled:
// neighbouring windows share most of their input, which is read once.
//
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "DirectEpilogue.h"
#include "DirectProduct.h"
#include "TapRuns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectRowLoop {
public:
  DirectRowLoop(Kernel &kernel, const DirectOperands &operands);
  void create();

private:
  using Digits = SmallVector<Value>;
  DirectProduct createProduct(int64_t run) const;
  void createElements(Value number);
  SmallVector<Value> createSums(ArrayRef<Value> local) const;
  SmallVector<Value> createRuns(Digits digits, ValueRange sums) const;
  Digits getLocalDigits(Value number) const;

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectTiling &tiling;
  size_t batchRank, rowRank, columnRank;
  ElementBox elements;
  /// Boxes of elements in a tile, by digit of batch and rows.
  SmallVector<int64_t> counts;
  int64_t taps; ///< Values of the innermost digit of the reduction.
  DirectProduct product;
  std::optional<DirectProduct> rest; ///< For taps after the last whole run.
  Digits first;                      ///< Digits of the tile: batch and rows.
};
} // namespace

/// Boxes of elements in a tile, by digit of batch and rows.
static SmallVector<int64_t> countBoxes(const DirectTiling &tiling) {
  SmallVector<int64_t> counts;
  for (const DigitBox *space : {&tiling.batch, &tiling.rows})
    for (size_t d = 0; d < space->getRank(); ++d)
      counts.push_back(space->getPadded(d) / space->getRun(d));
  return counts;
}

DirectRowLoop::DirectRowLoop(Kernel &kernel, const DirectOperands &operands)
    : kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      tiling(operands.tiling), batchRank(tiling.batch.getRank()),
      rowRank(tiling.rows.getRank()), columnRank(tiling.columns.getRank()),
      counts(countBoxes(tiling)),
      taps(tiling.reduction.digits[tiling.reduction.innermost]),
      product(createProduct(taps > kMaxUnrolledTaps ? kTapsOfRun : taps)) {
  if (taps > kMaxUnrolledTaps && taps % kTapsOfRun != 0)
    rest.emplace(createProduct(taps % kTapsOfRun));
  size_t digit = 0;
  for (const DigitBox *space : {&tiling.batch, &tiling.rows})
    for (size_t d = 0; d < space->getRank(); ++d) {
      int64_t run = space->getRun(d);
      int64_t alignment = counts[digit++] > 1 ? run : 0;
      int64_t step = space->getTiles(d) > 1 ? space->sizes[d] : 0;
      elements.digits.push_back(
          {run, std::gcd(alignment, step), space->mayExceed(d)});
    }
  for (int64_t size : tiling.columns.digits)
    elements.digits.push_back({size, 0, false});
}

/// The products of a box of elements with `run` taps, which start at a multiple
/// of the longest run.
DirectProduct DirectRowLoop::createProduct(int64_t run) const {
  SmallVector<int64_t> extents, alignments;
  size_t digit = 0;
  for (const DigitBox *space : {&tiling.batch, &tiling.rows})
    for (size_t d = 0; d < space->getRank(); ++d) {
      extents.push_back(space->getRun(d));
      alignments.push_back(counts[digit++] > 1 ? extents.back() : 0);
    }
  for (int64_t size : tiling.columns.digits) {
    extents.push_back(size);
    alignments.push_back(0);
  }
  // A run of the innermost digit of the reduction; one value of the others.
  for (auto [d, size] : llvm::enumerate(tiling.reduction.digits)) {
    bool isInnermost = d == tiling.reduction.innermost;
    int64_t alignment = size == 1 ? 0 : 1;
    if (isInnermost)
      alignment = taps > kMaxUnrolledTaps ? kTapsOfRun : 0;
    extents.push_back(isInnermost ? run : 1);
    alignments.push_back(alignment);
  }
  return DirectProduct(kernel, operands, extents, alignments);
}

/// The digits of a box's first element, relative to the tile. Neighbouring
/// work-items have neighbours in memory.
DirectRowLoop::Digits DirectRowLoop::getLocalDigits(Value number) const {
  SmallVector<int64_t> order = counts;
  if (tiling.isAlongBatch)
    std::rotate(order.begin(), order.begin() + batchRank, order.end());
  Digits digits = math.split(number, order);
  if (tiling.isAlongBatch)
    std::rotate(digits.begin(), digits.begin() + rowRank, digits.end());
  for (auto [digit, element] : llvm::zip(digits, elements.digits))
    digit = math.mul(digit, element.extent);
  return digits;
}

/// Adds the products with all taps of the line that starts at `digits`.
SmallVector<Value> DirectRowLoop::createRuns(Digits digits,
                                             ValueRange sums) const {
  if (taps <= kMaxUnrolledTaps)
    return product.create({digits}, sums);
  Value &tap = digits[batchRank + rowRank + columnRank +
                      size_t(tiling.reduction.innermost)];
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(taps / kTapsOfRun), math.constant(1),
      sums, [&](OpBuilder &, Location, Value number, ValueRange carried) {
        tap = math.mul(number, kTapsOfRun);
        scf::YieldOp::create(b, product.create({digits}, carried));
      });
  disableUnrolling(loop);
  if (!rest)
    return llvm::to_vector_of<Value>(loop.getResults());
  tap = math.constant(taps / kTapsOfRun * kTapsOfRun);
  return rest->create({digits}, loop.getResults());
}

/// The sums of a box of elements: a loop over all but the innermost digit of
/// the reduction.
SmallVector<Value> DirectRowLoop::createSums(ArrayRef<Value> local) const {
  SmallVector<int64_t> outer = tiling.reduction.digits;
  outer[tiling.reduction.innermost] = 1;
  auto locateLine = [&](Value number) {
    Digits digits(local);
    digits.append(columnRank, math.constant(0));
    digits.append(math.split(number, outer));
    return digits;
  };
  int64_t count = llvm::product_of(outer);
  if (tiling.unrollsLines(kernel.chip)) {
    SmallVector<Digits> lines;
    for (int64_t number = 0; number < count; ++number)
      lines.push_back(locateLine(math.constant(number)));
    return product.create(lines, product.createZeros());
  }
  auto createProducts = [&](Value number, ValueRange sums) {
    return createRuns(locateLine(number), sums);
  };
  if (count == 1)
    return createProducts(math.constant(0), product.createZeros());
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(count), math.constant(1),
      product.createZeros(),
      [&](OpBuilder &, Location, Value number, ValueRange sums) {
        scf::YieldOp::create(b, createProducts(number, sums));
      });
  if (taps > kMaxUnrolledTaps)
    disableUnrolling(loop);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void DirectRowLoop::createElements(Value number) {
  Digits local = getLocalDigits(number);
  SmallVector<Value> sums = createSums(local);
  Digits digits;
  for (auto [start, digit] : llvm::zip_equal(first, local))
    digits.push_back(math.add(start, digit));
  digits.append(columnRank, math.constant(0));
  createDirectEpilogue(kernel, elements, digits, sums);
}

void DirectRowLoop::create() {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  Digits batch = math.split(origin.batch, tiling.batch.digits);
  Digits rows = math.split(origin.row, tiling.rows.digits);
  operands.copy(batch, rows, operands.createZeros(tiling.reduction));
  gpu::BarrierOp::create(b);
  first = batch;
  llvm::append_range(first, rows);
  scf::ForOp::create(b, kernel.workItem,
                     math.constant(llvm::product_of(counts)),
                     math.constant(kernel.workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value number, ValueRange) {
                       createElements(number);
                       scf::YieldOp::create(b);
                     });
}

LogicalResult mlir::conv::createDirectBody(Kernel &kernel,
                                           gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  DirectOperands operands(kernel, function, *tiling);
  DirectRowLoop(kernel, operands).create();
  return success();
}
