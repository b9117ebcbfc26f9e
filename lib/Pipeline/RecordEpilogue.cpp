//===- RecordEpilogue.cpp - scalar operations of a reference as JSON ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceRecorder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::conv;
namespace json = llvm::json;

/// JSON has no infinities and no NaN.
static json::Value toNumber(const APFloat &value) {
  if (value.isNaN())
    return "nan";
  if (value.isInfinity())
    return value.isNegative() ? "-inf" : "inf";
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.convertToDouble();
}

FailureOr<json::Object>
ReferenceRecorder::recordScalarOp(Operation &op,
                                  const DenseMap<Value, int64_t> &numbers) {
  json::Object node{{"op", op.getName().stripDialect()}};
  json::Array operands;
  for (Value operand : op.getOperands())
    operands.push_back(numbers.lookup(operand));
  node["operands"] = std::move(operands);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    node["predicate"] = arith::stringifyCmpFPredicate(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    node["predicate"] = arith::stringifyCmpIPredicate(compare.getPredicate());
  // Conditions have no element type, because no tensor stores them.
  if (Type type = op.getResult(0).getType(); !type.isInteger(1))
    node["type"] = typeName(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto number = dyn_cast<FloatAttr>(value))
      node["value"] = toNumber(number.getValue());
    else if (auto number = dyn_cast<BoolAttr>(value))
      node["value"] = int64_t(number.getValue());
    else if (auto number = dyn_cast<IntegerAttr>(value);
             number && (getNumericType(number.getType()) ||
                        number.getType().isInteger(64)))
      node["value"] = number.getInt();
    else
      return op.emitOpError(
                 "expects a constant number in an epilogue, but got ")
             << value;
  }
  return node;
}

/// Whether `op` makes a number of a condition: -1 where it holds, since the
/// condition is a signed integer of one bit. Those of a reference are 0 and 1.
static bool extendsCondition(Operation &op) {
  return isa<arith::ExtSIOp, arith::SIToFPOp>(op) &&
         op.getOperand(0).getType().isInteger(1);
}

/// Appends the choice between -1 and 0 that `op` makes by value `condition`;
/// `first` is the number of the next value.
static void recordExtension(Operation &op, int64_t condition, int64_t first,
                            json::Array &nodes) {
  std::string type = typeName(op.getResult(0).getType());
  for (int64_t value : {-1, 0})
    nodes.push_back(json::Object{{"op", "constant"},
                                 {"operands", json::Array{}},
                                 {"type", type},
                                 {"value", value}});
  nodes.push_back(
      json::Object{{"op", "select"},
                   {"operands", json::Array{condition, first, first + 1}},
                   {"type", type}});
}

/// Values are numbered: the first arguments of the block, then each result.
LogicalResult ReferenceRecorder::recordScalars(Block &block, size_t numValues,
                                               json::Object &step) {
  json::Array nodes;
  DenseMap<Value, int64_t> numbers;
  for (BlockArgument argument : block.getArguments().take_front(numValues))
    numbers[argument] = argument.getArgNumber();
  auto countValues = [&] { return int64_t(numValues + nodes.size()); };
  for (Operation &scalar : block.without_terminator()) {
    if (extendsCondition(scalar)) {
      recordExtension(scalar, numbers.lookup(scalar.getOperand(0)),
                      countValues(), nodes);
    } else {
      FailureOr<json::Object> node = recordScalarOp(scalar, numbers);
      if (failed(node))
        return failure();
      nodes.push_back(std::move(*node));
    }
    numbers[scalar.getResult(0)] = countValues() - 1;
  }
  step["tail"] = std::move(nodes);
  step["yield"] = numbers.lookup(block.getTerminator()->getOperand(0));
  return success();
}

/// The first value is the accumulator, followed by the epilogue operands.
LogicalResult ReferenceRecorder::recordEpilogue(Operation *op,
                                                ValueRange operands,
                                                Region &epilogue,
                                                Type outputType,
                                                json::Object &step) {
  json::Array tensors;
  for (Value operand : operands) {
    FailureOr<json::Object> tensor = recordTensor(operand, op);
    if (failed(tensor))
      return failure();
    (*tensor)["per_channel"] =
        cast<RankedTensorType>(operand.getType()).getRank() == 1;
    tensors.push_back(std::move(*tensor));
  }
  step["tail_operands"] = std::move(tensors);
  if (!epilogue.empty())
    return recordScalars(epilogue.front(), epilogue.front().getNumArguments(),
                         step);
  json::Array nodes;
  if (isa<FloatType>(outputType))
    nodes.push_back(json::Object{{"op", "truncf"},
                                 {"operands", json::Array{0}},
                                 {"type", typeName(outputType)}});
  step["yield"] = int64_t(nodes.size());
  step["tail"] = std::move(nodes);
  return success();
}
