//===- BlockTransformBody.h - scalars of block transforms -------*- C++ -*-===//
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

  /// Creates the elements of the result, ordered by their place in the block.
  /// `inputs` begins with the elements of the source's block; `operands` lists,
  /// for each place, the inputs that the epilogue reads.
  SmallVector<Value> create(ValueRange inputs,
                            ArrayRef<SmallVector<size_t>> operands);

private:
  Value widen(Value element);
  /// Creates the dot product of a matrix row and a line of the block.
  Value createSum(ArrayRef<float> row, ArrayRef<Value> line);
  /// Applies the matrix of `dimension` to the block and updates `sizes`.
  SmallVector<Value> transform(ArrayRef<Value> block,
                               SmallVectorImpl<int64_t> &sizes,
                               size_t dimension);

  BlockTransformOp op;
  OpBuilder &builder;
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_BLOCKTRANSFORMBODY_H
