//===- DirectFmaStep.cpp - sums of single work-items ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit of work is a run of matrices, all rows, and all values of the
// innermost digit of the columns. Its slices take runs of the innermost digit
// of the reduction in turn.
//
//===----------------------------------------------------------------------===//

#include "DirectProduct.h"
#include "DirectStep.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class FmaStep final : public DirectStep {
public:
  FmaStep(const Kernel &kernel, const DirectOperands &operands);

  SmallVector<Value> createZeros() const override {
    return product->createZeros();
  }
  SmallVector<Value> create(ValueRange sums) const override;
  SmallVector<Value> getElements(ValueRange sums) const override {
    return llvm::to_vector(sums);
  }
  Place locate(Value unit, Value element) const override;

private:
  SmallVector<Value> getUnitDigits(Value unit) const;

  const Kernel &kernel;
  const IndexMath &math;
  const DirectTiling &tiling;
  size_t batchRank;
  /// By digit of batch, rows and columns: the elements of a unit of work, and
  /// the number of units. By digit of the reduction: the runs of a step.
  SmallVector<int64_t> extents, units, chunks;
  std::optional<DirectProduct> product;
};
} // namespace

static Value createNumber(const Kernel &kernel, const DirectTiling &tiling) {
  if (tiling.areUnitsNeighbours(kernel.chip))
    return kernel.workItem;
  const IndexMath &math = kernel.math;
  int64_t units = tiling.countSharedBoxes(), slices = kernel.workItems / units;
  Value number = math.add(math.mul(math.rem(kernel.workItem, slices), units),
                          math.div(kernel.workItem, slices));
  // Nobody reads the sums of work-items after the last whole slice.
  return slices * units == kernel.workItems
             ? number
             : math.select(math.below(kernel.workItem, slices * units), number,
                           kernel.workItem);
}

FmaStep::FmaStep(const Kernel &kernel, const DirectOperands &operands)
    : DirectStep(operands.tiling.countSharedBoxes(),
                 createNumber(kernel, operands.tiling)),
      kernel(kernel), math(kernel.math), tiling(operands.tiling),
      batchRank(tiling.batch.getRank()) {
  for (size_t d = 0; d < batchRank; ++d) {
    extents.push_back(tiling.batch.getRun(d));
    units.push_back(tiling.batch.getPadded(d) / extents[d]);
  }
  extents.append(tiling.rows.digits);
  units.append(tiling.rows.getRank(), 1);
  for (size_t d = 0; d < tiling.columns.getRank(); ++d) {
    bool isInnermost = d == tiling.columns.innermost;
    int64_t size = tiling.columns.digits[d];
    extents.push_back(isInnermost ? size : 1);
    units.push_back(isInnermost ? 1 : size);
  }

  SmallVector<int64_t> all = extents, alignments;
  for (auto [extent, count] : llvm::zip(extents, units))
    alignments.push_back(count > 1 ? extent : 0);
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d) {
    int64_t run = tiling.reduction.getRun(d);
    all.push_back(run);
    chunks.push_back(tiling.reduction.countRuns(d));
    alignments.push_back(chunks.back() > 1 ? run : 0);
  }
  product.emplace(kernel, operands, all, alignments);
}

/// The digits of a unit's first element, relative to the tile.
SmallVector<Value> FmaStep::getUnitDigits(Value unit) const {
  // Neighbouring work-items have neighbouring matrices, or neighbouring lines
  // of one, which are near each other where positions are innermost.
  size_t last = tiling.areUnitsNeighbours(kernel.chip) ? batchRank : 0;
  SmallVector<int64_t> order = units;
  std::rotate(order.begin(), order.begin() + last, order.end());
  SmallVector<Value> digits = math.split(unit, order);
  std::rotate(digits.begin(), digits.end() - last, digits.end());
  for (auto [digit, extent] : llvm::zip_equal(digits, extents))
    digit = math.mul(digit, extent);
  return digits;
}

SmallVector<Value> FmaStep::create(ValueRange sums) const {
  ImplicitLocOpBuilder &b = kernel.b;
  Value unit = math.rem(number, numUnits);
  auto loop = scf::ForOp::create(
      b, math.div(number, numUnits), math.constant(llvm::product_of(chunks)),
      math.constant(kernel.workItems / numUnits), sums,
      [&](OpBuilder &, Location, Value chunk, ValueRange carried) {
        SmallVector<Value> digits = getUnitDigits(unit);
        for (auto [d, digit] : llvm::enumerate(math.split(chunk, chunks)))
          digits.push_back(math.mul(digit, tiling.reduction.getRun(d)));
        scf::YieldOp::create(b, product->create({digits}, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

DirectStep::Place FmaStep::locate(Value unit, Value element) const {
  Place place{getUnitDigits(unit), math.yes()};
  for (auto [digit, within] :
       llvm::zip_equal(place.digits, math.split(element, extents)))
    digit = math.add(digit, within);
  return place;
}

std::unique_ptr<DirectStep>
mlir::conv::createFmaStep(const Kernel &kernel,
                          const DirectOperands &operands) {
  return std::make_unique<FmaStep>(kernel, operands);
}
