//===- ViewedTensor.h - a tensor with its view and strides ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_VIEWEDTENSOR_H
#define CONV_DIALECT_CONV_IR_VIEWEDTENSOR_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// A tensor's view as matrices, and its layout in memory.
struct ViewedTensor {
  ViewAttr view;
  RankedTensorType type;
  SmallVector<int64_t> strides; ///< Elements between neighbours.

  /// The dimension whose coordinate depends on the last digit of the batch, or
  /// -1.
  int64_t findBatchDimension() const;
  /// The dimension with the smallest stride in memory.
  int64_t findClosest() const;
  /// Elements of memory from the first to the last one, with the gaps between
  /// them.
  int64_t getExtent() const;
};

/// The tensors of a matrix product.
struct ViewedProduct {
  ViewedTensor lhs, rhs, result;
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_VIEWEDTENSOR_H
