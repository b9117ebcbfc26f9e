//===- SequenceOp.cpp - conv.count_neighbours -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult CountNeighboursOp::verify() {
  // Q1.
  RankedTensorType starts = getCuSeqlens().getType();
  if (starts.getRank() != 1 || (!starts.getElementType().isInteger(32) &&
                                !starts.getElementType().isInteger(64)))
    return emitOpError("expects a vector of i32 or i64, but got ") << starts;
  if (RankedTensorType counts = getResult().getType();
      counts.getRank() != 1 || (!counts.getElementType().isInteger(8) &&
                                !counts.getElementType().isInteger(32)))
    return emitOpError("expects a result of i8 or i32, but got ") << counts;
  // Q2.
  bool isByte = getResult().getType().getElementType().isInteger(8);
  int64_t limit = getLimit();
  if (limit < 0 || limit > (isByte ? INT8_MAX : kMostPackedTokens))
    return emitOpError("expects a limit from 0 to ")
           << (isByte ? "127" : "2^30") << ", but got " << limit;
  if (getResult().getType().getNumElements() > kMostPackedTokens)
    return emitOpError("expects at most 2^30 tokens, but got ")
           << getResult().getType();
  return success();
}
