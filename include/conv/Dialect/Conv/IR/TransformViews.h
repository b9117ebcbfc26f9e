//===- TransformViews.h - views of a transform ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `conv.transform` copies matrices of its source to matrices of its result
// (`CopyDigits`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H
#define CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The views of source and result, which have the same sizes.
struct TransformViews {
  ViewAttr source, result;

  static TransformViews get(TransformOp op);
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TRANSFORMVIEWS_H
