//===- StateOps.cpp - what sequences leave for their next tokens -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints U1 to U8, E1 to E5 and L1 to L5, and the problems in words.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"

#include "ConvolutionOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/StateOpInterface.cpp.inc"

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that a tensor has `rank` positive sizes and fewer than 2^63 bytes,
/// and that no sizes but the first `open` are `?`.
static LogicalResult verifyBuffer(Operation *op, Value tensor, StringRef name,
                                  int64_t rank, size_t open = 0) {
  RankedTensorType type = getTensorType(tensor);
  if (type.getRank() != rank ||
      llvm::any_of(type.getShape().drop_front(open), ShapedType::isDynamic)) {
    InFlightDiagnostic diagnostic = op->emitOpError("expects ");
    diagnostic << (open ? "" : "a static ") << name << " of rank " << rank;
    if (open)
      diagnostic << " with static sizes after the first"
                 << (open > 1 ? " two" : "");
    return diagnostic << ", but got " << type;
  }
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) &&
        (size <= 0 || llvm::MulOverflow(bytes, size, bytes)))
      return op->emitOpError("expects positive sizes and less than 2^63 bytes "
                             "of ")
             << name << ", but got " << type;
  return success();
}

static LogicalResult verifyType(Operation *op, Value tensor, StringRef name,
                                ArrayRef<int64_t> shape, Type element) {
  auto expected = RankedTensorType::get(shape, element);
  if (tensor.getType() == expected)
    return success();
  return op->emitOpError("expects ")
         << name << " of type " << expected << ", but got " << tensor.getType();
}

/// Checks a vector of numbers that kernels find places by.
static LogicalResult verifyNumbers(Operation *op, Value tensor, StringRef name,
                                   int64_t count) {
  if (!tensor)
    return success();
  RankedTensorType type = getTensorType(tensor);
  bool isNumber = type.getElementType().isSignlessInteger(32) ||
                  type.getElementType().isSignlessInteger(64);
  if (isNumber && type.getShape() == ArrayRef(count))
    return success();
  return op->emitOpError("expects ")
         << name << " to be a vector of " << formatSize(count)
         << " elements of i32 or i64, but got " << type;
}

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

/// " --cu_seqlens 5 --i64" for four packed sequences.
static std::string formatStarts(Value starts) {
  if (!starts)
    return "";
  return " --cu_seqlens " +
         std::to_string(getTensorType(starts).getNumElements()) +
         (getElementTypeOrSelf(starts).isInteger(64) ? " --i64" : "");
}

static bool isFactor(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8);
}

/// " --NAME", or " --NAME i64", for an operand that is there.
static std::string formatNumbers(StringRef name, Value tensor) {
  if (!tensor)
    return "";
  bool isWide = getElementTypeOrSelf(tensor).isInteger(64);
  return (" --" + name + (isWide ? " i64" : "")).str();
}

static std::string
formatSizes(Operation *op, Type type,
            std::initializer_list<std::pair<const char *, int64_t>> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().stripDialect() << ' ' << type;
  for (auto [letter, size] : sizes)
    os << " -" << letter << ' ' << formatSize(size);
  return text;
}

//===----------------------------------------------------------------------===//
// conv.causal_update
//===----------------------------------------------------------------------===//

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
