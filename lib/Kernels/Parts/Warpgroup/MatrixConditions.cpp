//===- MatrixConditions.cpp - conditions that copies meet -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of a box knows only the bounds of its tensor, not the conditions of a
// view. After the last line of a short split-K slice, the view of the input has
// zeros where the tensor has more lines; but there the gradient of the output
// ends, so its zeros suffice.
//
//===----------------------------------------------------------------------===//

#include "MatrixGeometry.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"

using namespace mlir;
using namespace mlir::conv;

/// The steps of a coordinate along one index of a view, of digits with several
/// values.
static SmallVector<int64_t> getSteps(const ViewAttr::Coordinate &coordinate,
                                     ArrayRef<int64_t> sizes, size_t first) {
  SmallVector<int64_t> steps;
  for (auto [digit, size] : llvm::enumerate(sizes))
    if (size > 1)
      steps.push_back(coordinate.coefficients[first + digit]);
  return steps;
}

/// Whether two views have the same condition on batch and reduction, and on
/// nothing else.
static bool isSameCondition(ViewAttr view, const ViewAttr::Coordinate &own,
                            ViewAttr other,
                            const ViewAttr::Coordinate &others) {
  auto isZero = [](int64_t step) { return step == 0; };
  auto getOfRows = [](ViewAttr view, const ViewAttr::Coordinate &condition) {
    return getSteps(condition, view.getRows(), view.getBatch().size());
  };
  auto getOfColumns = [](ViewAttr view, const ViewAttr::Coordinate &condition) {
    return getSteps(condition, view.getColumns(),
                    view.getBatch().size() + view.getRows().size());
  };
  return own.constant == others.constant &&
         getSteps(own, view.getBatch(), 0) ==
             getSteps(others, other.getBatch(), 0) &&
         getOfColumns(view, own) == getOfColumns(other, others) &&
         llvm::all_of(getOfRows(view, own), isZero) &&
         llvm::all_of(getOfRows(other, others), isZero);
}

bool mlir::conv::areConditionsMet(const ViewedTensor &lhs,
                                  const ViewedTensor &rhs,
                                  bool isFilterGradient) {
  if (!isClipped(lhs))
    return false;
  if (isClipped(rhs) || !isFilterGradient)
    return isClipped(rhs);
  SmallVector<ViewAttr::Coordinate> left = lhs.view.getCoordinates(),
                                    right = rhs.view.getCoordinates();
  auto isOfLeft = [&](int64_t limit, const ViewAttr::Coordinate &condition) {
    return llvm::any_of(
        llvm::zip_equal(lhs.view.getLimits(),
                        ArrayRef(left).drop_front(lhs.view.getTensorRank())),
        [&](const auto &each) {
          auto &[own, met] = each;
          return own == limit &&
                 isSameCondition(lhs.view, met, rhs.view, condition);
        });
  };
  return llvm::all_of(
      llvm::zip_equal(rhs.view.getLimits(),
                      ArrayRef(right).drop_front(rhs.view.getTensorRank())),
      [&](const auto &each) {
        auto &[limit, condition] = each;
        return isOfLeft(limit, condition);
      });
}
