//===- DirectReduction.cpp - small results of long reductions ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a group's filter has few elements, each a sum over all
// pixels. A workgroup computes all elements of its matrices: it copies one step
// of the reduction after the other to shared memory, and its work-items divide
// each step (`DirectStep`). At the end, work-items add up their sums, always in
// the same order.
//
//===----------------------------------------------------------------------===//

#include "../Parts/AsyncPipeline.h"
#include "../Parts/MultiplyAdd.h"
#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "DirectCycles.h"
#include "DirectEpilogue.h"
#include "DirectStep.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectReduction {
public:
  DirectReduction(Kernel &kernel, DirectOperands &operands);
  void create();

private:
  using Digits = SmallVector<Value>;
  Digits getStart(Value step) const;
  SmallVector<Value> createStep(Value step, ValueRange sums) const;
  SmallVector<Value> createStagedSums() const;
  SmallVector<Value> createSums() const;
  /// Sums of each element of each unit in shared memory.
  struct Partials {
    int64_t slices;   ///< Sums of an element of a unit.
    int64_t distance; ///< From the sums of an element to those of the next.
  };
  void createTotals(ValueRange sums, int64_t firstElement) const;
  void createTotal(Value number, int64_t firstElement, Partials of) const;
  int64_t countRemainingSums() const;
  Partials createFirstRound(int64_t elements, int64_t remaining) const;
  int64_t countSlices() const { return kernel.workItems / products->numUnits; }
  Value createOffset(Value element, Value item, int64_t distance) const {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), math.add(math.mul(element, distance), item));
  }

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  DirectOperands &operands;
  const DirectTiling &tiling;
  Value partials;
  std::unique_ptr<DirectStep> products;
  Digits first; ///< Batch digits of the tile.
};
} // namespace

DirectReduction::DirectReduction(Kernel &kernel, DirectOperands &operands)
    : kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      tiling(operands.tiling), partials(operands.others.front()),
      products(tiling.banded   ? createBandedStep(kernel, operands)
               : tiling.blocks ? createBlockStep(kernel, operands)
                               : createFmaStep(kernel, operands)) {}

/// The first digits of a step of the reduction.
DirectReduction::Digits DirectReduction::getStart(Value step) const {
  SmallVector<int64_t> tiles;
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d)
    tiles.push_back(tiling.reduction.getTiles(d));
  Digits start = math.split(step, tiles);
  for (auto [digit, size] : llvm::zip_equal(start, tiling.reduction.sizes))
    digit = math.mul(digit, size);
  return start;
}

/// Adds the products of one step.
SmallVector<Value> DirectReduction::createStep(Value step,
                                               ValueRange sums) const {
  // After this, nobody reads the previous step any more.
  gpu::BarrierOp::create(b);
  operands.copy(first, operands.createZeros(tiling.rows), getStart(step));
  gpu::BarrierOp::create(b);
  return products->create(sums);
}

/// Adds the products of all steps, while the next ones arrive.
SmallVector<Value> DirectReduction::createStagedSums() const {
  auto fill = [&](Value step, Value stage,
                  Value guard) -> std::function<void()> {
    operands.setStage(stage);
    scf::IfOp::create(b, guard, [&](OpBuilder &, Location) {
      operands.startCopy(first, operands.createZeros(tiling.rows),
                         getStart(step));
      scf::YieldOp::create(b);
    });
    return [] {};
  };
  auto multiply = [&](Value stage, ValueRange sums) {
    operands.setStage(stage);
    return products->create(sums);
  };
  return createAsyncPipeline(kernel, tiling.reduction.getNumTiles(),
                             kernel.form.schedule.getStages(),
                             products->createZeros(), {fill, multiply});
}

