//===- DynamicOps.cpp - dynamic convolutions --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic convolutions by role, and their constraints K1 to K13. Operands and
// results have the roles that they have in ordinary convolutions.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DynamicNames.h"
#include "conv/Dialect/Conv/IR/DynamicProblem.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "ConvolutionOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/DynamicOpInterface.cpp.inc"

TypedValue<RankedTensorType> DynamicOpInterface::getTensor(TensorRole role) {
  auto [lhs, rhs] = getOperandRoles(getDirection());
  Operation *op = getOperation();
  Value tensor = role == lhs   ? op->getOperand(0)
                 : role == rhs ? op->getOperand(1)
                               : op->getResult(0);
  return cast<TypedValue<RankedTensorType>>(tensor);
}

TypedValue<RankedTensorType> DynamicOpInterface::getResultTensor() {
  return getTensor(getResultRole(getDirection()));
}

StringRef mlir::conv::getDynamicTensorName(Direction direction,
                                           TensorRole role) {
  bool isGradient =
      direction != Direction::Forward &&
      (role == TensorRole::Output || role == getResultRole(direction));
  switch (role) {
  case TensorRole::Input:
    return isGradient ? "grad_input" : "input";
  case TensorRole::Filter:
    return isGradient ? "grad_kernel" : "kernel";
  case TensorRole::Output:
    return isGradient ? "grad_output" : "output";
  }
  llvm_unreachable("every role has a name");
}

StringRef DynamicOpInterface::getTensorName(TensorRole role) {
  return getDynamicTensorName(getDirection(), role);
}

Type DynamicOpInterface::getOperandType() {
  return getElementTypeOrSelf(getOperation()->getOperand(0));
}

DynamicShape DynamicOpInterface::getShape() {
  ArrayRef<int64_t> input = getTensor(TensorRole::Input).getType().getShape();
  ArrayRef<int64_t> kernel = getTensor(TensorRole::Filter).getType().getShape();
  bool tapsLast = getOrder() == KernelOrder::BTGW;
  return {input[0], input[1], input[2], kernel[tapsLast ? 2 : 3],
          kernel[tapsLast ? 3 : 2]};
}

bool DynamicOpInterface::hasOneKernel() {
  DynamicShape shape = getShape();
  ArrayRef<int64_t> kernel = getTensor(TensorRole::Filter).getType().getShape();
  return kernel[0] != shape.b || kernel[1] != shape.t;
}

bool DynamicOpInterface::hasTokenKernel() {
  return hasRunTimeSizes(getOperation()) ||
         (getCuSeqlens() && getInitialState()) || normalizesManyKernels(*this);
}

int64_t mlir::conv::computeMembersOfSum(int64_t perGroup) {
  for (int64_t members = std::min(kMostMembers, perGroup); members > 0;
       --members)
    if (perGroup % members == 0)
      return perGroup / members <= kMostPartialSums ? members : 0;
  return 0;
}

bool mlir::conv::normalizesManyKernels(DynamicOpInterface op) {
  // The code of more taps, of all kernels together, takes seconds to compile.
  constexpr int64_t kMaxUnrolledTaps = 128;
  int64_t taps = op.getShape().w;
  return op.getDirection() == Direction::BackwardData && op.isNormalized() &&
         !op.hasOneKernel() && taps * taps > kMaxUnrolledTaps;
}

/// Whether all sizes after the first `count` are static.
static bool isStaticBehind(RankedTensorType type, size_t count) {
  return llvm::none_of(type.getShape().drop_front(count),
                       ShapedType::isDynamic);
}

