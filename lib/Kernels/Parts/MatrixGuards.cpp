//===- MatrixGuards.cpp - elements of a view that may be outside ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates that may leave the tensor: which ones do, the conditions under
// which an element is inside, and the range of neighbours that are. A
// coordinate that no index brings outside needs no condition.
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

Value mlir::conv::createPadded(const IndexMath &math, PaddingMode padding,
                               Value coordinate, int64_t size) {
  switch (padding) {
  case PaddingMode::Zeros:
    return coordinate;
  case PaddingMode::Reflect: {
    Value positive = math.maximum(coordinate, math.mul(coordinate, -1));
    return math.minimum(positive,
                        math.add(math.mul(positive, -1), 2 * (size - 1)));
  }
  case PaddingMode::Replicate:
    return math.minimum(math.maximum(coordinate, math.constant(0)),
                        math.constant(size - 1));
  case PaddingMode::Circular:
    return math.rem(math.add(coordinate, size), size);
  }
  llvm_unreachable("every mode has a coordinate");
}

std::pair<int64_t, int64_t>
MatrixAccess::getRange(size_t subproblem, size_t check,
                       std::optional<Congruence> known) const {
  int64_t low = checks[check].constant[subproblem], high = low;
  for (auto [index, all] : llvm::enumerate(digits))
    for (const Digit &digit : all) {
      int64_t size = digit.size[subproblem], first = 0, last = size - 1;
      if (known && index == static_cast<size_t>(known->index) &&
          &digit == &all.back()) {
        int64_t modulus =
            known->ofDivisors ? std::gcd(size, known->modulus) : known->modulus;
        if (size % modulus == 0) {
          first = known->remainder % modulus;
          last = size - modulus + first;
        }
      }
      int64_t step = digit.steps[check][subproblem];
      low += std::min(first * step, last * step);
      high += std::max(first * step, last * step);
    }
  return {low, high};
}

/// Whether a coordinate is inside for all indices that satisfy `known`. Next to
/// one border, only some elements of a vector can be outside.
bool MatrixAccess::isInside(size_t check,
                            std::optional<Congruence> known) const {
  return llvm::all_of(llvm::seq(subproblems), [&](size_t subproblem) {
    auto [low, high] = getRange(subproblem, check, known);
    return low >= 0 && high < checks[check].size;
  });
}

bool MatrixAccess::hasNarrowCoordinates() const {
  return llvm::all_of(llvm::seq(checks.size()), [&](size_t i) {
    return llvm::all_of(llvm::seq(subproblems), [&](size_t subproblem) {
      auto [low, high] = getRange(subproblem, i, std::nullopt);
      return llvm::isInt<32>(low) && llvm::isInt<32>(high) &&
             llvm::isInt<32>(checks[i].size);
    });
  });
}

bool MatrixAccess::isGuarded() const {
  return llvm::any_of(llvm::seq(checks.size()), [&](size_t i) {
    return checks[i].padding == PaddingMode::Zeros &&
           !isInside(i, std::nullopt);
  });
}

Value MatrixAccess::createGuard(const Position &position, Value guard,
                                std::optional<Congruence> known) const {
  for (auto [i, check] : llvm::enumerate(checks))
    if (check.padding == PaddingMode::Zeros && !isInside(i, known))
      guard = math.both(guard, math.below(position.coordinates[i], check.size));
  return guard;
}

bool MatrixAccess::hasRange(MatrixIndex index) const {
  return hasLinearOffsets() && (digitsOf(index).empty() ||
                                llvm::all_of(digitsOf(index).back().steps,
                                             [](const SharedNumber &step) {
                                               return step.isUniform() &&
                                                      step.getUniform() >= 0;
                                             }));
}

std::pair<Value, Value> MatrixAccess::createRange(const Position &start,
                                                  MatrixIndex index,
                                                  Value length) const {
  ArrayRef<Digit> all = digitsOf(index);
  return createRange(start,
                     all.empty() ? ArrayRef<SharedNumber>() : all.back().steps,
                     /*repeat=*/1, math.constant(0), length);
}

