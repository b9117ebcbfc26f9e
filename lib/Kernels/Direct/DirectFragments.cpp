//===- DirectFragments.cpp - fragments of filters and windows ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectFragments.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<TapPair> mlir::conv::enumerateTapPairs(const DirectTiling &tiling) {
  const FilterBlocks &filter = *tiling.filter;
  SmallVector<int64_t> sizes = tiling.reduction.digits;
  if (filter.channel)
    sizes[*filter.channel] = 1;
  SmallVector<TapPair> pairs;
  for (int64_t number = 0; number < llvm::product_of(sizes); ++number) {
    SmallVector<int64_t> tap(sizes.size());
    int64_t rest = number;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      tap[d] = rest % sizes[d];
    if (!filter.tap || tap[*filter.tap] % FilterBlocks::kTaps == 0)
      pairs.emplace_back();
    pairs.back().taps.push_back(tap);
  }
  return pairs;
}

Value mlir::conv::getPairLane(const Kernel &kernel) {
  return kernel.math.rem(kernel.lane, kernel.atom.groupsOfK());
}

Value mlir::conv::getRowLane(const Kernel &kernel) {
  return kernel.math.div(kernel.lane, kernel.atom.groupsOfK());
}

/// `first` plus the sum of `digits` times `distances`.
static Value createPlace(const IndexMath &math, Value first,
                         ArrayRef<Value> digits, ArrayRef<int64_t> distances) {
  for (auto [digit, distance] : llvm::zip_equal(digits, distances))
    first = math.add(first, math.mul(digit, distance));
  return first;
}

//===----------------------------------------------------------------------===//
// FilterFragments
//===----------------------------------------------------------------------===//

FilterFragments::FilterFragments(const Kernel &kernel,
                                 const DirectOperands &operands,
                                 ArrayRef<Value> batch)
    : kernel(kernel), operands(operands), batch(batch) {
  ImplicitLocOpBuilder &b = kernel.b;
  constexpr int64_t kElements = FilterBlocks::kTaps * FilterBlocks::kPair;
  Type element = kernel.form.rhs.getElementType();
  auto type = VectorType::get({kElements}, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  for (const TapPair &pair : enumerateTapPairs(operands.tiling)) {
    SmallVector<Value> elements;
    for (ArrayRef<int64_t> tap : pair.taps)
      for (int64_t i = 0; i < FilterBlocks::kPair; ++i)
        elements.push_back(createElement(tap, i));
    elements.resize(kElements, zero);
    fragments.push_back(vector::FromElementsOp::create(b, type, elements));
  }
}

/// The filter element of the lane's output channel and of its input channel
/// `inPair`; zero if the two are of different groups.
Value FilterFragments::createElement(ArrayRef<int64_t> tap,
                                     int64_t inPair) const {
  const IndexMath &math = kernel.math;
  ImplicitLocOpBuilder &b = kernel.b;
  const DirectTiling &tiling = operands.tiling;
  int64_t channels = tiling.filter->channels;
  Value output = getRowLane(kernel);
  Value input =
      math.add(math.mul(getPairLane(kernel), FilterBlocks::kPair), inPair);

  SmallVector<Value> digits = batch;
  Value &matrix = digits[tiling.batch.innermost];
  matrix = math.add(matrix, math.div(output, channels));
  SmallVector<Value> columns = operands.createZeros(tiling.columns);
  if (channels > 1)
    columns[tiling.columns.innermost] = math.rem(output, channels);
  llvm::append_range(digits, columns);
  for (auto [d, digit] : llvm::enumerate(tap))
    digits.push_back(d == tiling.filter->channel ? math.rem(input, channels)
                                                 : math.constant(digit));
  Value offset = createPlace(math, math.constant(tiling.rhs.first), digits,
                             tiling.rhs.distances);
  Value loaded =
      vector::ExtractOp::create(b, operands.rhs.load(offset, 1), int64_t(0));
  Value isOfGroup = math.below(
      math.bitXor(math.div(output, channels), math.div(input, channels)), 1);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType()));
  return arith::SelectOp::create(b, isOfGroup, loaded, zero);
}

//===----------------------------------------------------------------------===//
// WindowFragments
//===----------------------------------------------------------------------===//

WindowFragments::WindowFragments(const Kernel &kernel,
                                 const DirectOperands &operands,
                                 ArrayRef<Value> batch, ArrayRef<Value> rows)
    : kernel(kernel), operands(operands) {
  const IndexMath &math = kernel.math;
  const DirectTiling &tiling = operands.tiling;
  const TensorBox &box = tiling.lhs;
  auto digits = llvm::to_vector(batch);
  llvm::append_range(digits, rows);
  base = createPlace(math, math.constant(box.first), digits,
                     ArrayRef(box.distances).take_front(digits.size()));
}

int64_t WindowFragments::getDistance(int64_t line,
                                     ArrayRef<int64_t> tap) const {
  const DirectTiling &tiling = operands.tiling;
  ArrayRef<int64_t> distances = tiling.lhs.distances;
  size_t firstRow = tiling.batch.getRank();
  int64_t distance =
      line == 0 ? 0 : line * distances[firstRow + tiling.rows.innermost - 1];
  for (auto [digit, step] :
       llvm::zip_equal(tap, distances.take_back(tap.size())))
    distance += digit * step;
  return distance;
}

BlockWords WindowFragments::load(int64_t distance) {
  auto [loaded, isNew] = words.try_emplace(distance);
  if (isNew)
    loaded->second =
        loadBlocks(kernel, operands.lhs, kernel.math.add(base, distance),
                   PairOf::Channels);
  return loaded->second;
}

Value WindowFragments::createFragment(int64_t line, const TapPair &pair) {
  ImplicitLocOpBuilder &b = kernel.b;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(b.getI32Type()));
  SmallVector<BlockWords> taps;
  for (ArrayRef<int64_t> tap : pair.taps)
    taps.push_back(load(getDistance(line, tap)));
  taps.resize(FilterBlocks::kTaps, {zero, zero});
  SmallVector<Value> elements;
  for (size_t half = 0; half < std::tuple_size_v<BlockWords>; ++half)
    for (const BlockWords &tap : taps)
      elements.push_back(tap[half]);
  return mlir::conv::createFragment(b, elements,
                                    kernel.form.lhs.getElementType());
}
