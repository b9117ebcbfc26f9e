//===- MultiplyAdd.cpp - sums of products of one element type -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MultiplyAdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::conv;

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

Value mlir::conv::widenElement(OpBuilder &builder, Location loc, Value element,
                               Type wide) {
  if (element.getType() == wide)
    return element;
  if (isFloat(wide))
    return arith::ExtFOp::create(builder, loc, wide, element);
  return arith::ExtSIOp::create(builder, loc, wide, element);
}

Value mlir::conv::multiplyAdd(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs, Value sum) {
  if (isFloat(sum.getType()))
    return math::FmaOp::create(builder, loc, lhs, rhs, sum);
  return arith::AddIOp::create(builder, loc, sum,
                               arith::MulIOp::create(builder, loc, lhs, rhs));
}

Value mlir::conv::addSums(OpBuilder &builder, Location loc, Value lhs,
                          Value rhs) {
  if (isFloat(lhs.getType()))
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}
