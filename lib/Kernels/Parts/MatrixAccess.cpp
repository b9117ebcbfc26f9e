//===- MatrixAccess.cpp - addresses of a view's elements --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digits are merged where that saves a division: the pixels of a 1x1
// convolution become one digit, and so do the elements of a filter.
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

MatrixAccess::MatrixAccess(const IndexMath &math, const ViewedTensor &operand)
    : math(math) {
  ViewAttr view = operand.view;
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  ArrayRef<int64_t> shape = operand.type.getShape();
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<Digit> all;
  for (int64_t size : sizes)
    all.push_back({size, 0, {}});

  auto addCheck = [&](const ViewAttr::Coordinate &coordinate, int64_t size,
                      PaddingMode padding, int64_t distance) {
    checks.push_back({size, coordinate.constant, padding, distance});
    for (auto [digit, coefficient] : llvm::zip(all, coordinate.coefficients))
      digit.steps.push_back(coefficient);
  };
  for (auto [limit, condition] : llvm::zip(
           view.getLimits(), ArrayRef(coordinates).drop_front(shape.size())))
    addCheck(condition, limit, PaddingMode::Zeros, /*distance=*/0);
  // A dimension whose out-of-range coordinates are replaced is left out here;
  // createOffset adds its contribution later.
  SmallVector<int64_t> strides(operand.strides);
  for (auto [d, stride] : llvm::enumerate(strides)) {
    auto [low, high] = view.getRange(coordinates[d]);
    if (low >= 0 && high < shape[d])
      continue;
    bool isReplaced = view.getPadding() != PaddingMode::Zeros;
    addCheck(coordinates[d], shape[d], view.getPadding(),
             isReplaced ? stride : 0);
    if (isReplaced)
      stride = 0;
  }
  constant = getStart(view, strides);
  for (auto [digit, distance] : llvm::zip(all, getDistances(view, strides)))
    digit.distance = distance;

  ArrayRef<Digit> rest = all;
  for (auto [part, count] : llvm::zip(
           digits, std::array{view.getBatch().size(), view.getRows().size(),
                              view.getColumns().size()})) {
    part = llvm::to_vector(rest.take_front(count));
    rest = rest.drop_front(count);
    simplify(part);
  }
}

void MatrixAccess::simplify(SmallVectorImpl<Digit> &digits) {
  SmallVector<Digit> merged;
  for (const Digit &digit : digits) {
    if (digit.size == 1)
      continue;
    auto continues = [&](int64_t outer, int64_t inner) {
      return outer == inner * digit.size;
    };
    if (!merged.empty() && continues(merged.back().distance, digit.distance) &&
        llvm::all_of(llvm::zip(merged.back().steps, digit.steps),
                     [&](auto pair) {
                       return continues(std::get<0>(pair), std::get<1>(pair));
                     })) {
      int64_t outerSize = merged.back().size;
      merged.back() = digit;
      merged.back().size *= outerSize;
      continue;
    }
    merged.push_back(digit);
  }
  auto isZero = [](int64_t step) { return step == 0; };
  if (merged.size() == 1 && merged.front().distance == 0 &&
      llvm::all_of(merged.front().steps, isZero))
    merged.clear();
  digits = std::move(merged);
}

MatrixAccess::Position MatrixAccess::createPosition(MatrixIndex index,
                                                    Value value) const {
  bool isRow = index == MatrixIndex::Row;
  Position position{math.constant(isRow ? constant : 0), {}};
  for (const Check &check : checks)
    position.coordinates.push_back(math.constant(isRow ? check.constant : 0));
  ArrayRef<Digit> all = digitsOf(index);
  if (all.empty())
    return position;
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(all, [](const Digit &digit) { return digit.size; });
  for (auto [digit, part] : llvm::zip(all, math.split(value, sizes))) {
    position.offset = math.add(position.offset, math.mul(part, digit.distance));
    for (auto [coordinate, step] : llvm::zip(position.coordinates, digit.steps))
      if (step != 0)
        coordinate = math.add(coordinate, math.mul(part, step));
  }
  return position;
}

MatrixAccess::Position MatrixAccess::add(const Position &lhs,
                                         const Position &rhs) const {
  Position sum{math.add(lhs.offset, rhs.offset), {}};
  for (auto [left, right] : llvm::zip(lhs.coordinates, rhs.coordinates))
    sum.coordinates.push_back(math.add(left, right));
  return sum;
}

MatrixAccess::Position MatrixAccess::advance(const Position &position,
                                             MatrixIndex index,
                                             Value steps) const {
  if (digitsOf(index).empty())
    return position;
  const Digit &digit = digitsOf(index).back();
  Position further = position;
  further.offset = math.add(further.offset, math.mul(steps, digit.distance));
  for (auto [coordinate, step] : llvm::zip(further.coordinates, digit.steps))
    if (step != 0)
      coordinate = math.add(coordinate, math.mul(steps, step));
  return further;
}

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

Value MatrixAccess::createOffset(const Position &position) const {
  Value offset = position.offset;
  for (auto [coordinate, check] : llvm::zip(position.coordinates, checks))
    if (check.distance != 0)
      offset = math.add(offset, math.mul(createPadded(math, check.padding,
                                                      coordinate, check.size),
                                         check.distance));
  return offset;
}

