//===- ReferenceOperands.cpp - tensors and epilogues of steps ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceOperands.h"

#include "conv/Support/Npy.h"

#include <limits>
#include <map>

namespace conv::reference {

namespace {
struct OpName {
  ScalarOp op;
  size_t numOperands;
  const ScalarFunction *function = nullptr;
};

// Operands of andi, ori and xori are i1.
const std::map<std::string, OpName> kScalarOps = {
    {"constant", {ScalarOp::Constant, 0}}, {"extf", {ScalarOp::Convert, 1}},
    {"truncf", {ScalarOp::Convert, 1}},    {"addf", {ScalarOp::Add, 2}},
    {"subf", {ScalarOp::Sub, 2}},          {"mulf", {ScalarOp::Mul, 2}},
    {"divf", {ScalarOp::Div, 2}},          {"powf", {ScalarOp::Power, 2}},
    {"fma", {ScalarOp::Fma, 3}},           {"negf", {ScalarOp::Neg, 1}},
    {"maximumf", {ScalarOp::Maximum, 2}},  {"minimumf", {ScalarOp::Minimum, 2}},
    {"maxnumf", {ScalarOp::MaxNum, 2}},    {"minnumf", {ScalarOp::MinNum, 2}},
    {"cmpf", {ScalarOp::Compare, 2}},      {"select", {ScalarOp::Select, 3}},
    {"addi", {ScalarOp::Add, 2}},          {"subi", {ScalarOp::Sub, 2}},
    {"muli", {ScalarOp::Mul, 2}},          {"maxsi", {ScalarOp::Maximum, 2}},
    {"minsi", {ScalarOp::Minimum, 2}},     {"cmpi", {ScalarOp::Compare, 2}},
    {"andi", {ScalarOp::Minimum, 2}},      {"ori", {ScalarOp::Maximum, 2}},
    {"xori", {ScalarOp::Differ, 2}},       {"extsi", {ScalarOp::Convert, 1}},
    {"trunci", {ScalarOp::Wrap, 1}},       {"shli", {ScalarOp::ShiftLeft, 2}},
    {"shrsi", {ScalarOp::ShiftRight, 2}},  {"sitofp", {ScalarOp::Convert, 1}},
};

OpName readOpName(const std::string &name) {
  if (auto known = kScalarOps.find(name); known != kScalarOps.end())
    return known->second;
  // Ops whose functions have other names.
  if (name == "absf")
    return readOpName("abs");
  if (name == "fptosi")
    return readOpName("trunc");
  if (const ScalarFunction *function = lookupFunction(name))
    return {ScalarOp::Function, 1, function};
  fail("expects a scalar operation, but got \"" + name + "\"");
}

EpilogueNode readEpilogueNode(const Json &json, int64_t numValues) {
  std::string name = readString(field(json, "op"), "op");
  OpName known = readOpName(name);
  EpilogueNode node;
  node.op = known.op;
  node.function = known.function;
  for (const Json &operand : readList(field(json, "operands"), "operands"))
    node.operands.push_back(readInteger(operand, "operand", 0, numValues - 1));
  if (node.operands.size() != known.numOperands)
    fail("expects " + std::to_string(known.numOperands) + " operands of " +
         name + ", but got " + std::to_string(node.operands.size()));
  if (node.op == ScalarOp::Compare)
    node.predicate = readString(field(json, "predicate"), "predicate");
  else if (json.contains("type")) {      // Conditions have no type.
    node.isWide = json["type"] == "i64"; // No tensor has it.
    if (!node.isWide)
      node.type = readType(json["type"]);
  }
  if (node.op == ScalarOp::Constant && node.isWide)
    node.wideConstant = readInteger(field(json, "value"), "value",
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max());
  else if (node.op == ScalarOp::Constant)
    node.constant = readNumber(field(json, "value"), "value");
  bool isShift =
      node.op == ScalarOp::ShiftLeft || node.op == ScalarOp::ShiftRight;
  if (isShift && !node.isWide)
    fail("expects " + name + " of i64");
  return node;
}
} // namespace

TensorRef readTensorRef(const Json &json, const Context &context) {
  if (json.is_object() && json.contains("step"))
    return {TensorRef::Step, readInteger(json["step"], "step", 0,
                                         int64_t(context.steps.size()) - 1)};
  if (json.is_object() && json.contains("constant"))
    return {TensorRef::Constant,
            readInteger(json["constant"], "constant", 0,
                        int64_t(context.entry.constants.size()) - 1)};
  return {TensorRef::Argument,
          readInteger(field(json, "argument"), "argument", 0,
                      int64_t(context.entry.arguments.size()) - 1)};
}

int64_t elementsOf(TensorRef ref, const Context &context) {
  if (ref.kind != TensorRef::Step)
    return elementCount(ref.buffer(context.entry).shape);
  const Step &step = context.steps[ref.index];
  return elementCount(step.shape(step.resultRole()));
}

void expectElements(TensorRef ref, int64_t count, const Context &context,
                    const char *what) {
  int64_t got = elementsOf(ref, context);
  if (got != count)
    fail(std::string("expects ") + what + " to have " + std::to_string(count) +
         " elements, but got " + std::to_string(got));
}

EpilogueOperand readEpilogueOperand(const Json &json, const Context &context) {
  const Json &perChannel = field(json, "per_channel");
  if (!perChannel.is_boolean())
    fail("expects per_channel to be true or false, but got " +
         perChannel.dump());
  return {readTensorRef(json, context), perChannel.get<bool>()};
}

void readEpilogue(const Json &json, int64_t numValues, Step &step) {
  for (const Json &node : readList(field(json, "tail"), "tail"))
    step.epilogue.push_back(readEpilogueNode(node, numValues++));
  step.yield = readInteger(field(json, "yield"), "yield", 0, numValues - 1);
}

} // namespace conv::reference
