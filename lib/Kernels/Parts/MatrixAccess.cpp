//===- MatrixAccess.cpp - addresses of a view's elements --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digits are merged where that saves a division: the pixels of a 1x1
// convolution become one digit, and so do the elements of a filter. Coordinates
// that may leave the tensor are in MatrixGuards.cpp.
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

MatrixAccess::MatrixAccess(const IndexMath &math, const ViewedTensor &operand)
    : MatrixAccess(math, ArrayRef(operand)) {}

/// Whether no subproblem's coordinate of a dimension leaves the tensor.
static bool
isAlwaysInside(ArrayRef<ViewedTensor> operands,
               ArrayRef<SmallVector<ViewAttr::Coordinate>> coordinates,
               size_t dimension) {
  return llvm::all_of(
      llvm::zip_equal(operands, coordinates), [&](const auto &pair) {
        const auto &[operand, own] = pair;
        auto [low, high] = operand.view.getRange(own[dimension]);
        return low >= 0 && high < operand.type.getDimSize(dimension);
      });
}

MatrixAccess::MatrixAccess(const IndexMath &math,
                           ArrayRef<ViewedTensor> operands)
    : math(math), subproblems(operands.size()) {
  ViewAttr first = operands.front().view;
  auto sizes = llvm::map_to_vector(operands, [](const auto &operand) {
    return operand.view.getDigitSizes();
  });
  SmallVector<Digit> all;
  for (size_t digit = 0; digit < sizes.front().size(); ++digit)
    all.push_back({collect([&](size_t i) { return sizes[i][digit]; }), 0, {}});
  SmallVector<int64_t> strides = addChecks(operands, all);
  constant =
      collect([&](size_t i) { return getStart(operands[i].view, strides); });
  auto distances = llvm::map_to_vector(operands, [&](const auto &operand) {
    return getDistances(operand.view, strides);
  });
  for (auto [number, digit] : llvm::enumerate(all))
    digit.distance = collect([&](size_t i) { return distances[i][number]; });

  ArrayRef<Digit> rest = all;
  for (auto [part, count] : llvm::zip(
           digits, std::array{first.getBatch().size(), first.getRows().size(),
                              first.getColumns().size()})) {
    part = llvm::to_vector(rest.take_front(count));
    rest = rest.drop_front(count);
    simplify(part);
  }
}

SharedNumber
MatrixAccess::collect(llvm::function_ref<int64_t(size_t)> of) const {
  return SharedNumber(llvm::map_to_vector(llvm::seq(subproblems), of));
}

SmallVector<int64_t> MatrixAccess::addChecks(ArrayRef<ViewedTensor> operands,
                                             SmallVectorImpl<Digit> &all) {
  const ViewedTensor &first = operands.front();
  ArrayRef<int64_t> shape = first.type.getShape();
  PaddingMode padding = first.view.getPadding();
  auto coordinates = llvm::map_to_vector(operands, [](const auto &operand) {
    return operand.view.getCoordinates();
  });
  auto addCheck = [&](size_t coordinate, int64_t size, PaddingMode padding,
                      int64_t distance) {
    checks.push_back({size, collect([&](size_t i) {
                        return coordinates[i][coordinate].constant;
                      }),
                      padding, distance});
    for (auto [number, digit] : llvm::enumerate(all))
      digit.steps.push_back(collect([&](size_t i) {
        return coordinates[i][coordinate].coefficients[number];
      }));
  };
  for (auto [i, limit] : llvm::enumerate(first.view.getLimits()))
    addCheck(shape.size() + i, limit, PaddingMode::Zeros, /*distance=*/0);
  SmallVector<int64_t> strides(first.strides);
  for (auto [d, stride] : llvm::enumerate(strides)) {
    if (isAlwaysInside(operands, coordinates, d))
      continue;
    bool isReplaced = padding != PaddingMode::Zeros;
    addCheck(d, shape[d], padding, isReplaced ? stride : 0);
    if (isReplaced)
      stride = 0;
  }
  return strides;
}

bool MatrixAccess::areAlike(ArrayRef<ViewedTensor> operands) {
  const ViewedTensor &first = operands.front();
  auto getDigits = [](ViewAttr view) {
    return std::array{view.getBatch().size(), view.getRows().size(),
                      view.getColumns().size()};
  };
  auto getCoefficients = [](ViewAttr view) {
    return llvm::map_to_vector(
        view.getCoordinates(),
        [](const auto &coordinate) { return coordinate.coefficients; });
  };
  return llvm::all_of(operands, [&](const ViewedTensor &other) {
    return other.type == first.type && other.strides == first.strides &&
           other.view.getPadding() == first.view.getPadding() &&
           other.view.getLimits() == first.view.getLimits() &&
           getDigits(other.view) == getDigits(first.view) &&
           getCoefficients(other.view) == getCoefficients(first.view);
  });
}

bool MatrixAccess::continues(const SharedNumber &outer,
                             const SharedNumber &inner,
                             const SharedNumber &size) const {
  return llvm::all_of(llvm::seq(subproblems),
                      [&](size_t i) { return outer[i] == inner[i] * size[i]; });
}