/// Checks K1, K2 and K11.
static LogicalResult verifyTensors(DynamicOpInterface op) {
  for (TensorRole role : kTensorRoles) {
    RankedTensorType type = op.getTensor(role).getType();
    int64_t rank = role == TensorRole::Filter ? 4 : 3;
    constexpr size_t kTokens = 2; // B and T.
    if (type.getRank() != rank || !isStaticBehind(type, kTokens))
      return op.emitOpError("expects ")
             << op.getTensorName(role) << " of rank " << rank
             << " with static sizes after B and T, but got " << type;
    int64_t bytes = getElementBytes(type);
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size) &&
          (size <= 0 || llvm::MulOverflow(bytes, size, bytes)))
        return op.emitOpError("expects positive sizes and less than 2^63 "
                              "bytes of ")
               << op.getTensorName(role) << ", but got " << type;
  }
  RankedTensorType input = op.getTensor(TensorRole::Input).getType();
  RankedTensorType output = op.getTensor(TensorRole::Output).getType();
  if (input.getShape() == output.getShape())
    return success();
  return op.emitOpError("expects ")
         << op.getTensorName(TensorRole::Input) << " and "
         << op.getTensorName(TensorRole::Output) << " of one shape, but got "
         << input << " and " << output;
}

bool mlir::conv::isKernelOfTokens(RankedTensorType kernel, int64_t b,
                                  int64_t t) {
  ArrayRef<int64_t> tokens = kernel.getShape().take_front(2);
  return tokens == ArrayRef<int64_t>({b, t}) ||
         tokens == ArrayRef<int64_t>({1, 1});
}

/// Checks K3 to K5.
static LogicalResult verifyOperands(DynamicOpInterface op) {
  DynamicShape shape = op.getShape();
  RankedTensorType kernel = op.getTensor(TensorRole::Filter).getType();
  StringRef name = op.getTensorName(TensorRole::Filter);
  bool isResult = op.getDirection() == Direction::BackwardWeight;
  if (!isKernelOfTokens(kernel, shape.b, shape.t) ||
      (isResult && op.hasOneKernel()))
    return op.emitOpError("expects ")
           << name << " with B and T of " << formatSize(shape.b) << " and "
           << formatSize(shape.t) << (isResult ? "" : ", or 1 and 1")
           << ", but got " << kernel;
  if (shape.d % shape.g)
    return op.emitOpError("expects G of ")
           << name << " to divide D, but got " << shape.g << " and " << shape.d;
  Type lhs = op.getOperandType();
  Type rhs = getElementTypeOrSelf(op->getOperand(1));
  bool isKnown = lhs.isF32() || lhs.isF16() || lhs.isBF16() || lhs.isInteger(8);
  if (lhs == rhs && isKnown)
    return success();
  return op.emitOpError("expects operands of one element type, f32, f16, bf16 "
                        "or i8, but got ")
         << lhs << " and " << rhs;
}

/// Checks K8 and K9.
static LogicalResult verifySequences(DynamicOpInterface op) {
  if (!op.getCuSeqlens())
    return success();
  RankedTensorType type = op.getCuSeqlens().getType();
  bool isTooShort =
      type.getRank() == 1 && !type.isDynamicDim(0) && type.getDimSize(0) < 2;
  if (type.getRank() != 1 || isTooShort ||
      (!type.getElementType().isSignlessInteger(32) &&
       !type.getElementType().isSignlessInteger(64)))
    return op.emitOpError("expects a cu_seqlens of at least 2 elements of i32 "
                          "or i64, but got ")
           << type;
  DynamicShape shape = op.getShape();
  if (shape.b == 1 && shape.t <= kMostPackedTokens)
    return success();
  return op.emitOpError("expects B of 1 and T of at most 2^30 with "
                        "cu_seqlens, but got ")
         << formatSize(shape.b) << " and " << formatSize(shape.t);
}

/// Checks K10.
static LogicalResult verifyState(DynamicOpInterface op) {
  if (!op.getInitialState())
    return success();
  DynamicShape shape = op.getShape();
  int64_t sequences = shape.b;
  if (op.getCuSeqlens()) {
    RankedTensorType starts = op.getCuSeqlens().getType();
    if (starts.isDynamicDim(0))
      return op.emitOpError("expects a cu_seqlens of static length with "
                            "initial_state, but got ")
             << starts;
    sequences = starts.getDimSize(0) - 1;
  }
  auto expected = RankedTensorType::get({sequences, shape.w - 1, shape.d},
                                        op.getOperandType());
  RankedTensorType type = op.getInitialState().getType();
  if (type == expected && shape.w > 1)
    return success();
  return op.emitOpError("expects an initial_state of positive sizes and type ")
         << expected << ", but got " << type;
}

