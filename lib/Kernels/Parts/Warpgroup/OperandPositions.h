//===- OperandPositions.h - positions of rows and steps ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that bring an operand to shared memory add the position of a row to
// that of an element of the reduction. Tiles and steps may exceed the operand.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_OPERANDPOSITIONS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_OPERANDPOSITIONS_H

#include "../MatrixAccess.h"
#include "PtxBuilder.h"

namespace mlir::conv {

struct OperandPositions {
  using Position = MatrixAccess::Position;

  /// Operands have fewer elements, rows and columns: what is so far before the
  /// tensor stays outside, whatever is added to it, and offsets have 32 bits.
  static constexpr int64_t kMostElements = int64_t(1) << 30;

  OperandPositions(const PtxBuilder &ptx, const MatrixOperand &operand,
                   bool exceedsRows, bool exceedsReduction)
      : ptx(ptx), access(ptx.math, operand), rows(operand.view.getShape()[1]),
        reduction(operand.view.getShape()[2]), exceedsRows(exceedsRows),
        exceedsReduction(exceedsReduction) {}

  /// The position of an index; or, after the last one, a position so far before
  /// the tensor that no other index makes up for it.
  Position create(MatrixIndex along, Value index) const;
  /// Whether the sum of such positions is in the operand; null if it always is.
  Value createGuard(const Position &position) const;

  const PtxBuilder &ptx;
  MatrixAccess access;
  int64_t rows, reduction;
  bool exceedsRows, exceedsReduction; ///< Whether tiles and steps may.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_OPERANDPOSITIONS_H