SmallVector<Value> DirectReduction::createSums() const {
  if (kernel.form.schedule.getStages() > 1)
    return createStagedSums();
  SmallVector<Value> zeros = products->createZeros();
  int64_t steps = tiling.reduction.getNumTiles();
  if (steps == 1)
    return createStep(math.constant(0), zeros);
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(steps), math.constant(1), zeros,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        scf::YieldOp::create(b, createStep(step, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Work-items that add up many sums wait for one read after the other, which is
/// most of the time of small layers by the clock of AMD chips. Nothing else
/// shows what a round before it saves.
int64_t DirectReduction::countRemainingSums() const {
  return kernel.chip.isClocked()
             ? DirectTiling::countRemainingSums(
                   countSlices(), products->numUnits, kernel.workItems,
                   kernel.chip.calibration->direct.rounds)
             : 1;
}

/// Replaces the sums of all slices of `elements` elements by `remaining` sums
/// of each. Work-item i adds up sums that are as far apart as as many remain of
/// an element, so that neighbours read neighbours.
DirectReduction::Partials
DirectReduction::createFirstRound(int64_t elements, int64_t remaining) const {
  int64_t ofElement = remaining * products->numUnits;
  int64_t all = countSlices() * products->numUnits;
  Type type = cast<MemRefType>(partials.getType()).getElementType();
  Value element = math.div(kernel.workItem, ofElement);
  Value first = math.rem(kernel.workItem, ofElement);
  Value isBusy = math.below(kernel.workItem, elements * ofElement);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  auto sum = scf::IfOp::create(
      b, isBusy,
      [&](OpBuilder &, Location) {
        SmallVector<Value> read;
        for (int64_t from = 0; from < all; from += ofElement) {
          Value item = math.add(first, from);
          // The last one may have fewer; it reads its first sum again.
          bool isWhole = from + ofElement <= all;
          Value isThere = isWhole ? math.yes() : math.below(item, all);
          item = isWhole ? item : math.select(isThere, item, first);
          Value partial = memref::LoadOp::create(
              b, partials, createOffset(element, item, kernel.workItems));
          read.push_back(isWhole ? partial
                                 : math.select(isThere, partial, zero));
        }
        Value total = read.front();
        for (Value partial : ArrayRef(read).drop_front())
          total = addSums(b, b.getLoc(), total, partial);
        scf::YieldOp::create(b, ValueRange(total));
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, ValueRange(zero));
      });
  gpu::BarrierOp::create(b);
  memref::StoreOp::create(b, sum.getResult(0), partials,
                          createOffset(math.constant(0), kernel.workItem, 0));
  gpu::BarrierOp::create(b);
  return {remaining, ofElement};
}

/// Adds up one element of one unit over all slices, and stores it.
void DirectReduction::createTotal(Value number, int64_t firstElement,
                                  Partials of) const {
  Value element = math.div(number, products->numUnits);
  Value unit = math.rem(number, products->numUnits);
  Type type = cast<MemRefType>(partials.getType()).getElementType();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  auto sum = scf::ForOp::create(
      b, math.constant(0), math.constant(of.slices * products->numUnits),
      math.constant(products->numUnits), zero,
      [&](OpBuilder &, Location, Value item, ValueRange carried) {
        Value partial = memref::LoadOp::create(
            b, partials,
            createOffset(element, math.add(item, unit), of.distance));
        scf::YieldOp::create(
            b, ValueRange(addSums(b, b.getLoc(), carried[0], partial)));
      });

  DirectStep::Place place =
      products->locate(unit, math.add(element, firstElement));
  ElementBox box;
  for (auto [d, digit] : llvm::enumerate(place.digits)) {
    bool isBatch = d < tiling.batch.getRank();
    if (isBatch)
      digit = math.add(digit, first[d]);
    box.digits.push_back({1, 1, isBatch && tiling.batch.mayExceed(d)});
  }
  scf::IfOp::create(b, place.guard, [&](OpBuilder &, Location) {
    createDirectEpilogue(kernel, box, place.digits, sum.getResults());
    scf::YieldOp::create(b);
  });
}

/// Adds up as many elements of each work-item as the buffer holds.
void DirectReduction::createTotals(ValueRange sums,
                                   int64_t firstElement) const {
  gpu::BarrierOp::create(b);
  for (auto [i, sum] : llvm::enumerate(sums))
    memref::StoreOp::create(
        b, sum, partials,
        createOffset(math.constant(i), products->number, kernel.workItems));
  gpu::BarrierOp::create(b);
  Partials of = {countSlices(), kernel.workItems};
  if (int64_t remaining = countRemainingSums(); remaining > 1)
    of = createFirstRound(int64_t(sums.size()), remaining);
  scf::ForOp::create(b, kernel.workItem,
                     math.constant(int64_t(sums.size()) * products->numUnits),
                     math.constant(kernel.workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value number, ValueRange) {
                       createTotal(number, firstElement, of);
                       scf::YieldOp::create(b);
                     });
}

void DirectReduction::create() {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  first = math.split(origin.batch, tiling.batch.digits);
  SmallVector<Value> sums = products->getElements(createSums());
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
  auto partials = MemRefType::get(
      {DirectTiling::kPartials * kernel.workItems},
      getAccumulatorType(kernel.form.lhs.getElementType()), AffineMap(), space);
  if (tiling->banded)
    function->setAttr(kResidentWorkgroupsName,
                      kernel.b.getI32IntegerAttr(tiling->countResident(
                          kernel.chip, kernel.form.schedule.getNumSubgroups(),
                          tiling->countBandedRegisters())));
  DirectOperands operands(kernel, function, *tiling, partials);
  DirectReduction(kernel, operands).create();
  return success();
}
