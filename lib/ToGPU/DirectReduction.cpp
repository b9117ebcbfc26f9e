//===- DirectReduction.cpp - small results of long reductions -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weight gradient of a depthwise convolution has few elements, each a sum
// over all pixels. A workgroup computes all elements of its matrices: it copies
// one part of the reduction after the other to shared memory, its work-items
// share each part, and at the end add up what they have, always in the same
// order.
//
//===----------------------------------------------------------------------===//

#include "DirectEpilogue.h"
#include "DirectProduct.h"
#include "KernelBody.h"
#include "TileScheduler.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectReduction {
public:
  DirectReduction(Kernel &kernel, const DirectOperands &operands);
  void create();

private:
  using Digits = SmallVector<Value>;
  Digits getUnitDigits(Value unit) const;
  SmallVector<Value> createStep(Value step, ValueRange sums) const;
  void createTotals(ValueRange sums, int64_t firstElement) const;
  void createTotal(Value number, int64_t firstElement) const;
  Value createOffset(Value element, Value item) const {
    return arith::IndexCastOp::create(
        b, b.getIndexType(),
        math.add(math.mul(element, kernel.workItems), item));
  }

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectTiling &tiling;
  Value partials;
  size_t batchRank, rowRank, columnRank;
  /// Elements of a work-item, by digit of batch, rows and columns, and how many
  /// units of so many there are. Work-items with the same unit share its
  /// reduction, of which they take `chunks` of a part in turn.
  SmallVector<int64_t> extents, units, chunks;
  int64_t numUnits, slices;
  std::optional<DirectProduct> product;
  Digits first; ///< Of the tile: batch.
  Value unit, slice;
};
} // namespace

DirectReduction::DirectReduction(Kernel &kernel, const DirectOperands &operands)
    : kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      tiling(operands.tiling), partials(operands.others.front()),
      batchRank(tiling.batch.getRank()), rowRank(tiling.rows.getRank()),
      columnRank(tiling.columns.getRank()) {
  // A run of matrices, all rows, and all of the innermost digit of the columns.
  for (size_t d = 0; d < batchRank; ++d)
    extents.push_back(tiling.batch.getRun(d));
  extents.append(tiling.rows.digits);
  for (size_t d = 0; d < columnRank; ++d)
    extents.push_back(d == tiling.columns.innermost ? tiling.columns.digits[d]
                                                    : 1);
  for (size_t d = 0; d < batchRank; ++d)
    units.push_back(tiling.batch.getPadded(d) / extents[d]);
  units.append(rowRank, 1);
  for (size_t d = 0; d < columnRank; ++d)
    units.push_back(tiling.columns.digits[d] /
                    extents[batchRank + rowRank + d]);
  numUnits = tiling.countSharedBoxes();
  slices = kernel.workItems / numUnits;

  SmallVector<int64_t> all = extents, granules;
  for (auto [extent, count] : llvm::zip(extents, units))
    granules.push_back(count > 1 ? extent : 0);
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d) {
    int64_t run = tiling.reduction.getRun(d);
    all.push_back(run);
    chunks.push_back(tiling.reduction.sizes[d] / run);
    granules.push_back(chunks.back() > 1 ? run : 0);
  }
  product.emplace(kernel, operands, all, granules);
}

/// The first digits of a unit's elements, from the start of the tile.
DirectReduction::Digits DirectReduction::getUnitDigits(Value number) const {
  // Neighbouring work-items have neighbouring matrices.
  SmallVector<int64_t> order = units;
  std::rotate(order.begin(), order.begin() + batchRank, order.end());
  Digits digits = math.split(number, order);
  std::rotate(digits.begin(), digits.end() - batchRank, digits.end());
  for (auto [digit, extent] : llvm::zip_equal(digits, extents))
    digit = math.mul(digit, extent);
  return digits;
}

