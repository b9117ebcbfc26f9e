//===- TransformViews.h - views of a transform ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `conv.transform` copies matrices of its source to matrices of its result.
// Columns are the dimensions that are innermost in the result. Rows are those
// innermost in the source, if they differ: a tile then has whole cache lines of
// both tensors. Short columns continue with their neighbours in the result, and
// short rows with theirs in the source.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H
#define CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The longest side of a tile: a cache line of 16-bit elements.
inline constexpr int64_t kTileSide = 64;

/// The views of source and result, which have the same sizes.
struct TransformViews {
  ViewAttr source, result;

  static TransformViews get(TransformOp op);

  /// The tile of a workgroup, for tensors of this element type.
  TransformScheduleAttr selectSchedule(RankedTensorType type) const;
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H
