//===- BlockTransformBody.h - scalars of a block ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_BLOCKTRANSFORMBODY_H
#define CONV_LIB_PLAN_BLOCKTRANSFORMBODY_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Builds what a `conv.block_transform` computes of the elements of one block.
class BlockTransformBody {
public:
  BlockTransformBody(BlockTransformOp op, OpBuilder &builder)
      : op(op), builder(builder) {}

  /// The elements of the result, by the places of its block. `inputs` has those
  /// of the source's block first; `operands` says, for each place, which of
  /// them the epilogue reads.
  SmallVector<Value> create(ValueRange inputs,
                            ArrayRef<SmallVector<size_t>> operands);

private:
  Value widen(Value element);
  /// The sum of a row of a matrix times a line of the block.
  Value createSum(ArrayRef<float> row, ArrayRef<Value> line);
  /// The block after the matrix of `dimension`, whose sizes it changes.
  SmallVector<Value> transform(ArrayRef<Value> block,
                               SmallVectorImpl<int64_t> &sizes,
                               size_t dimension);

  BlockTransformOp op;
  OpBuilder &builder;
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_BLOCKTRANSFORMBODY_H