/// Adds the products of one part of the reduction.
SmallVector<Value> DirectReduction::createStep(Value step,
                                               ValueRange sums) const {
  SmallVector<int64_t> tiles;
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d)
    tiles.push_back(tiling.reduction.getTiles(d));
  Digits start = math.split(step, tiles);
  for (auto [digit, size] : llvm::zip_equal(start, tiling.reduction.sizes))
    digit = math.mul(digit, size);
  // Nobody reads the part before any more.
  gpu::BarrierOp::create(b);
  operands.copy(first, operands.createZeros(tiling.rows), start);
  gpu::BarrierOp::create(b);
  auto loop = scf::ForOp::create(
      b, slice, math.constant(llvm::product_of(chunks)), math.constant(slices),
      sums, [&](OpBuilder &, Location, Value number, ValueRange carried) {
        Digits digits = getUnitDigits(unit);
        for (auto [d, digit] : llvm::enumerate(math.split(number, chunks)))
          digits.push_back(math.mul(digit, tiling.reduction.getRun(d)));
        scf::YieldOp::create(b, product->create(digits, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Adds up one element of one unit, and stores it.
void DirectReduction::createTotal(Value number, int64_t firstElement) const {
  Value element = math.div(number, numUnits);
  Value itsUnit = math.rem(number, numUnits);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto sum = scf::ForOp::create(
      b, math.constant(0), math.constant(slices * numUnits),
      math.constant(numUnits), zero,
      [&](OpBuilder &, Location, Value item, ValueRange carried) {
        Value partial = memref::LoadOp::create(
            b, partials, createOffset(element, math.add(item, itsUnit)));
        scf::YieldOp::create(
            b, ValueRange(arith::AddFOp::create(b, carried[0], partial)));
      });

  ElementBox box;
  Digits digits = getUnitDigits(itsUnit);
  Digits within = math.split(math.add(element, firstElement), extents);
  for (auto [d, digit] : llvm::enumerate(digits)) {
    digit = math.add(digit, within[d]);
    if (d < batchRank)
      digit = math.add(digit, first[d]);
    box.digits.push_back({1, 1, d < batchRank && tiling.batch.mayExceed(d)});
  }
  createDirectEpilogue(kernel, box, digits, sum.getResults());
}

/// Adds up as many elements of each work-item as there is room for.
void DirectReduction::createTotals(ValueRange sums,
                                   int64_t firstElement) const {
  gpu::BarrierOp::create(b);
  for (auto [i, sum] : llvm::enumerate(sums))
    memref::StoreOp::create(b, sum, partials,
                            createOffset(math.constant(i), kernel.workItem));
  gpu::BarrierOp::create(b);
  scf::ForOp::create(b, kernel.workItem,
                     math.constant(int64_t(sums.size()) * numUnits),
                     math.constant(kernel.workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value number, ValueRange) {
                       createTotal(number, firstElement);
                       scf::YieldOp::create(b);
                     });
}

void DirectReduction::create() {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  first = math.split(origin.batch, tiling.batch.digits);
  unit = math.rem(kernel.workItem, numUnits);
  slice = math.div(kernel.workItem, numUnits);
  SmallVector<Value> sums = product->createZeros();
  int64_t steps = tiling.reduction.getNumTiles();
  if (steps == 1) {
    sums = createStep(math.constant(0), sums);
  } else {
    auto loop = scf::ForOp::create(
        b, math.constant(0), math.constant(steps), math.constant(1), sums,
        [&](OpBuilder &, Location, Value step, ValueRange carried) {
          scf::YieldOp::create(b, createStep(step, carried));
        });
    sums = llvm::to_vector_of<Value>(loop.getResults());
  }
  for (size_t i = 0; i < sums.size(); i += DirectTiling::kPartials)
    createTotals(
        ArrayRef<Value>(sums).slice(
            i, std::min<size_t>(sums.size() - i, DirectTiling::kPartials)),
        i);
}

LogicalResult mlir::conv::createDirectReductionBody(Kernel &kernel,
                                                    gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto partials = MemRefType::get({DirectTiling::kPartials * kernel.workItems},
                                  kernel.b.getF32Type(), AffineMap(), space);
  DirectOperands operands(kernel, function, *tiling, partials);
  DirectReduction(kernel, operands).create();
  return success();
}