const MatrixAccess::Digit *
MatrixAccess::getRangeDigit(MatrixIndex index) const {
  ArrayRef<Digit> all = digitsOf(index);
  if (all.size() < 2 || !isCheckedTogether(index) ||
      !all.back().size.isUniform())
    return nullptr;
  const Digit &digit = all[all.size() - 2];
  bool isEven = digit.size.isUniform() &&
                digit.distance.isAlways(getInnermostDistance(index) *
                                        getInnermostSize(index));
  bool hasRange = llvm::all_of(digit.steps, [](const SharedNumber &step) {
    return step.isUniform() && step.getUniform() >= 0;
  });
  return isEven && hasRange ? &digit : nullptr;
}

int64_t MatrixAccess::getEvenRangeSize(MatrixIndex index) const {
  const Digit *digit = getRangeDigit(index);
  return getInnermostSize(index) * (digit ? digit->size.getUniform() : 1);
}

std::pair<Value, Value> MatrixAccess::createEvenRange(const Position &start,
                                                      MatrixIndex index,
                                                      Value first,
                                                      Value length) const {
  const Digit *digit = getRangeDigit(index);
  if (!digit)
    return createRange(start, index, length);
  int64_t repeat = getInnermostSize(index);
  return createRange(start, digit->steps, repeat, math.rem(first, repeat),
                     length);
}

std::pair<Value, Value> MatrixAccess::createRange(const Position &start,
                                                  ArrayRef<SharedNumber> steps,
                                                  int64_t repeat, Value within,
                                                  Value length) const {
  Value first = math.constant(0), last = length, isThere = math.yes();
  for (auto [i, check] : llvm::enumerate(checks)) {
    if (check.padding != PaddingMode::Zeros || isInside(i, std::nullopt))
      continue;
    Value coordinate = start.coordinates[i];
    int64_t step = steps.empty() ? 0 : steps[i].getUniform();
    if (step == 0) {
      isThere = math.both(isThere, math.below(coordinate, check.size));
      continue;
    }
    auto countUntil = [&](int64_t limit) {
      Value distance = math.sub(math.constant(limit), coordinate);
      if (step != 1)
        distance = math.div(
            math.add(math.maximum(distance, math.constant(0)), step - 1), step);
      return math.sub(math.mul(distance, repeat), within);
    };
    first = math.maximum(first, countUntil(0));
    last = math.minimum(last, countUntil(check.size));
  }
  return {first, math.select(isThere, last, math.constant(0))};
}

bool MatrixAccess::areGuardedAlike(const Congruence &lhs,
                                   const Congruence &rhs) const {
  const Digit *digit =
      digitsOf(lhs.index).empty() ? nullptr : &digitsOf(lhs.index).back();
  if (!digit)
    return false;
  // Rows may end after each of so many elements.
  int64_t modulus = digit->size.gcd(lhs.modulus);
  if (lhs.remainder / modulus != rhs.remainder / modulus)
    return false;
  for (auto [i, check] : llvm::enumerate(checks)) {
    bool isChecked = !isInside(i, lhs);
    if (check.padding != PaddingMode::Zeros || isChecked == isInside(i, rhs) ||
        (isChecked && !digit->steps[i].isAlways(0)))
      return false;
  }
  return true;
}

bool MatrixAccess::isCheckedTogether(MatrixIndex index) const {
  return digitsOf(index).empty() ||
         llvm::all_of(digitsOf(index).back().steps,
                      [](const auto &step) { return step.isAlways(0); });
}

int64_t MatrixAccess::getCheckedWidth(size_t check, MatrixIndex index) const {
  const Check &of = checks[check];
  const Digit &innermost = digitsOf(index).back();
  if (innermost.steps[check].isAlways(0))
    return 0;
  bool isMasked =
      of.padding == PaddingMode::Zeros && innermost.steps[check].isAlways(1);
  if (!isMasked)
    return 1;
  if (isInside(check, std::nullopt))
    return 0;
  int64_t width = of.constant.gcd(of.size);
  for (const SmallVector<Digit> &part : digits)
    for (const Digit &digit : part)
      if (&digit != &innermost)
        width = digit.steps[check].gcd(width);
  return width;
}
