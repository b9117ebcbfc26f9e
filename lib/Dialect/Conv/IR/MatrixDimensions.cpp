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

#include "MatrixDimensions.h"

#include "conv/Dialect/Conv/IR/TransformViews.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of the largest tile: two accesses of 16 bytes in flight for each of
/// 256 work-items.
static constexpr int64_t kTileBytes = 8192;

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

TransformScheduleAttr
mlir::conv::selectTransformSchedule(ViewAttr result, RankedTensorType type) {
  auto [batch, rows, columns] = result.getShape();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  int64_t elements = kTileBytes / bytes;
  auto getSide = [](int64_t size, int64_t most) -> int64_t {
    return std::min<int64_t>(llvm::PowerOf2Ceil(size), most);
  };
  // A short side leaves room for a longer one.
  int64_t width = getSide(columns, kTileSide);
  int64_t height = getSide(rows, std::max(kTileSide, elements / width));
  width = getSide(columns, std::max(kTileSide, elements / height));
  return TransformScheduleAttr::get(result.getContext(), {height, width});
}
