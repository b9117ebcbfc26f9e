//===- ViewedTensor.cpp - tensors as matrices, and in memory ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimension is which, told by coordinates and strides.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

using namespace mlir;
using namespace mlir::conv;

int64_t ViewedTensor::findBatchDimension() const {
  if (view.getBatch().empty())
    return -1;
  size_t digit = view.getBatch().size() - 1;
  for (auto [d, coordinate] : llvm::enumerate(view.getCoordinates()))
    if (coordinate.coefficients[digit] != 0)
      return d;
  return -1;
}

int64_t ViewedTensor::findClosest() const {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t closest = shape.size() - 1;
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] > 1 && (shape[closest] == 1 || strides[d] < strides[closest]))
      closest = d;
  return closest;
}
