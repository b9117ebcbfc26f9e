//===- OperandPositions.cpp - positions of rows and steps -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandPositions.h"

using namespace mlir;
using namespace mlir::conv;

MatrixAccess::Position OperandPositions::create(MatrixIndex along,
                                                Value index) const {
  bool isRow = along == MatrixIndex::Row;
  Position position = access.createPosition(along, index);
  if (isRow ? exceedsRows : exceedsReduction)
    position.offset = arith::SelectOp::create(
        ptx.b, ptx.math.below(index, isRow ? rows : reduction), position.offset,
        ptx.math.constant(-kMostElements));
  return position;
}

Value OperandPositions::createGuard(const Position &position) const {
  if (!exceedsRows && !exceedsReduction && access.countChecked() == 0)
    return Value();
  return access.createGuard(position,
                            ptx.math.below(position.offset, kMostElements));
}
