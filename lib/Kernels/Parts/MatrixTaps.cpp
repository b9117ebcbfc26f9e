//===- MatrixTaps.cpp - the part of addresses that lanes share --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all lanes are in the same tap of an index, its contribution to an
// offset is the same for them, and what differs is whether the tap is outside.
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::conv;

/// A quotient stands for its digit and all outer ones, of which the digits
/// after it have counted a part. So no remainder is computed.
Value MatrixAccess::createDistance(MatrixIndex index, Value value) const {
  SmallVector<Digit> all;
  for (const Digit &digit : digitsOf(index))
    all.push_back({digit.size, digit.distance, {}});
  simplify(all);
  Value offset = math.constant(0);
  int64_t counted = 0;
  for (const Digit &digit : llvm::reverse(all)) {
    int64_t size = digit.size.getUniform(),
            distance = digit.distance.getUniform();
    offset = math.add(offset, math.mul(value, distance - counted));
    counted = distance * size;
    if (&digit != all.begin())
      value = math.div(value, size);
  }
  return offset;
}

std::pair<int64_t, int64_t>
MatrixAccess::getDistanceRange(MatrixIndex index) const {
  int64_t low = index == MatrixIndex::Row ? constant.getUniform() : 0;
  int64_t high = low;
  for (const Digit &digit : digitsOf(index)) {
    int64_t last = (digit.size.getUniform() - 1) * digit.distance.getUniform();
    low += std::min<int64_t>(0, last);
    high += std::max<int64_t>(0, last);
  }
  return {low, high};
}

ArrayRef<MatrixAccess::Digit> MatrixAccess::getTapDigits(MatrixIndex index,
                                                         Tap of) const {
  ArrayRef<Digit> all = digitsOf(index);
  return of == Tap::Run ? all.drop_back() : all;
}

/// The step of a coordinate from the first to another one of all taps.
int64_t MatrixAccess::getStepOfTap(size_t check, MatrixIndex index, Tap of,
                                   int64_t tap) const {
  ArrayRef<Digit> digits = getTapDigits(index, of);
  int64_t step = 0;
  for (const Digit &digit : llvm::reverse(digits)) {
    bool isFirst = &digit == digits.begin();
    int64_t size = digit.size.getUniform();
    step += (isFirst ? tap : tap % size) * digit.steps[check].getUniform();
    tap /= size;
  }
  return step;
}

int64_t MatrixAccess::countTapGuards(MatrixIndex index) const {
  ArrayRef<Digit> all = digitsOf(index);
  if (all.empty())
    return 1;
  ArrayRef<Digit> moving = all.drop_back().drop_while([](const Digit &digit) {
    return llvm::all_of(
        digit.steps, [](const SharedNumber &step) { return step.isAlways(0); });
  });
  int64_t taps = 1;
  for (const Digit &digit : moving)
    taps *= digit.size.getUniform();
  return taps;
}

MatrixAccess::Period MatrixAccess::getPeriod(MatrixIndex index) const {
  Period period{1, 0};
  for (const Digit &digit : llvm::reverse(digitsOf(index))) {
    bool isMoving = llvm::any_of(digit.steps, [](const SharedNumber &step) {
      return !step.isAlways(0);
    });
    if (&digit == digitsOf(index).begin() && !isMoving)
      period.distance = digit.distance.getUniform();
    else
      period.elements *= digit.size.getUniform();
  }
  return period;
}

SmallVector<MatrixAccess::TapGuard>
MatrixAccess::createTapGuards(const Position &position, MatrixIndex index,
                              Tap of, int64_t taps) const {
  SmallVector<TapGuard> guards;
  for (auto [i, check] : llvm::enumerate(checks)) {
    if (check.padding != PaddingMode::Zeros)
      continue;
    // The coordinate's range without the index.
    auto [low, high] = getRange(/*subproblem=*/0, i, std::nullopt);
    for (const Digit &digit : digitsOf(index)) {
      int64_t last =
          (digit.size.getUniform() - 1) * digit.steps[i].getUniform();
      low -= std::min<int64_t>(0, last);
      high -= std::max<int64_t>(0, last);
    }
    llvm::MapVector<int64_t, uint32_t> tapsOfStep;
    for (int64_t tap = 0; tap < taps; ++tap)
      tapsOfStep[getStepOfTap(i, index, of, tap)] |= uint32_t(1) << tap;
    for (auto [step, some] : tapsOfStep)
      if (low + step < 0 || high + step >= check.size)
        guards.push_back(
            {math.below(math.add(position.coordinates[i], step), check.size),
             some});
  }
  return guards;
}
