//===- BandedGradient.cpp - banded matrices of gradients --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions and the taps along them are found by role, so the number of spatial
// dimensions does not matter.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/BandedGradient.h"

#include "conv/Kernels/Direct/DirectTiling.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t BandedGradient::countClasses() const {
  return std::min(taps, step / std::gcd(step, dilation));
}

/// The coordinate that positions move: the coefficients of all digits. None if
/// positions are not next to channels in memory, or if channels are not
/// consecutive with one channel in each matrix.
static std::optional<ViewAttr::Coordinate>
findPositions(const ViewedTensor &operand, DigitRole position) {
  ViewAttr view = operand.view;
  if (!DirectTiling::isAlongBatchOf(operand))
    return std::nullopt;
  int64_t closest = operand.findClosest();
  size_t dimension = operand.strides.size() - 1;
  if (int64_t(dimension) == closest && dimension > 0)
    --dimension;
  SmallVector<ViewAttr::Coordinate> coordinates = getTensorCoordinates(view);
  if (view.getCoefficient(coordinates[closest], 'g') != 1)
    return std::nullopt;
  for (auto [d, each] : llvm::enumerate(coordinates)) {
    bool isMoved = view.getCoefficient(each, position) != 0;
    if (isMoved != (d == dimension))
      return std::nullopt;
  }
  return coordinates[dimension];
}

std::optional<BandedGradient>
BandedGradient::compute(const ViewedProduct &product) {
  ViewAttr lhs = product.lhs.view, rhs = product.rhs.view;
  size_t innermost = DigitBox::compute(lhs.getColumns(), 1)->innermost;
  if (lhs.getShape()[1] != 1 || lhs.getRoles().empty())
    return std::nullopt;
  DigitRole position = lhs.getColumnRoles()[innermost];
  auto left = findPositions(product.lhs, position);
  auto right = findPositions(product.rhs, position);
  if (!left || !right)
    return std::nullopt;

  // Only the positions themselves may move along the positions of the output.
  // Along the positions of the input, taps may move as well.
  DigitRole tap;
  if (position.isPosition())
    tap = kTaps[position.getAxis()];
  if (!lhs.isOnlyMovedBy(*left, position) ||
      lhs.getCoefficient(*left, position) != 1 ||
      !rhs.isOnlyMovedBy(*right, {position, tap}))
    return std::nullopt;
  BandedGradient result{};
  result.step = rhs.getCoefficient(*right, position);
  result.taps = rhs.getSize(tap);
  result.lines = rhs.getShape()[1] / result.taps;
  result.dilation = 1;
  if (result.taps > 1) {
    result.tap = *rhs.find(tap) - rhs.getBatch().size();
    result.dilation = rhs.getCoefficient(*right, tap);
  }
  if (result.dilation < 1)
    return std::nullopt;
  if (result.step < 1 || result.getLastDiagonal() >= kRun ||
      result.countAtoms() * kSums > kMaxSums)
    return std::nullopt;
  return result;
}
