//===- Tail.cpp - the element-wise ops behind a product -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tail has only element-wise ops, so the same op on vectors does for many
// elements what the op on scalars does for one.
//
//===----------------------------------------------------------------------===//

#include "Tail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class TailBuilder {
public:
  TailBuilder(OpBuilder &builder, linalg::GenericOp tail, VectorType vector)
      : builder(builder), region(tail.getRegion()), vector(vector) {}

  SmallVector<Value> create(ArrayRef<Value> inputs);

private:
  /// The type that a scalar of the tail has in what is built.
  Type shaped(Type element) { return vector ? vector.clone(element) : element; }
  Value createConstant(Operation *constant);
  /// What stands for a value of the tail; constants are made where used.
  Value lookup(Value value);
  void createOp(Operation &op);

  OpBuilder &builder;
  Region &region;
  VectorType vector; ///< Null for scalars.
  IRMapping mapping;
};
} // namespace

Value TailBuilder::createConstant(Operation *constant) {
  TypedAttr value;
  bool isConstant = matchPattern(constant, m_Constant(&value));
  assert(isConstant && "TiledConvolution allows only constants");
  (void)isConstant;
  if (vector)
    value = DenseElementsAttr::get(vector.clone(value.getType()), value);
  return arith::ConstantOp::create(builder, constant->getLoc(), value);
}

Value TailBuilder::lookup(Value value) {
  if (!mapping.contains(value))
    mapping.map(value, createConstant(value.getDefiningOp()));
  return mapping.lookup(value);
}

void TailBuilder::createOp(Operation &op) {
  if (matchPattern(&op, m_Constant()))
    return;
  for (Value operand : op.getOperands())
    lookup(operand);
  Operation *copy = builder.clone(op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(shaped(result.getType()));
}

SmallVector<Value> TailBuilder::create(ArrayRef<Value> inputs) {
  Block &body = region.front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    mapping.map(argument, input);
  for (Operation &op : body.without_terminator())
    createOp(op);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value result) { return lookup(result); });
}

SmallVector<Value> mlir::conv::createTailResults(OpBuilder &builder,
                                                 linalg::GenericOp tail,
                                                 ArrayRef<Value> inputs) {
  VectorType vector;
  if (!inputs.empty())
    vector = dyn_cast<VectorType>(inputs.front().getType());
  return TailBuilder(builder, tail, vector).create(inputs);
}

Value mlir::conv::createTail(OpBuilder &builder, linalg::GenericOp tail,
                             ArrayRef<Value> inputs) {
  return createTailResults(builder, tail, inputs).front();
}