void MatrixAccess::simplify(SmallVectorImpl<Digit> &digits) const {
  SmallVector<Digit> merged;
  for (const Digit &digit : digits) {
    if (digit.size.isAlways(1))
      continue;
    if (!merged.empty() &&
        continues(merged.back().distance, digit.distance, digit.size) &&
        llvm::all_of(llvm::zip(merged.back().steps, digit.steps),
                     [&](auto pair) {
                       return continues(std::get<0>(pair), std::get<1>(pair),
                                        digit.size);
                     })) {
      SharedNumber outerSize = merged.back().size;
      merged.back() = digit;
      merged.back().size = SharedNumber(
          llvm::map_to_vector(llvm::seq(subproblems), [&](size_t i) {
            return outerSize[i] * digit.size[i];
          }));
      continue;
    }
    merged.push_back(digit);
  }
  auto isZero = [](const SharedNumber &step) { return step.isAlways(0); };
  if (merged.size() == 1 && isZero(merged.front().distance) &&
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
  SmallVector<SharedNumber> sizes =
      llvm::map_to_vector(all, [](const Digit &digit) { return digit.size; });
  for (auto [digit, part] : llvm::zip(all, math.splitShared(value, sizes))) {
    position.offset = math.add(position.offset, math.mul(part, digit.distance));
    for (auto [coordinate, step] : llvm::zip(position.coordinates, digit.steps))
      if (!step.isAlways(0))
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
    if (!step.isAlways(0))
      coordinate = math.add(coordinate, math.mul(steps, step));
  return further;
}

bool MatrixAccess::movesTogether(MatrixIndex index, int64_t length) const {
  if (digitsOf(index).empty())
    return true;
  return llvm::all_of(llvm::seq(subproblems), [&](size_t subproblem) {
    int64_t period = 1;
    return llvm::all_of(llvm::reverse(digitsOf(index).drop_front()),
                        [&](const Digit &digit) {
                          period *= digit.size[subproblem];
                          return period % length == 0 || length % period == 0;
                        });
  });
}

MatrixAccess::Position MatrixAccess::advanceTogether(const Position &position,
                                                     MatrixIndex index,
                                                     int64_t steps) const {
  // What the digits of `steps` add up to in each subproblem.
  auto addUp = [&](function_ref<const SharedNumber &(const Digit &)> of) {
    return SharedNumber(
        llvm::map_to_vector(llvm::seq(subproblems), [&](size_t subproblem) {
          int64_t rest = steps, sum = 0;
          for (const Digit &digit : llvm::reverse(digitsOf(index))) {
            bool isFirst = &digit == digitsOf(index).begin();
            int64_t size = digit.size[subproblem];
            sum += (isFirst ? rest : rest % size) * of(digit)[subproblem];
            rest /= size;
          }
          return sum;
        }));
  };
  Position further = position;
  further.offset = math.add(
      further.offset,
      addUp([](const Digit &digit) -> const auto & { return digit.distance; }));
  for (auto [i, coordinate] : llvm::enumerate(further.coordinates))
    coordinate = math.add(
        coordinate, addUp([number = i](const Digit &digit) -> const auto & {
          return digit.steps[number];
        }));
  return further;
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

bool MatrixAccess::hasLinearOffsets() const {
  return llvm::all_of(checks,
                      [](const Check &check) { return check.distance == 0; });
}

int64_t MatrixAccess::getInnermostSize(MatrixIndex index) const {
  return digitsOf(index).empty() ? 1 : digitsOf(index).back().size.gcd(0);
}

int64_t MatrixAccess::getInnermostDistance(MatrixIndex index) const {
  return digitsOf(index).empty() ? 0
                                 : digitsOf(index).back().distance.getUniform();
}

int64_t MatrixAccess::getEvenSize(MatrixIndex index) const {
  int64_t size = 1;
  for (const Digit &digit : llvm::reverse(digitsOf(index))) {
    if (!digit.distance.isAlways(getInnermostDistance(index) * size))
      break;
    size *= digit.size.getUniform();
  }
  return size;
}

std::optional<int64_t>
MatrixAccess::getDistanceTo(const MatrixAccess &other) const {
  if (digits != other.digits || checks != other.checks)
    return std::nullopt;
  return other.constant.getUniform() - constant.getUniform();
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

bool MatrixAccess::hasEqualDigits(MatrixIndex index) const {
  return digitsOf(index).empty() ||
         llvm::all_of(digitsOf(index).drop_front(), [](const Digit &digit) {
           return digit.size.isUniform();
         });
}

int64_t MatrixAccess::getVectorWidth(MatrixIndex index, int64_t limit) const {
  if (getInnermostDistance(index) != 1)
    return 1;
  int64_t width = std::gcd(limit, constant.gcd(getInnermostSize(index)));
  for (const SmallVector<Digit> &part : digits)
    for (const Digit &digit : part)
      if (&digit != &digitsOf(index).back())
        width = digit.distance.gcd(width);
  for (auto [i, check] : llvm::enumerate(checks))
    width =
        std::gcd(std::gcd(width, check.distance), getCheckedWidth(i, index));
  return width;
}

MatrixAccess mlir::conv::createAccess(const Kernel &kernel, size_t tensor) {
  if (kernel.subproblems.empty())
    return {kernel.math, kernel.form.getTensor(tensor)};
  return {kernel.math,
          llvm::map_to_vector(kernel.subproblems,
                              [&](const TiledConvolution *form) {
                                return form->getTensor(tensor).getViewed();
                              })};
}
