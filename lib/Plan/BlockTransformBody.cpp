//===- BlockTransformBody.cpp - scalars of block transforms -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrices are small and constant, so every operation is unrolled: a zero
// needs no operation, and a one only the addition. The error bound counts these
// operations (docs/numerics.md): a term of a sum is rounded by its own
// operation and by each one after it.
//
//===----------------------------------------------------------------------===//

#include "BlockTransformBody.h"

#include "conv/Plan/EpilogueBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::conv;

Value BlockTransformBody::widen(Value element) {
  if (element.getType().isF32())
    return element;
  return arith::ExtFOp::create(builder, op.getLoc(), builder.getF32Type(),
                               element);
}

Value BlockTransformBody::createSum(ArrayRef<float> row, ArrayRef<Value> line) {
  Location loc = op.getLoc();
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  };
  Value sum;
  for (auto [factor, term] : llvm::zip(row, line)) {
    if (factor == 0)
      continue;
    if (!sum)
      sum = factor == 1 ? term
            : factor == -1
                ? arith::NegFOp::create(builder, loc, term).getResult()
                : arith::MulFOp::create(builder, loc, term, constant(factor))
                      .getResult();
    else if (factor == 1)
      sum = arith::AddFOp::create(builder, loc, sum, term);
    else if (factor == -1)
      sum = arith::SubFOp::create(builder, loc, sum, term);
    else
      sum = math::FmaOp::create(builder, loc, term, constant(factor), sum);
  }
  return sum ? sum : constant(0);
}

SmallVector<Value> BlockTransformBody::transform(
    ArrayRef<Value> block, SmallVectorImpl<int64_t> &sizes, size_t dimension) {
  SmallVector<float> values(op.getMatrix(dimension).getValues<float>());
  int64_t columns = sizes[dimension];
  int64_t rows = op.getMatrix(dimension).getType().getShape()[0];
  int64_t inner = llvm::product_of(ArrayRef(sizes).drop_front(dimension + 1));
  int64_t outer = llvm::product_of(ArrayRef(sizes).take_front(dimension));
  SmallVector<Value> result(outer * rows * inner);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      SmallVector<Value> line;
      for (int64_t k = 0; k < columns; ++k)
        line.push_back(block[(o * columns + k) * inner + i]);
      for (int64_t row = 0; row < rows; ++row)
        result[(o * rows + row) * inner + i] =
            createSum(ArrayRef(values).slice(row * columns, columns), line);
    }
  sizes[dimension] = rows;
  return result;
}

SmallVector<Value>
BlockTransformBody::create(ValueRange inputs,
                           ArrayRef<SmallVector<size_t>> operands) {
  SmallVector<int64_t> sizes = llvm::to_vector(op.getFrom().getBatch());
  SmallVector<Value> block;
  for (Value input : inputs.take_front(llvm::product_of(sizes)))
    block.push_back(widen(input));
  for (size_t dimension = 0; dimension < sizes.size(); ++dimension)
    block = transform(block, sizes, dimension);
  SmallVector<Value> results;
  for (auto [sum, read] : llvm::zip(block, operands))
    results.push_back(createEpilogueBody(
        builder, op.getLoc(), op.getEpilogue(),
        op.getResultType().getElementType(), sum,
        llvm::map_to_vector(read, [&](size_t i) { return inputs[i]; })));
  return results;
}
