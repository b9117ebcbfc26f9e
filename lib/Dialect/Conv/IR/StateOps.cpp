//===- StateOps.cpp - ops on the states of sequences ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints E1 to E5 of conv.final_state and L1 to L5 of
// conv.dynamic_backward_state, and the descriptions of their problems.
//
//===----------------------------------------------------------------------===//

#include "StateOps.h"
#include "ConvolutionOps.h"

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/StateOpInterface.cpp.inc"

/// Checks E2 and L5, if `starts` says where packed sequences start.
static LogicalResult verifyStarts(Operation *op, Value starts, int64_t b) {
  if (!starts)
    return success();
  RankedTensorType type = getTensorType(starts);
  if (type.getRank() != 1 || type.isDynamicDim(0) || type.getDimSize(0) < 2)
    return op->emitOpError("expects a cu_seqlens of at least 2 elements, but "
                           "got ")
           << type;
  if (failed(verifyNumbers(op, starts, "cu_seqlens", type.getDimSize(0))))
    return failure();
  if (b == 1)
    return success();
  return op->emitOpError("expects B of 1 with cu_seqlens, but got ")
         << (ShapedType::isDynamic(b) ? "?" : std::to_string(b));
}

/// For example " --cu_seqlens 5 --i64" for four packed sequences.
static std::string formatStarts(Value starts) {
  if (!starts)
    return "";
  return " --cu_seqlens " +
         std::to_string(getTensorType(starts).getNumElements()) +
         (getElementTypeOrSelf(starts).isInteger(64) ? " --i64" : "");
}

//===----------------------------------------------------------------------===//
// conv.final_state
//===----------------------------------------------------------------------===//

int64_t FinalStateOp::countSequences() {
  return getCuSeqlens() ? getTensorType(getCuSeqlens()).getNumElements() - 1
                        : getTensorType(getInput()).getDimSize(0);
}

LogicalResult FinalStateOp::verify() {
  // E1.
  bool isPacked = getCuSeqlens() != nullptr;
  if (failed(verifyBuffer(*this, getInput(), "input", 3, isPacked ? 0 : 2)) ||
      failed(verifyBuffer(*this, getResult(), "result", 3, isPacked ? 0 : 1)))
    return failure();
  RankedTensorType input = getTensorType(getInput());
  RankedTensorType result = getTensorType(getResult());
  // E2.
  if (failed(verifyStarts(*this, getCuSeqlens(), input.getDimSize(0))))
    return failure();
  // E4.
  if (!getCache() != !getIndices())
    return emitOpError("expects a cache and indices, but got one of both");
  int64_t n = countSequences();
  int64_t rows = getCache() ? result.getDimSize(0) : n;
  if (failed(verifyType(*this, getResult(), "result",
                        {rows, result.getDimSize(1), input.getDimSize(2)},
                        input.getElementType())) ||
      failed(verifyNumbers(*this, getIndices(), "indices", n)))
    return failure();
  if (getCache() && getCache().getType() != result)
    return emitOpError("expects a result of the cache's type ")
           << getCache().getType() << ", but got " << result;
  // E3.
  if (!getInitialState())
    return success();
  return verifyType(*this, getInitialState(), "initial_state",
                    {n, result.getDimSize(1), input.getDimSize(2)},
                    input.getElementType());
}

std::string FinalStateOp::formatProblem() {
  RankedTensorType input = getTensorType(getInput());
  RankedTensorType result = getTensorType(getResult());
  std::string text = formatSizes(*this, input.getElementType(),
                                 {{"b", input.getDimSize(0)},
                                  {"t", input.getDimSize(1)},
                                  {"d", input.getDimSize(2)},
                                  {"p", result.getDimSize(1)},
                                  {"s", result.getDimSize(0)}});
  text += formatStarts(getCuSeqlens());
  if (getInitialState())
    text += " --initial_state";
  return text + formatNumbers("indices", getIndices());
}

