//===- TransformOp.cpp - conv.transform -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier, and the matrices that the kernel of a transform reads.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TransformViews.h"

#include "MatrixDimensions.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult TransformOp::verify() {
  RankedTensorType source = getSourceType(), result = getResultType();
  // F1.
  bool isWider =
      isFloat8(source.getElementType()) && result.getElementType().isF16();
  if (source.getRank() != result.getRank() ||
      (source.getElementType() != result.getElementType() && !isWider))
    return emitOpError("expects a source and a result of one rank, and of one "
                       "element type or 8-bit floats and f16, but got ")
           << source << " and " << result;
  // F2.
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(source.getRank())))
    return emitOpError("expects permutation to have each of ")
           << source.getRank() << " dimensions once, but got ["
           << getPermutation() << "]";
  return success();
}

/// The dimensions, from `last` outward, that are contiguous in both the result
/// and the source: copied together, they are one run of memory.
static SmallVector<int64_t> collectRun(TransformOp op, int64_t last) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  ArrayRef<int64_t> source = op.getSourceType().getShape();
  ArrayRef<int64_t> result = op.getResultType().getShape();
  SmallVector<int64_t> run = {last};
  while (run.front() > 0 &&
         permutation[run.front()] == permutation[run.front() - 1] + 1 &&
         source[permutation[run.front()]] == result[run.front()])
    run.insert(run.begin(), run.front() - 1);
  return run;
}

TransformViews TransformViews::get(TransformOp op) {
  RankedTensorType type = op.getResultType();
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = type.getRank();
  // Columns are innermost in the result, rows in the source. If these are the
  // same dimensions, rows are the ones next to the columns.
  SmallVector<int64_t> columns = collectRun(op, rank - 1);
  int64_t lastRow = llvm::find(permutation, rank - 1) - permutation.begin();
  if (llvm::is_contained(columns, lastRow))
    lastRow = columns.front() - 1;
  SmallVector<int64_t> rows;
  if (lastRow >= 0)
    rows = collectRun(op, lastRow);
  llvm::erase_if(rows,
                 [&](int64_t d) { return llvm::is_contained(columns, d); });
  // Short columns continue with their neighbours in the result, and short rows
  // with their neighbours in the source: a few images that are innermost with
  // the positions of a line, and a line with the lines after it.
  auto isShort = [&](ArrayRef<int64_t> dimensions) {
    int64_t size = 1;
    for (int64_t d : dimensions)
      size *= type.getDimSize(d);
    return size < kTileSide;
  };
  while (isShort(columns) && columns.front() > 0 &&
         !llvm::is_contained(rows, columns.front() - 1))
    columns.insert(columns.begin(), columns.front() - 1);
  while (!rows.empty() && isShort(rows) && permutation[rows.front()] > 0) {
    int64_t next = llvm::find(permutation, permutation[rows.front()] - 1) -
                   permutation.begin();
    if (llvm::is_contained(columns, next))
      break;
    rows.insert(rows.begin(), next);
  }
  SmallVector<int64_t> batch;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(columns, d) && !llvm::is_contained(rows, d))
      batch.push_back(d);

  MatrixDimensions dimensions = {batch, rows, columns};
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> coordinates =
      dimensions.createCoordinates(type.getShape(), context);
  SmallVector<AffineExpr> sourceCoordinates(rank);
  for (auto [d, from] : llvm::enumerate(permutation))
    sourceCoordinates[from] = coordinates[d];
  return {dimensions.createView(type.getShape(), sourceCoordinates, context),
          dimensions.createView(type.getShape(), coordinates, context)};
}

TransformScheduleAttr
TransformViews::selectSchedule(RankedTensorType type) const {
  return selectTransformSchedule(result, type);
}