/// Checks K12 and K13.
static LogicalResult verifyNormalization(DynamicOpInterface op) {
  if (op.isNormalized() && !isa<FloatType>(op.getOperandType()))
    return op.emitOpError("expects operands of a floating type with "
                          "normalize, but got ")
           << op.getOperandType();
  if (op.getDirection() != Direction::BackwardWeight)
    return success();
  TypedValue<RankedTensorType> kernel = op.getGivenKernel();
  if (op.isNormalized() != (kernel != nullptr))
    return op.emitOpError("expects a kernel with normalize and none without "
                          "it, but got ")
           << (kernel ? "one" : "none") << " and "
           << stringifyNormalization(op.getNormalize());
  auto expected =
      RankedTensorType::get(op.getResultType().getShape(), op.getOperandType());
  if (!kernel || kernel.getType() == expected)
    return success();
  return op.emitOpError("expects a kernel of type ")
         << expected << ", but got " << kernel.getType();
}

LogicalResult mlir::conv::verifyDynamic(DynamicOpInterface op) {
  if (failed(verifyTensors(op)) || failed(verifyOperands(op)) ||
      failed(verifySequences(op)) || failed(verifyState(op)) ||
      failed(verifyNormalization(op)))
    return failure();
  // K6.
  if (op.getEpilogue().empty() && !op.getEpilogueOperands().empty())
    return op.emitOpError("expects an epilogue for its operands, but got ")
           << op.getEpilogueOperands().size() << " operands and no region";
  ArrayRef<int64_t> result = op.getResultType().getShape();
  bool hasVectors = op.getDirection() != Direction::BackwardWeight;
  int64_t channels = op.getShape().d;
  for (auto [index, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    if (shape == result || (hasVectors && shape == ArrayRef(channels)))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError("expects epilogue operand ");
    diagnostic << index << " to have the shape of "
               << op.getTensorName(getResultRole(op.getDirection()));
    if (hasVectors)
      diagnostic << " or to be a vector of " << channels << " channels";
    return diagnostic << ", but got " << operand.getType();
  }
  return success();
}

LogicalResult mlir::conv::verifyDynamicEpilogue(DynamicOpInterface op) {
  // K7.
  Type element = op.getResultType().getElementType();
  Type accumulator = getAccumulatorType(op.getOperandType());
  if (!op.getEpilogue().empty())
    return verifyEpilogueBlock(op, op.getEpilogue().front(), accumulator,
                               op.getEpilogueOperands(), element);
  bool isInteger = isa<IntegerType>(accumulator);
  if (isInteger ? element.isInteger(32) : isa<FloatType>(element))
    return success();
  return op.emitOpError("expects ")
         << op.getTensorName(getResultRole(op.getDirection())) << " of "
         << (isInteger ? "i32" : "a floating type")
         << " without an epilogue, but got " << element;
}

std::string mlir::conv::formatProblem(DynamicOpInterface op) {
  DynamicShape shape = op.getShape();
  std::string text;
  llvm::raw_string_ostream(text)
      << op->getName().stripDialect() << ' ' << op.getOperandType() << " -b "
      << formatSize(shape.b) << " -t " << formatSize(shape.t) << " -d "
      << shape.d << " -g " << shape.g << " -w " << shape.w << " --order "
      << stringifyKernelOrder(op.getOrder());
  if (op.hasOneKernel())
    text += " --one_kernel";
  if (op.getCuSeqlens())
    text +=
        " --cu_seqlens " +
        formatSize(op.getCuSeqlens().getType().getDimSize(0)) +
        (op.getCuSeqlens().getType().getElementType().isInteger(64) ? " --i64"
                                                                    : "");
  if (op.getInitialState())
    text += " --initial_state";
  if (op.isNormalized())
    text += " --normalize " + stringifyNormalization(op.getNormalize()).str();
  return text;
}
