//===- ViewedTensor.cpp - a tensor with its view and strides ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds dimensions by the roles of digits and by strides.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"

using namespace mlir;
using namespace mlir::conv;

int64_t ViewedTensor::findBatchDimension() const {
  if (view.getBatchRoles().empty())
    return -1;
  DigitRole last = view.getBatchRoles().back();
  for (auto [d, coordinate] : llvm::enumerate(view.getCoordinates()))
    if (view.getCoefficient(coordinate, last) != 0)
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

int64_t ViewedTensor::getExtent() const {
  // The verifier has refused tensors whose extent overflows.
  return *computeExtent(type.getShape(), strides);
}