StringRef FinalStateOp::getOperandRole(unsigned operand) {
  Value value = getOperand(operand);
  if (value == getInput())
    return "input";
  if (value == getCuSeqlens())
    return "cu_seqlens";
  if (value == getInitialState())
    return "initial_state";
  return value == getCache() ? "state" : "indices";
}

StringRef FinalStateOp::getResultRole(unsigned) { return "final_state"; }

OpOperand *FinalStateOp::getUpdatedOperand() {
  return getCache() ? &*getCacheMutable().begin() : nullptr;
}

int64_t FinalStateOp::countProducts() { return 0; }

//===----------------------------------------------------------------------===//
// conv.dynamic_backward_state
//===----------------------------------------------------------------------===//

DynamicShape DynamicBackwardStateOp::getShape() {
  ArrayRef<int64_t> grad = getTensorType(getGradOutput()).getShape();
  ArrayRef<int64_t> kernel = getTensorType(getKernel()).getShape();
  bool tapsLast = getOrder() == KernelOrder::BTGW;
  return {grad[0], grad[1], grad[2], kernel[tapsLast ? 2 : 3],
          kernel[tapsLast ? 3 : 2]};
}

int64_t DynamicBackwardStateOp::countSequences() {
  return getCuSeqlens() ? getTensorType(getCuSeqlens()).getNumElements() - 1
                        : getShape().b;
}

LogicalResult DynamicBackwardStateOp::verify() {
  // L3.
  if (failed(verifyBuffer(*this, getGradOutput(), "grad_output", 3, 2)) ||
      failed(verifyBuffer(*this, getKernel(), "kernel", 4, 2)) ||
      failed(verifyBuffer(*this, getGradState(), "grad_state", 3,
                          getCuSeqlens() ? 0 : 1)))
    return failure();
  // L5.
  DynamicShape s = getShape();
  if (failed(verifyStarts(*this, getCuSeqlens(), s.b)))
    return failure();
  // L1.
  RankedTensorType kernel = getTensorType(getKernel());
  if (!isKernelOfTokens(kernel, s.b, s.t) || s.d % s.g)
    return emitOpError("expects kernel with B and T of ")
           << formatSize(s.b) << " and " << formatSize(s.t)
           << ", or 1 and 1, and G that divides " << s.d << ", but got "
           << kernel;
  Type element = getElementTypeOrSelf(getGradOutput());
  if (element != kernel.getElementType() || !isFactor(element) ||
      !isa<FloatType>(element))
    return emitOpError("expects operands of one element type, f32, f16 or "
                       "bf16, but got ")
           << element << " and " << kernel.getElementType();
  // L2.
  Type result = getElementTypeOrSelf(getGradState());
  if (!isa<FloatType>(result))
    return emitOpError("expects grad_state of a floating type, but got ")
           << result;
  return verifyType(*this, getGradState(), "grad_state",
                    {countSequences(), s.w - 1, s.d}, result);
}

std::string DynamicBackwardStateOp::formatProblem() {
  DynamicShape s = getShape();
  RankedTensorType kernel = getTensorType(getKernel());
  bool isOne = kernel.getDimSize(0) != s.b || kernel.getDimSize(1) != s.t;
  std::string text =
      formatSizes(
          *this, getElementTypeOrSelf(getGradOutput()),
          {{"b", s.b}, {"t", s.t}, {"d", s.d}, {"g", s.g}, {"w", s.w}}) +
      " --order " + stringifyKernelOrder(getOrder()).str() +
      (isOne ? " --one_kernel" : "") + formatStarts(getCuSeqlens());
  if (getNormalize() != Normalization::None)
    text += " --normalize " + stringifyNormalization(getNormalize()).str();
  return text;
}

StringRef DynamicBackwardStateOp::getOperandRole(unsigned operand) {
  return operand == 0 ? "grad_output" : operand == 1 ? "kernel" : "cu_seqlens";
}

StringRef DynamicBackwardStateOp::getResultRole(unsigned) {
  return "grad_state";
}

OpOperand *DynamicBackwardStateOp::getUpdatedOperand() { return nullptr; }

int64_t DynamicBackwardStateOp::countProducts() { return getShape().w; }
