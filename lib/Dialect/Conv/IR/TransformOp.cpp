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

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

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

TransformViews TransformViews::get(TransformOp op) {
  RankedTensorType type = op.getResultType();
  ArrayRef<int64_t> permutation = op.getPermutation();
  MatrixDimensions dimensions =
      CopyDigits{type.getShape(), permutation, op.getSourceType().getShape()}
          .selectMatrices();
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> coordinates =
      dimensions.createCoordinates(type.getShape(), context);
  SmallVector<AffineExpr> sourceCoordinates(type.getRank());
  for (auto [d, from] : llvm::enumerate(permutation))
    sourceCoordinates[from] = coordinates[d];
  return {dimensions.createView(type.getShape(), sourceCoordinates, context),
          dimensions.createView(type.getShape(), coordinates, context)};
}
