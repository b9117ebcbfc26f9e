//===- ElementwiseViews.cpp - element-wise ops as matrices ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns lie innermost in the result, rows, where some operand has another
// dimension innermost, in that operand: a tile has whole cache lines of either.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"

#include "MatrixDimensions.h"

using namespace mlir;
using namespace mlir::conv;

/// Columns that fill the cache lines of a row.
static constexpr int64_t kColumns = 64;

/// Whether one tensor is written, all of it, and never read.
static bool writesOneTensor(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  return cast<RankedTensorType>(op.getResult(0).getType()).hasStaticShape() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getRegionOutputArgs()[0].use_empty();
}

bool mlir::conv::isReadByCoordinates(linalg::GenericOp op) {
  return writesOneTensor(op) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           auto type = dyn_cast<RankedTensorType>(operand->get().getType());
           return type && type.getRank() > 0 && type.hasStaticShape() &&
                  op.getMatchingIndexingMap(operand).isProjectedPermutation(
                      /*allowZeroInResults=*/true);
         });
}

/// The dimension of the result along which an operand is contiguous, if that is
/// none of the result's innermost ones.
static std::optional<int64_t> findTurnedDimension(linalg::GenericOp op,
                                                  ArrayRef<int64_t> columns) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto innermost =
        dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 1));
    if (innermost && map.getNumResults() == map.getNumDims() &&
        !llvm::is_contained(columns, innermost.getPosition()))
      return innermost.getPosition();
  }
  return std::nullopt;
}

static MatrixDimensions selectDimensions(linalg::GenericOp op,
                                         ArrayRef<int64_t> shape) {
  MatrixDimensions dimensions;
  int64_t outer = shape.size();
  for (int64_t size = 1; outer > 0 && size < kColumns; size *= shape[outer])
    dimensions.columns.insert(dimensions.columns.begin(), --outer);
  std::optional<int64_t> turned = findTurnedDimension(op, dimensions.columns);
  for (int64_t d = 0; d < outer; ++d)
    (!turned || *turned == d ? dimensions.rows : dimensions.batch).push_back(d);
  return dimensions;
}

ElementwiseViews ElementwiseViews::get(linalg::GenericOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  MatrixDimensions dimensions = selectDimensions(op, type.getShape());
  SmallVector<AffineExpr> coordinates =
      dimensions.createCoordinates(type.getShape(), op.getContext());
  ElementwiseViews views;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<AffineExpr> results =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr result) {
          return result.replaceDims(coordinates);
        });
    views.operands.push_back(
        dimensions.createView(type.getShape(), results, op.getContext()));
  }
  views.result =
      dimensions.createView(type.getShape(), coordinates, op.getContext());
  return views;
}

TransformScheduleAttr
ElementwiseViews::selectSchedule(RankedTensorType type) const {
  return selectTransformSchedule(result, type);
}
