//===- DirectDiagonals.cpp - gradients of one channel's filter --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which digits are positions and taps follows from the coordinates that they
// move, so that the numbers of dimensions make no difference.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectDiagonals.h"

#include "conv/Kernels/Direct/DirectTiling.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t DirectDiagonals::countClasses() const {
  return std::min(taps, step / std::gcd(step, dilation));
}

/// What moves an operand along the dimension of its positions: the coefficients
/// of all digits. None if positions are not next to channels, which are one in
/// each matrix and follow each other in memory.
static std::optional<ViewAttr::Coordinate>
findPositions(const ViewedTensor &operand, size_t position) {
  if (!DirectTiling::isAlongBatchOf(operand))
    return std::nullopt;
  int64_t closest = operand.findClosest();
  size_t dimension = operand.strides.size() - 1;
  if (int64_t(dimension) == closest && dimension > 0)
    --dimension;
  SmallVector<ViewAttr::Coordinate> coordinates = operand.view.getCoordinates();
  ArrayRef<int64_t> channels = coordinates[closest].coefficients;
  size_t batch = operand.view.getBatch().size() - 1;
  if (channels[batch] != 1)
    return std::nullopt;
  for (auto [d, each] : llvm::enumerate(coordinates)) {
    bool isMoved = each.coefficients[position] != 0;
    if (isMoved != (d == dimension))
      return std::nullopt;
  }
  return coordinates[dimension];
}

std::optional<DirectDiagonals>
DirectDiagonals::compute(const ViewedProduct &product) {
  const ViewedTensor &lhs = product.lhs, &rhs = product.rhs;
  auto [batch, rows, reduction] = lhs.view.getShape();
  ArrayRef<int64_t> terms = lhs.view.getColumns();
  size_t firstColumn = lhs.view.getBatch().size();
  size_t innermost = DigitBox::compute(terms, 1)->innermost;
  if (rows != 1 || firstColumn == 0)
    return std::nullopt;
  size_t firstLeftTerm = firstColumn + lhs.view.getRows().size();
  size_t firstRightTerm = firstColumn + rhs.view.getRows().size();
  auto left = findPositions(lhs, firstLeftTerm + innermost);
  auto right = findPositions(rhs, firstRightTerm + innermost);
  if (!left || !right)
    return std::nullopt;

  // Nothing else moves along the positions of the output; and of the input,
  // taps only.
  for (auto [d, coefficient] : llvm::enumerate(left->coefficients))
    if (coefficient != (d == firstLeftTerm + innermost ? 1 : 0))
      return std::nullopt;
  DirectDiagonals result{};
  result.step = right->coefficients[firstRightTerm + innermost];
  result.dilation = result.taps = result.lines = 1;
  for (auto [d, coefficient] : llvm::enumerate(right->coefficients)) {
    bool isColumn = d >= firstColumn && d < firstRightTerm;
    int64_t size = isColumn ? rhs.view.getRows()[d - firstColumn] : 1;
    bool isTap = coefficient != 0 && size > 1;
    if (isColumn && !isTap)
      result.lines *= size;
    if (coefficient == 0 || d == firstRightTerm + innermost ||
        (isColumn && size == 1))
      continue;
    if (!isTap || result.tap || coefficient < 0)
      return std::nullopt;
    result.tap = d - firstColumn;
    result.taps = size;
    result.dilation = coefficient;
  }
  if (result.step < 1 || result.getLastDiagonal() >= kRun ||
      result.countAtoms() * kSums > kMaxSums)
    return std::nullopt;
  return result;
}
