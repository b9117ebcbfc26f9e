//===- StateAccess.cpp - accesses of work-items to states -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts of items, and accesses of elements at known distances.
//
//===----------------------------------------------------------------------===//

#include "StateAccess.h"

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t mlir::conv::getCommonAlignment(ArrayRef<int64_t> strides) {
  int64_t all = 0;
  for (int64_t stride : strides)
    all = std::gcd(all, stride);
  return all == 0 ? int64_t(1) << 20 : all & -all;
}

StateAccess::StateAccess(ImplicitLocOpBuilder &builder, const IndexMath &math,
                         const ::conv::ChipInfo &chip, gpu::GPUFuncOp function,
                         const RunTimeSizes &sizes, ArrayRef<Value> numbers,
                         int64_t workItems)
    : b(builder), math(math), chip(chip), function(function),
      workItems(workItems), sizes(sizes), numbers(numbers),
      branched(chip.isProcessor()) {}

Value mlir::conv::createProduct(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(lhs, rhs);
}

Value mlir::conv::isBelow(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lhs, rhs);
}

Value StateAccess::getSize(char letter, int64_t known,
                           const IndexMath &width) const {
  if (!ShapedType::isDynamic(known))
    return width.constant(known);
  return width.cast(numbers[*sizes.find(letter)]);
}

ItemCount StateAccess::multiply(ItemCount count, char letter, int64_t known,
                                int64_t per) const {
  if (ShapedType::isDynamic(known))
    count.factors.push_back({*sizes.find(letter), per});
  else
    count.constant *= llvm::divideCeil(known, per);
  return count;
}

Value StateAccess::getCount(const ItemCount &count) const {
  Value all = math.constant(count.constant);
  for (auto [size, per] : count.factors)
    all =
        createProduct(b, all, math.div(math.add(numbers[size], per - 1), per));
  return all;
}

Value StateAccess::scale(const StateTensor &tensor, unsigned dimension,
                         Value index, int64_t factor) const {
  Value scaled = math.mul(index, factor * tensor.strides[dimension]);
  Value more = tensor.scales.empty() ? Value() : tensor.scales[dimension];
  return more ? createProduct(b, scaled, more) : scaled;
}

int64_t mlir::conv::countChannels(const ::conv::ChipInfo &chip,
                                  int64_t channels, int64_t elements,
                                  Type element, int64_t most) {
  int64_t leastItems = chip.computeUnits * chip.calibration->state.itemsPerUnit;
  int64_t bytes = getElementBytes(element);
  constexpr int64_t kWordBytes = 4;
  int64_t count = llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(kVectorBytes / bytes, 1, most));
  while (count * bytes > kWordBytes && elements / count < leastItems)
    count /= 2;
  return std::gcd(count, channels);
}

SmallVector<StateAccess::Run> StateAccess::split(const StateTensor &tensor,
                                                 int64_t alignment,
                                                 ArrayRef<int64_t> places) {
  int64_t widest =
      std::min(alignment, kVectorBytes / getElementBytes(tensor.element));
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(places.size()));
  llvm::sort(order,
             [&](size_t lhs, size_t rhs) { return places[lhs] < places[rhs]; });
  SmallVector<Run> runs;
  for (size_t i = 0; i < order.size();) {
    int64_t first = places[order[i]];
    size_t length = 1;
    while (i + length < order.size() &&
           places[order[i + length]] == first + int64_t(length))
      ++length;
    int64_t width = std::min<int64_t>(widest, llvm::bit_floor(length));
    while (first % width != 0)
      width /= 2;
    runs.push_back(
        {first, SmallVector<size_t>(ArrayRef(order).slice(i, width))});
    i += width;
  }
  return runs;
}

