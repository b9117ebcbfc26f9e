//===- ElementwiseViews.cpp - views of element-wise ops ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns are innermost in the result. If an operand has another dimension
// innermost, that dimension is the rows: a tile has whole cache lines of both.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether the op writes all of one tensor and never reads it.
static bool writesOneTensor(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  return cast<RankedTensorType>(op.getResult(0).getType()).hasStaticShape() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getRegionOutputArgs()[0].use_empty();
}

namespace {
/// A linear function of loops with a constant, and its range.
struct LinearSum {
  AffineExpr sum;
  int64_t least, most;
};
} // namespace

/// Larger numbers cannot be coordinates of tensors.
static constexpr int64_t kMostCoordinate = int64_t(1) << 60;

static std::optional<LinearSum> checkRange(LinearSum value) {
  if (value.least < -kMostCoordinate || value.most > kMostCoordinate)
    return std::nullopt;
  return value;
}

static std::optional<LinearSum> multiply(LinearSum value, int64_t factor) {
  int64_t first, last;
  if (llvm::MulOverflow(value.least, factor, first) ||
      llvm::MulOverflow(value.most, factor, last))
    return std::nullopt;
  return checkRange(
      {value.sum * factor, std::min(first, last), std::max(first, last)});
}

/// Reads `expression` of loops in `sizes` as such a sum; none if it is not.
static std::optional<LinearSum> readLinearSum(AffineExpr expression,
                                              ArrayRef<int64_t> sizes) {
  if (auto loop = dyn_cast<AffineDimExpr>(expression))
    return checkRange({loop, 0, sizes[loop.getPosition()] - 1});
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return checkRange({constant, constant.getValue(), constant.getValue()});
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::nullopt;
  auto lhs = readLinearSum(binary.getLHS(), sizes);
  auto rhs = readLinearSum(binary.getRHS(), sizes);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return checkRange(
        {lhs->sum + rhs->sum, lhs->least + rhs->least, lhs->most + rhs->most});
  case AffineExprKind::Mul:
    if (rhs->least == rhs->most)
      return multiply(*lhs, rhs->least);
    return lhs->least == lhs->most ? multiply(*rhs, lhs->least) : std::nullopt;
  case AffineExprKind::Mod: // Its operand is in range already.
    if (rhs->least == rhs->most && lhs->least >= 0 && lhs->most < rhs->least)
      return lhs;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<SmallVector<AffineExpr>>
mlir::conv::computeReadCoordinates(linalg::GenericOp op, OpOperand *operand) {
  auto type = dyn_cast<RankedTensorType>(operand->get().getType());
  if (!type || type.getRank() == 0 || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<AffineExpr> coordinates;
  for (auto [expression, size] : llvm::zip_equal(
           op.getMatchingIndexingMap(operand).getResults(), type.getShape())) {
    auto value = readLinearSum(expression, sizes);
    if (!value || value->least < 0 || value->most >= size)
      return std::nullopt;
    coordinates.push_back(value->sum);
  }
  return coordinates;
}

bool mlir::conv::isReadByCoordinates(linalg::GenericOp op) {
  return writesOneTensor(op) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return computeReadCoordinates(op, operand).has_value();
         });
}

/// The dimension of the result along which an operand is contiguous, if that is
/// not one of `columns`.
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

/// Columns are innermost; rows are the dimension that an operand has innermost,
/// or otherwise all others.
static MatrixDimensions
selectDimensions(ArrayRef<int64_t> shape,
                 function_ref<std::optional<int64_t>(ArrayRef<int64_t>)> turn) {
  MatrixDimensions dimensions;
  int64_t outer = shape.size();
  for (int64_t size = 1; outer > 0 && size < kLineElements;
       size *= shape[outer])
    dimensions.columns.insert(dimensions.columns.begin(), --outer);
  std::optional<int64_t> turned = turn(dimensions.columns);
  for (int64_t d = 0; d < outer; ++d)
    (!turned || *turned == d ? dimensions.rows : dimensions.batch).push_back(d);
  return dimensions;
}

ElementwiseViews ElementwiseViews::get(linalg::GenericOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  MatrixDimensions dimensions =
      selectDimensions(type.getShape(), [&](ArrayRef<int64_t> columns) {
        return findTurnedDimension(op, columns);
      });
  SmallVector<AffineExpr> coordinates =
      dimensions.createCoordinates(type.getShape(), op.getContext());
  ElementwiseViews views;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    SmallVector<AffineExpr> results = llvm::map_to_vector(
        *computeReadCoordinates(op, operand),
        [&](AffineExpr result) { return result.replaceDims(coordinates); });
    views.operands.push_back(
        dimensions.createView(type.getShape(), results, op.getContext()));
  }
  views.result =
      dimensions.createView(type.getShape(), coordinates, op.getContext());
  return views;
}

ConcatenationViews ConcatenationViews::get(tensor::ConcatOp op, Value part,
                                           int64_t offset) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
  MatrixDimensions dimensions =
      selectDimensions(shape, [](ArrayRef<int64_t>) { return std::nullopt; });
  SmallVector<AffineExpr> coordinates =
      dimensions.createCoordinates(shape, op.getContext());
  ConcatenationViews views;
  views.source = dimensions.createView(shape, coordinates, op.getContext());
  AffineExpr &moved = coordinates[op.getDim()];
  moved = moved + offset;
  views.result = dimensions.createView(shape, coordinates, op.getContext());
  return views;
}