std::pair<int64_t, int64_t>
MatrixAccess::getRange(size_t check, std::optional<Congruence> known) const {
  int64_t low = checks[check].constant, high = low;
  for (auto [index, all] : llvm::enumerate(digits))
    for (const Digit &digit : all) {
      int64_t first = 0, last = digit.size - 1;
      if (known && index == static_cast<size_t>(known->index) &&
          &digit == &all.back() && digit.size % known->modulus == 0) {
        first = known->remainder;
        last = digit.size - known->modulus + known->remainder;
      }
      int64_t step = digit.steps[check];
      low += std::min(first * step, last * step);
      high += std::max(first * step, last * step);
    }
  return {low, high};
}

/// Whether a coordinate is inside for all indices that satisfy `known`. Next to
/// one border, only some elements of a piece can be outside.
bool MatrixAccess::isInside(size_t check,
                            std::optional<Congruence> known) const {
  auto [low, high] = getRange(check, known);
  return low >= 0 && high < checks[check].size;
}

bool MatrixAccess::hasNarrowCoordinates() const {
  return llvm::all_of(llvm::seq(checks.size()), [&](size_t i) {
    auto [low, high] = getRange(i, std::nullopt);
    return llvm::isInt<32>(low) && llvm::isInt<32>(high) &&
           llvm::isInt<32>(checks[i].size);
  });
}

bool MatrixAccess::hasLinearOffsets() const {
  return llvm::all_of(checks,
                      [](const Check &check) { return check.distance == 0; });
}

Value MatrixAccess::createGuard(const Position &position, Value guard,
                                std::optional<Congruence> known) const {
  for (auto [i, check] : llvm::enumerate(checks))
    if (check.padding == PaddingMode::Zeros && !isInside(i, known))
      guard = math.both(guard, math.below(position.coordinates[i], check.size));
  return guard;
}

bool MatrixAccess::areGuardedAlike(const Congruence &lhs,
                                   const Congruence &rhs) const {
  const Digit *digit =
      digitsOf(lhs.index).empty() ? nullptr : &digitsOf(lhs.index).back();
  if (!digit || digit->size % lhs.modulus != 0)
    return false;
  for (auto [i, check] : llvm::enumerate(checks)) {
    bool isChecked = !isInside(i, lhs);
    if (check.padding != PaddingMode::Zeros || isChecked == isInside(i, rhs) ||
        (isChecked && digit->steps[i] != 0))
      return false;
  }
  return true;
}

int64_t MatrixAccess::getInnermostSize(MatrixIndex index) const {
  return digitsOf(index).empty() ? 1 : digitsOf(index).back().size;
}

int64_t MatrixAccess::getInnermostDistance(MatrixIndex index) const {
  return digitsOf(index).empty() ? 0 : digitsOf(index).back().distance;
}

int64_t MatrixAccess::getEvenSize(MatrixIndex index) const {
  int64_t size = 1;
  for (const Digit &digit : llvm::reverse(digitsOf(index))) {
    if (digit.distance != getInnermostDistance(index) * size)
      break;
    size *= digit.size;
  }
  return size;
}

std::optional<int64_t>
MatrixAccess::getDistanceTo(const MatrixAccess &other) const {
  if (digits != other.digits || checks != other.checks)
    return std::nullopt;
  return other.constant - constant;
}

bool MatrixAccess::differsOnlyInRows(const MatrixAccess &other) const {
  auto areEqual = [&](MatrixIndex index) {
    return digitsOf(index) == other.digitsOf(index);
  };
  if (!areEqual(MatrixIndex::Batch) || !areEqual(MatrixIndex::Column) ||
      checks.size() != other.checks.size())
    return false;
  for (auto [i, check] : llvm::enumerate(checks)) {
    const Check &others = other.checks[i];
    if (check.size != others.size || check.padding != others.padding ||
        check.distance != others.distance ||
        isInside(i, std::nullopt) != other.isInside(i, std::nullopt))
      return false;
  }
  return true;
}

bool MatrixAccess::isCheckedTogether(MatrixIndex index) const {
  return digitsOf(index).empty() ||
         llvm::all_of(digitsOf(index).back().steps,
                      [](int64_t step) { return step == 0; });
}

int64_t MatrixAccess::getCheckedWidth(size_t check, MatrixIndex index) const {
  const Check &of = checks[check];
  const Digit &innermost = digitsOf(index).back();
  if (innermost.steps[check] == 0)
    return 0;
  bool isMasked =
      of.padding == PaddingMode::Zeros && innermost.steps[check] == 1;
  if (!isMasked)
    return 1;
  if (isInside(check, std::nullopt))
    return 0;
  int64_t width = std::gcd(of.size, of.constant);
  for (const SmallVector<Digit> &part : digits)
    for (const Digit &digit : part)
      if (&digit != &innermost)
        width = std::gcd(width, digit.steps[check]);
  return width;
}

int64_t MatrixAccess::getVectorWidth(MatrixIndex index, int64_t limit) const {
  if (getInnermostDistance(index) != 1)
    return 1;
  int64_t width = std::gcd(limit, std::gcd(getInnermostSize(index), constant));
  for (const SmallVector<Digit> &part : digits)
    for (const Digit &digit : part)
      if (&digit != &digitsOf(index).back())
        width = std::gcd(width, digit.distance);
  for (auto [i, check] : llvm::enumerate(checks))
    width =
        std::gcd(std::gcd(width, check.distance), getCheckedWidth(i, index));
  return width;
}