void StateAccess::prefetch(const StateTensor &tensor, Value offset,
                           ArrayRef<int64_t> places, Value guard) const {
  SmallVector<int64_t> sorted = llvm::to_vector(places);
  llvm::sort(sorted);
  int64_t perLine = chip.prefetchBytes / getElementBytes(tensor.element);
  PtxBuilder ptx(b);
  Value buffer = ptx.getAddress(tensor.buffer);
  for (size_t i = 0; i < sorted.size();) {
    int64_t first = sorted[i];
    while (++i < sorted.size() && sorted[i] <= sorted[i - 1] + 1)
      ;
    // Neighbours have the rest of the line.
    Value start = math.add(offset, first);
    Value hasStart = isBelow(b, math.rem(start, perLine),
                             math.constant(sorted[i - 1] + 1 - first));
    ptx.createIf(math.both(guard, hasStart), [&] {
      ptx.prefetchToL2(LLVM::GEPOp::create(b, buffer.getType(), tensor.element,
                                           buffer,
                                           ArrayRef<LLVM::GEPArg>{start}));
    });
  }
}

void StateAccess::finishLoads() const {
  if (timing == LoadTiming::BeforeNext)
    PtxBuilder(b).startNextKernel();
}

SmallVector<Value> StateAccess::load(const StateTensor &tensor, Value offset,
                                     int64_t alignment,
                                     ArrayRef<int64_t> places,
                                     Value guard) const {
  SmallVector<Value> elements(places.size());
  if (isPrefetching()) {
    prefetch(tensor, offset, places, guard);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(tensor.element));
    return SmallVector<Value>(places.size(), zero);
  }
  // Several channels of a group may share a place.
  llvm::SmallDenseMap<int64_t, Value> loaded;
  SmallVector<int64_t> different;
  for (int64_t place : places)
    if (loaded.try_emplace(place).second)
      different.push_back(place);
  for (const Run &run : split(tensor, alignment, different)) {
    Value vector =
        createGuardedLoad(b, tensor.buffer, math.add(offset, run.first), guard,
                          int64_t(run.numbers.size()));
    for (auto [i, number] : llvm::enumerate(run.numbers))
      loaded[different[number]] =
          vector::ExtractOp::create(b, vector, int64_t(i));
  }
  for (auto [element, place] : llvm::zip(elements, places))
    element = loaded[place];
  return elements;
}

void StateAccess::store(ArrayRef<Value> elements, const StateTensor &tensor,
                        Value offset, int64_t alignment,
                        ArrayRef<int64_t> places, Value guard) const {
  if (!branched || matchPattern(guard, m_One()))
    return storeRuns(elements, tensor, offset, alignment, places, guard);
  scf::IfOp::create(b, guard, [&](OpBuilder &, Location) {
    storeRuns(elements, tensor, offset, alignment, places, math.yes());
    scf::YieldOp::create(b);
  });
}

void StateAccess::storeRuns(ArrayRef<Value> elements, const StateTensor &tensor,
                            Value offset, int64_t alignment,
                            ArrayRef<int64_t> places, Value guard) const {
  for (const Run &run : split(tensor, alignment, places)) {
    SmallVector<Value> part = llvm::map_to_vector(
        run.numbers, [&](size_t number) { return elements[number]; });
    auto type = VectorType::get({int64_t(part.size())}, tensor.element);
    createGuardedStore(b, vector::FromElementsOp::create(b, type, part),
                       tensor.buffer, math.add(offset, run.first), guard);
  }
}

Value StateAccess::loadNumber(const StateTensor &vector, Value index,
                              Value guard) const {
  Value offset = math.mul(index, vector.strides[0]);
  Value loaded =
      createGuardedLoad(b, vector.buffer, offset, guard, /*elements=*/1);
  Value number = vector::ExtractOp::create(b, loaded, 0);
  return IndexMath(b, b.getI64Type()).cast(number);
}

std::array<Value, 3> mlir::conv::splitItem(const IndexMath &math, Value item,
                                           int64_t tokens, int64_t chunks) {
  SmallVector<Value> digits = math.split(item, {1, tokens, chunks});
  return {digits[0], digits[1], digits[2]};
}

SmallVector<int64_t> mlir::conv::listChannels(int64_t channels,
                                              int64_t stride) {
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < channels; ++i)
    places.push_back(i * stride);
  return places;
}
