//===- TransformSchedules.cpp - tiles of kernels without products ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is as long as cache lines in both directions, and small enough for the
// registers of its work-items.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/TransformSchedules.h"

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of the largest tile: two accesses of 16 bytes in flight for each
/// work-item.
static constexpr int64_t kTileBytes =
    2 * ::conv::kVectorBytes * kElementwiseWorkItems;

std::array<int64_t, 2>
mlir::conv::selectTransformTile(int64_t rows, int64_t columns, int64_t bytes) {
  int64_t elements = kTileBytes / bytes;
  auto getSide = [](int64_t size, int64_t most) -> int64_t {
    return std::min<int64_t>(llvm::PowerOf2Ceil(size), most);
  };
  // A short side leaves room for a longer one.
  int64_t width = getSide(columns, kLineElements);
  int64_t height = getSide(rows, std::max(kLineElements, elements / width));
  width = getSide(columns, std::max(kLineElements, elements / height));
  return {height, width};
}

TransformScheduleAttr
mlir::conv::selectTransformSchedule(ViewAttr result, RankedTensorType type) {
  auto [batch, rows, columns] = result.getShape();
  int64_t bytes = getElementBytes(type);
  return TransformScheduleAttr::get(result.getContext(),
                                    selectTransformTile(rows, columns, bytes));
}
