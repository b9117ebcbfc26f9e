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

FmaStep::FmaStep(const Kernel &kernel, const DirectOperands &operands)
    : DirectStep(operands.tiling.countSharedBoxes()), kernel(kernel),
      math(kernel.math), tiling(operands.tiling),
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
  // Neighbouring work-items have neighbouring matrices.
  SmallVector<int64_t> order = units;
  std::rotate(order.begin(), order.begin() + batchRank, order.end());
  SmallVector<Value> digits = math.split(unit, order);
  std::rotate(digits.begin(), digits.end() - batchRank, digits.end());
  for (auto [digit, extent] : llvm::zip_equal(digits, extents))
    digit = math.mul(digit, extent);
  return digits;
}

SmallVector<Value> FmaStep::create(ValueRange sums) const {
  ImplicitLocOpBuilder &b = kernel.b;
  Value unit = math.rem(kernel.workItem, numUnits);
  auto loop = scf::ForOp::create(
      b, math.div(kernel.workItem, numUnits),
      math.constant(llvm::product_of(chunks)),
      math.constant(kernel.workItems / numUnits), sums,
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        SmallVector<Value> digits = getUnitDigits(unit);
        for (auto [d, digit] : llvm::enumerate(math.split(number, chunks)))
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
