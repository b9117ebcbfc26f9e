//===- CausalUpdateOp.cpp - one step of a causal convolution --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints U1 to U8, and the description of the problem.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionOps.h"
#include "StateOps.h"

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"

using namespace mlir;
using namespace mlir::conv;

UpdateShape CausalUpdateOp::getShape() {
  ArrayRef<int64_t> input = getTensorType(getInput()).getShape();
  ArrayRef<int64_t> state = getTensorType(getState()).getShape();
  return {input[0], input[1],
          input[2], getTensorType(getWeight()).getDimSize(1),
          state[0], state[2]};
}

LogicalResult CausalUpdateOp::verify() {
  // U1.
  if (failed(verifyBuffer(*this, getInput(), "input", 3, 1)) ||
      failed(verifyBuffer(*this, getWeight(), "weight", 2)) ||
      failed(verifyBuffer(*this, getState(), "state", 3, 1)) ||
      failed(verifyBuffer(*this, getOutput(), "output", 3, 1)))
    return failure();
  UpdateShape s = getShape();
  Type element = getElementTypeOrSelf(getInput());
  if (failed(verifyType(*this, getOutput(), "output", {s.b, s.d, s.t},
                        getElementTypeOrSelf(getOutput()))))
    return failure();
  // U1, U3.
  if (!isFactor(element))
    return emitOpError("expects an input of f32, f16, bf16 or i8, but got ")
           << getInput().getType();
  if (failed(verifyType(*this, getWeight(), "weight", {s.d, s.w}, element)) ||
      failed(verifyType(*this, getState(), "state", {s.states, s.d, s.length},
                        element)))
    return failure();
  // U2.
  if (s.length < s.w - 1)
    return emitOpError("expects states of at least ")
           << s.w - 1 << " tokens, but got " << s.length;
  // U4.
  if (failed(verifyNumbers(*this, getPositions(), "positions", s.b)) ||
      failed(verifyNumbers(*this, getIndices(), "indices", s.b)))
    return failure();
  if (!getIndices() && s.states != s.b)
    return emitOpError("expects a state for each of ")
           << formatSize(s.b) << " sequences without indices, but got "
           << formatSize(s.states);
  // U5.
  if (getNewState().getType() != getState().getType())
    return emitOpError("expects new_state of type ")
           << getState().getType() << ", but got " << getNewState().getType();
  // U6.
  if (getEpilogue().empty() && !getEpilogueOperands().empty())
    return emitOpError("expects an epilogue for its operands, but got ")
           << getEpilogueOperands().size() << " operands and no region";
  for (auto [index, operand] : llvm::enumerate(getEpilogueOperands())) {
    ArrayRef<int64_t> shape = getTensorType(operand).getShape();
    if (shape != getTensorType(getOutput()).getShape() &&
        shape != ArrayRef(s.d))
      return emitOpError("expects epilogue operand ")
             << index << " to have the shape of output or to be a vector of "
             << s.d << " channels, but got " << operand.getType();
  }
  return success();
}

LogicalResult CausalUpdateOp::verifyRegions() {
  // U7.
  Type element = getElementTypeOrSelf(getOutput());
  Type accumulator = getAccumulatorType(getElementTypeOrSelf(getInput()));
  if (!getEpilogue().empty())
    return verifyEpilogueBlock(*this, getEpilogue().front(), accumulator,
                               getEpilogueOperands(), element);
  bool isInteger = isa<IntegerType>(accumulator);
  if (isInteger ? element.isInteger(32) : isa<FloatType>(element))
    return success();
  return emitOpError("expects output of ")
         << (isInteger ? "i32" : "a floating type")
         << " without an epilogue, but got " << element;
}

std::string CausalUpdateOp::formatProblem() {
  UpdateShape s = getShape();
  return formatSizes(*this, getElementTypeOrSelf(getInput()),
                     {{"b", s.b},
                      {"d", s.d},
                      {"t", s.t},
                      {"w", s.w},
                      {"s", s.states},
                      {"l", s.length}}) +
         formatNumbers("positions", getPositions()) +
         formatNumbers("indices", getIndices());
}

StringRef CausalUpdateOp::getOperandRole(unsigned operand) {
  Value value = getOperand(operand);
  if (value == getInput())
    return "input";
  if (value == getWeight())
    return "weight";
  if (value == getState())
    return "state";
  if (value == getPositions())
    return "positions";
  if (value == getIndices())
    return "indices";
  return getTensorType(value).getRank() == 1 ? "bias" : "operand";
}

StringRef CausalUpdateOp::getResultRole(unsigned result) {
  return result == 0 ? "output" : "new_state";
}

OpOperand *CausalUpdateOp::getUpdatedOperand() { return &getStateMutable(); }

int64_t CausalUpdateOp::countProducts() { return getShape().w; }
