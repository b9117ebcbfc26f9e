//===- CopyMatrices.cpp - copies of matrices ------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyMatrices.h"

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

Value mlir::conv::copyMatrices(OpBuilder &builder, Location loc, Value source,
                               ViewAttr from, Type element,
                               Attribute schedule) {
  Value matrices = GatherOp::create(builder, loc, source, from);
  Value empty = tensor::EmptyOp::create(builder, loc, from.getShape(), element);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(3));
  auto copy = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, ValueRange{matrices},
      ValueRange{empty}, maps,
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        Value copied = elements.front();
        if (copied.getType() != element)
          copied = arith::ExtFOp::create(nested, loc, element, copied);
        linalg::YieldOp::create(nested, loc, copied);
      });
  copy->setAttr(kScheduleName, schedule);
  return copy.getResult(0);
}

Value mlir::conv::createBlockCopy(OpBuilder &builder, Location loc,
                                  Value source, ViewAttr from,
                                  RankedTensorType result, ViewAttr to) {
  auto one = DenseElementsAttr::get(
      RankedTensorType::get({1, 1}, builder.getF32Type()), 1.0F);
  return BlockTransformOp::create(builder, loc, result, source, ValueRange(),
                                  from, builder.getArrayAttr(one), to,
                                  builder.getArrayAttr({}))
      .getResult();
}
