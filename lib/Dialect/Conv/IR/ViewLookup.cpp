//===- ViewLookup.cpp - geometry of a view by digit roles -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates coordinates and strides of views by digit.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ViewLookup.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<DigitRole>
mlir::conv::getMovingRoles(ViewAttr view,
                           const ViewAttr::Coordinate &coordinate) {
  SmallVector<DigitRole> moving;
  for (auto [role, size, coefficient] : llvm::zip_equal(
           view.getRoles(), view.getDigitSizes(), coordinate.coefficients))
    if (size > 1 && coefficient != 0)
      moving.push_back(role);
  return moving;
}

bool mlir::conv::isCountedBy(ViewAttr view,
                             const ViewAttr::Coordinate &coordinate,
                             DigitRole role) {
  return coordinate.constant == 0 &&
         view.getCoefficient(coordinate, role) == 1 &&
         llvm::all_of(getMovingRoles(view, coordinate),
                      [=](DigitRole moving) { return moving == role; });
}

std::optional<size_t> mlir::conv::findDimension(const ViewedTensor &tensor,
                                                DigitRole role) {
  SmallVector<ViewAttr::Coordinate> coordinates = tensor.view.getCoordinates();
  for (size_t d = 0; d < tensor.view.getTensorRank(); ++d)
    if (isCountedBy(tensor.view, coordinates[d], role))
      return d;
  return std::nullopt;
}

int64_t mlir::conv::getShift(const ViewAttr::Coordinate &coordinate,
                             ArrayRef<int64_t> digits) {
  int64_t shift = 0;
  for (auto [digit, coefficient] :
       llvm::zip_equal(digits, coordinate.coefficients))
    shift += coefficient * digit;
  return shift;
}

std::pair<int64_t, int64_t>
mlir::conv::getShifts(const ViewAttr::Coordinate &coordinate,
                      ArrayRef<int64_t> last) {
  int64_t low = 0, high = 0;
  for (auto [digit, coefficient] :
       llvm::zip_equal(last, coordinate.coefficients))
    (coefficient < 0 ? low : high) += coefficient * digit;
  return {low, high};
}

SmallVector<int64_t> mlir::conv::getDistances(ViewAttr view,
                                              ArrayRef<int64_t> strides) {
  SmallVector<int64_t> distances(view.getMap().getNumDims(), 0);
  for (auto [coordinate, stride] : llvm::zip(view.getCoordinates(), strides))
    for (auto [distance, coefficient] :
         llvm::zip(distances, coordinate.coefficients))
      distance += coefficient * stride;
  return distances;
}

SmallVector<int64_t> mlir::conv::getDistances(const ViewedTensor &tensor) {
  return getDistances(tensor.view, tensor.strides);
}

int64_t mlir::conv::getDistance(const ViewedTensor &tensor, DigitRole role) {
  std::optional<unsigned> digit = tensor.view.find(role);
  return digit ? getDistances(tensor)[*digit] : 0;
}

int64_t mlir::conv::getInnermostDistance(const ViewedTensor &tensor,
                                         ArrayRef<DigitRole> roles) {
  for (DigitRole role : llvm::reverse(roles))
    if (tensor.view.getSize(role) > 1)
      return getDistance(tensor, role);
  return 0;
}

int64_t mlir::conv::getStart(ViewAttr view, ArrayRef<int64_t> strides) {
  int64_t start = 0;
  for (auto [coordinate, stride] : llvm::zip(view.getCoordinates(), strides))
    start += coordinate.constant * stride;
  return start;
}

int64_t mlir::conv::getStart(const ViewedTensor &tensor) {
  return getStart(tensor.view, tensor.strides);
}

bool mlir::conv::isClipped(const ViewedTensor &tensor) {
  SmallVector<ViewAttr::Coordinate> coordinates = tensor.view.getCoordinates();
  ArrayRef<ViewAttr::Coordinate> all = coordinates;
  unsigned rank = tensor.view.getTensorRank();
  auto isOfTensor = [&](int64_t limit, const ViewAttr::Coordinate &condition) {
    for (auto [size, coordinate] :
         llvm::zip_equal(tensor.type.getShape(), all.take_front(rank)))
      if (size == limit && coordinate.constant == condition.constant &&
          coordinate.coefficients == condition.coefficients)
        return true;
    return false;
  };
  for (auto [limit, condition] :
       llvm::zip_equal(tensor.view.getLimits(), all.drop_front(rank)))
    if (!isOfTensor(limit, condition))
      return false;
  return true;
}
