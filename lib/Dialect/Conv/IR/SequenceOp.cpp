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
  for (Type type : {getCuSeqlens().getType(), getResult().getType()})
    if (auto tensor = cast<RankedTensorType>(type);
        tensor.getRank() != 1 || !tensor.getElementType().isInteger(32))
      return emitOpError("expects vectors of i32, but got ") << type;
  // Q2.
  if (int64_t(getLimit()) < 0 || int64_t(getLimit()) > kMostPackedTokens)
    return emitOpError("expects a limit from 0 to 2^30, but got ")
           << int64_t(getLimit());
  if (getResult().getType().getNumElements() > kMostPackedTokens)
    return emitOpError("expects at most 2^30 tokens, but got ")
           << getResult().getType();
  return success();
}
