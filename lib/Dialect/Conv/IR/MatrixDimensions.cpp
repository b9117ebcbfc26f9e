//===- MatrixDimensions.cpp - dimensions as batch, rows, columns *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of whole tensors, for kernels without a product.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

using namespace mlir;
using namespace mlir::conv;

MatrixDimensions MatrixDimensions::joinBatch() && {
  rows.insert(rows.begin(), batch.begin(), batch.end());
  batch.clear();
  return std::move(*this);
}

SmallVector<AffineExpr>
MatrixDimensions::createCoordinates(ArrayRef<int64_t> shape,
                                    MLIRContext *context) const {
  SmallVector<AffineExpr> coordinates(shape.size());
  unsigned digit = 0;
  for (const SmallVector<int64_t> *list : {&batch, &rows, &columns}) {
    for (int64_t d : *list)
      coordinates[d] = getAffineDimExpr(digit++, context);
    digit += list->empty();
  }
  return coordinates;
}

ViewAttr MatrixDimensions::createView(ArrayRef<int64_t> shape,
                                      ArrayRef<AffineExpr> results,
                                      MLIRContext *context) const {
  auto getSizes = [&](ArrayRef<int64_t> dimensions) {
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(dimensions, [&](int64_t d) { return shape[d]; });
    if (sizes.empty())
      sizes.push_back(1);
    return sizes;
  };
  SmallVector<int64_t> sizes[] = {getSizes(batch), getSizes(rows),
                                  getSizes(columns)};
  unsigned digits = sizes[0].size() + sizes[1].size() + sizes[2].size();
  return ViewAttr::get(context, sizes[0], sizes[1], sizes[2],
                       AffineMap::get(digits, 0, results, context), {},
                       PaddingMode::Zeros);
}

/// The digits, from `last` outward, that are contiguous in both the result and
/// the source: copied together, they are one run of memory.
SmallVector<int64_t> CopyDigits::collectRun(int64_t last) const {
  SmallVector<int64_t> run = {last};
  auto continues = [&](int64_t digit) {
    return digit > 0 && places[digit] > 0 &&
           places[digit] == places[digit - 1] + 1 &&
           source[places[digit]] == sizes[digit];
  };
  while (continues(run.front()))
    run.insert(run.begin(), run.front() - 1);
  return run;
}

bool CopyDigits::isShort(ArrayRef<int64_t> digits) const {
  int64_t size = 1;
  for (int64_t digit : digits)
    size *= sizes[digit];
  return size < kLineElements;
}

MatrixDimensions CopyDigits::selectMatrices() const {
  auto find = [&](int64_t place) {
    return llvm::find(places, place) - places.begin();
  };
  SmallVector<int64_t> columns = collectRun(int64_t(sizes.size()) - 1);
  // If the same digits are innermost in both, rows are the ones next to the
  // columns.
  int64_t lastRow = find(int64_t(source.size()) - 1);
  if (llvm::is_contained(columns, lastRow))
    lastRow = columns.front() - 1;
  SmallVector<int64_t> rows;
  if (lastRow >= 0)
    rows = collectRun(lastRow);
  llvm::erase_if(rows,
                 [&](int64_t d) { return llvm::is_contained(columns, d); });
  // A few images that are innermost continue with the positions of a line, and
  // a line with the lines after it.
  while (isShort(columns) && columns.front() > 0 &&
         !llvm::is_contained(rows, columns.front() - 1))
    columns.insert(columns.begin(), columns.front() - 1);
  while (!rows.empty() && isShort(rows) && places[rows.front()] > 0) {
    int64_t next = find(places[rows.front()] - 1);
    if (llvm::is_contained(columns, next))
      break;
    rows.insert(rows.begin(), next);
  }
  SmallVector<int64_t> batch;
  for (int64_t digit = 0; digit < int64_t(sizes.size()); ++digit)
    if (!llvm::is_contained(columns, digit) && !llvm::is_contained(rows, digit))
      batch.push_back(digit);
  return {batch, rows, columns};
}
