//===- EpilogueOps.cpp - the element-wise ops behind a product --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue has only element-wise ops, so the same op on vectors does for
// many elements what the op on scalars does for one.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class EpilogueBuilder {
public:
  EpilogueBuilder(OpBuilder &builder, linalg::GenericOp epilogue,
                  VectorType vector)
      : builder(builder), region(epilogue.getRegion()), vector(vector) {}

  SmallVector<Value> create(ArrayRef<Value> inputs);

private:
  /// The type that a scalar of the epilogue has in what is built.
  Type shaped(Type element) { return vector ? vector.clone(element) : element; }
  Value createConstant(Operation *constant);
  /// What stands for a value of the epilogue; constants are made where used.
  Value lookup(Value value);
  void createOp(Operation &op);

  OpBuilder &builder;
  Region &region;
  VectorType vector; ///< Null for scalars.
  IRMapping mapping;
};
} // namespace

Value EpilogueBuilder::createConstant(Operation *constant) {
  TypedAttr value;
  bool isConstant = matchPattern(constant, m_Constant(&value));
  assert(isConstant && "TiledConvolution allows only constants");
  (void)isConstant;
  if (vector)
    value = DenseElementsAttr::get(vector.clone(value.getType()), value);
  return arith::ConstantOp::create(builder, constant->getLoc(), value);
}

Value EpilogueBuilder::lookup(Value value) {
  if (!mapping.contains(value))
    mapping.map(value, createConstant(value.getDefiningOp()));
  return mapping.lookup(value);
}

void EpilogueBuilder::createOp(Operation &op) {
  if (matchPattern(&op, m_Constant()))
    return;
  for (Value operand : op.getOperands())
    lookup(operand);
  Operation *copy = builder.clone(op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(shaped(result.getType()));
}

SmallVector<Value> EpilogueBuilder::create(ArrayRef<Value> inputs) {
  Block &body = region.front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    mapping.map(argument, input);
  for (Operation &op : body.without_terminator())
    createOp(op);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value result) { return lookup(result); });
}

SmallVector<Value> mlir::conv::createEpilogueResults(OpBuilder &builder,
                                                     linalg::GenericOp epilogue,
                                                     ArrayRef<Value> inputs) {
  VectorType vector;
  if (!inputs.empty())
    vector = dyn_cast<VectorType>(inputs.front().getType());
  return EpilogueBuilder(builder, epilogue, vector).create(inputs);
}

Value mlir::conv::createEpilogueOps(OpBuilder &builder,
                                    linalg::GenericOp epilogue,
                                    ArrayRef<Value> inputs) {
  return createEpilogueResults(builder, epilogue, inputs).front();
}
