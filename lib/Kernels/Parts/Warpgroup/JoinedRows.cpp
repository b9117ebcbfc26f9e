//===- JoinedRows.cpp - rows joined to one dimension ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a filter is as long as the stride, its joined dgrad phases are its
// elements: the rows `(r, s, c)` of a tensor `[K, R, S, C]` are the rows of a
// tensor `[K, R * S * C]`.
//
//===----------------------------------------------------------------------===//

#include "JoinedRows.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

using namespace mlir;
using namespace mlir::conv;

/// The dimension that the last digit of the rows counts from end to end, if the
/// digit before it counts the dimension before it.
static std::optional<size_t> findPair(const ViewedTensor &tensor) {
  ArrayRef<DigitRole> rows = tensor.view.getRowRoles();
  if (rows.size() < 2)
    return std::nullopt;
  std::optional<size_t> inner = findDimension(tensor, rows.back());
  std::optional<size_t> outer = findDimension(tensor, rows.drop_back().back());
  bool arePair =
      inner && outer && *inner == *outer + 1 &&
      tensor.type.getDimSize(*inner) == tensor.view.getSize(rows.back());
  return arePair ? inner : std::nullopt;
}

/// Joins the last two digits of the rows, and joins dimension `d` to the
/// dimension before it.
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
  // Dgrad phases and channels become channels of the joined dimension.
  SmallVector<DigitRole> roles(view.getRoles());
  roles.erase(roles.begin() + last - 1);

  SmallVector<AffineExpr> results;
  for (auto [i, coordinate] : llvm::enumerate(view.getCoordinates())) {
    if (i == d)
      continue;
    // The joined digit takes the place of the outer one.
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
