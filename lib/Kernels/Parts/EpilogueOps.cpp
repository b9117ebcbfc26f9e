//===- EpilogueOps.cpp - the element-wise ops after a product ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops of an epilogue are element-wise, so an op on vectors does for many
// elements what the same op on scalars does for one.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class EpilogueBuilder {
public:
  EpilogueBuilder(OpBuilder &builder, linalg::GenericOp epilogue,
                  VectorType vector, function_ref<Value(size_t)> getInput,
                  const IRMapping &known)
      : builder(builder), region(epilogue.getRegion()), vector(vector),
        getInput(getInput), mapping(known) {}

  SmallVector<Value> create();

private:
  /// The type that stands for a scalar type of the epilogue in the built ops.
  Type shaped(Type element) { return vector ? vector.clone(element) : element; }
  Value createConstant(Operation *constant);
  Value createLeaf(Value value);
  /// The built value that stands for a value of the epilogue. Inputs and
  /// constants are built where they are first used.
  Value lookup(Value value);
  void createOp(Operation &op);

  OpBuilder &builder;
  Region &region;
  VectorType vector; ///< Null for scalars.
  function_ref<Value(size_t)> getInput;
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

Value EpilogueBuilder::createLeaf(Value value) {
  if (auto input = dyn_cast<BlockArgument>(value))
    return getInput(input.getArgNumber());
  return createConstant(value.getDefiningOp());
}

Value EpilogueBuilder::lookup(Value value) {
  if (!mapping.contains(value))
    mapping.map(value, createLeaf(value));
  return mapping.lookup(value);
}

void EpilogueBuilder::createOp(Operation &op) {
  bool isKnown = llvm::all_of(
      op.getResults(), [&](Value result) { return mapping.contains(result); });
  if (isKnown || matchPattern(&op, m_Constant()))
    return;
  for (Value operand : op.getOperands())
    lookup(operand);
  Operation *copy = builder.clone(op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(shaped(result.getType()));
}

SmallVector<Value> EpilogueBuilder::create() {
  Block &body = region.front();
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
  return EpilogueBuilder(builder, epilogue, vector,
                         [&](size_t number) { return inputs[number]; },
                         /*known=*/{})
      .create();
}

SmallVector<Value> mlir::conv::createEpilogueResults(
    OpBuilder &builder, linalg::GenericOp epilogue,
    function_ref<Value(size_t)> getInput, const IRMapping &known) {
  return EpilogueBuilder(builder, epilogue, /*vector=*/nullptr, getInput, known)
      .create();
}

Value mlir::conv::createEpilogueOps(OpBuilder &builder,
                                    linalg::GenericOp epilogue,
                                    ArrayRef<Value> inputs) {
  return createEpilogueResults(builder, epilogue, inputs).front();
}

bool EpilogueStream::isKnown(Value value) const {
  if (mapping.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  return matchPattern(op, m_Constant()) ||
         (canWait(*op) && areOperandsKnown(*op));
}

bool EpilogueStream::areOperandsKnown(Operation &op) const {
  return llvm::all_of(op.getOperands(),
                      [&](Value operand) { return isKnown(operand); });
}

bool EpilogueStream::canWait(Operation &op) { return isa<arith::SelectOp>(op); }

void EpilogueStream::build(Operation &op) {
  for (Value operand : op.getOperands())
    if (!mapping.contains(operand))
      build(*operand.getDefiningOp());
  builder->clone(op, mapping);
}

void EpilogueStream::advance() {
  for (Operation &op : body->without_terminator()) {
    bool isBuilt = llvm::all_of(op.getResults(), [&](Value result) {
      return mapping.contains(result);
    });
    if (!isBuilt && !matchPattern(&op, m_Constant()) && !canWait(op) &&
        areOperandsKnown(op))
      build(op);
  }
}

Value EpilogueStream::lookup(size_t result) {
  Value value = body->getTerminator()->getOperand(result);
  if (!isKnown(value))
    return nullptr;
  if (!mapping.contains(value))
    build(*value.getDefiningOp());
  return mapping.lookup(value);
}

SmallVector<size_t> EpilogueStream::listInputs(linalg::GenericOp epilogue,
                                               size_t result) {
  llvm::SetVector<Value> needed;
  needed.insert(epilogue.getBody()->getTerminator()->getOperand(result));
  SmallVector<size_t> inputs;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (auto input = dyn_cast<BlockArgument>(needed[i]))
      inputs.push_back(input.getArgNumber());
    else
      needed.insert_range(needed[i].getDefiningOp()->getOperands());
  }
  return inputs;
}

SmallVector<Value>
EpilogueStream::listPending(const EpilogueStream &other) const {
  llvm::SetVector<Value> pending;
  auto need = [&](Value value) {
    if (!mapping.contains(value) || other.mapping.contains(value) ||
        matchPattern(value, m_Constant()))
      return;
    // What is wider than its source is built again.
    Operation *op = value.getDefiningOp();
    bool isWidened = op && isa<arith::ExtFOp, arith::ExtSIOp>(op) &&
                     mapping.contains(op->getOperand(0));
    pending.insert(isWidened ? op->getOperand(0) : value);
  };
  for (Operation &op : *body)
    if (op.hasTrait<OpTrait::IsTerminator>() ||
        !mapping.contains(op.getResult(0)))
      llvm::for_each(op.getOperands(), need);
  return pending.takeVector();
}
