//===- JoinedRows.cpp - rows of a filter that follow each other -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joined dgrad phases of a filter that is as long as the stride are its
// elements: rows `(r, s, c)` of a tensor `[K, R, S, C]` are those of `[K, R * S
// * C]`.
//
//===----------------------------------------------------------------------===//

#include "JoinedRows.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether only digit `only` counts a coordinate, by 1. One of a single value
/// does not count.
static bool isDigit(const ViewAttr::Coordinate &coordinate,
                    ArrayRef<int64_t> sizes, size_t only) {
  if (coordinate.constant != 0 || coordinate.coefficients[only] != 1)
    return false;
  for (auto [i, size, coefficient] :
       llvm::enumerate(sizes, coordinate.coefficients))
    if (i != only && size > 1 && coefficient != 0)
      return false;
  return true;
}

/// The dimension that the last two digits of the rows and one before it count,
/// if the last one counts all of it.
static std::optional<size_t> findPair(const ViewedTensor &tensor) {
  SmallVector<ViewAttr::Coordinate> coordinates = tensor.view.getCoordinates();
  SmallVector<int64_t> sizes = tensor.view.getDigitSizes();
  size_t rows = tensor.view.getRows().size();
  size_t last = tensor.view.getBatch().size() + rows - 1;
  for (size_t d = 1; rows > 1 && d < coordinates.size(); ++d)
    if (isDigit(coordinates[d], sizes, last) &&
        isDigit(coordinates[d - 1], sizes, last - 1) &&
        tensor.type.getDimSize(d) == sizes[last])
      return d;
  return std::nullopt;
}

/// Joins the last two digits of the rows, and dimension `d` with the one
/// before.
static ViewedTensor joinPair(const ViewedTensor &tensor, size_t d) {
  ViewAttr view = tensor.view;
  MLIRContext *context = view.getContext();
  SmallVector<int64_t> shape(tensor.type.getShape());
  shape[d - 1] *= shape[d];
  shape.erase(shape.begin() + d);
  SmallVector<int64_t> rows(view.getRows());
  size_t last = view.getBatch().size() + rows.size() - 1;
  int64_t size = rows.pop_back_val();
  rows.back() *= size;
  // Dgrad phases and channels are channels of the joined dimension.
  SmallVector<DigitRole> roles(view.getRoles());
  if (!roles.empty())
    roles.erase(roles.begin() + last - 1);

  SmallVector<AffineExpr> results;
  for (auto [i, coordinate] : llvm::enumerate(view.getCoordinates())) {
    if (i == d)
      continue;
    // The joined digit has the place of the outer one.
    AffineExpr index = getAffineConstantExpr(coordinate.constant, context);
    for (auto [digit, coefficient] : llvm::enumerate(coordinate.coefficients))
      if (digit != last && (i != d - 1 || digit == last - 1))
        index = index +
                getAffineDimExpr(digit > last ? digit - 1 : digit, context) *
                    coefficient;
    results.push_back(index);
  }
  unsigned digits = view.getDigitSizes().size() - 1;
  return {ViewAttr::get(context, view.getBatch(), rows, view.getColumns(),
                        roles, AffineMap::get(digits, 0, results, context),
                        view.getLimits(), view.getPadding()),
          RankedTensorType::get(shape, tensor.type.getElementType()),
          computeContiguousStrides(shape)};
}

ViewedTensor mlir::conv::joinRows(const ViewedTensor &tensor) {
  ViewedTensor joined = tensor;
  while (std::optional<size_t> d = findPair(joined))
    joined = joinPair(joined, *d);
  return joined;
}
