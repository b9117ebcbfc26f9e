//===- SupportedSequences.cpp - ops on sequences and states -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of kernels with a convolution kernel per token, or with a state:
// the values of a work-item are in registers.
//
//===----------------------------------------------------------------------===//

#include "SupportedParts.h"

#include "conv/Dialect/Conv/IR/DynamicProblem.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

using namespace mlir;
using namespace mlir::conv;

/// The most taps of a kernel for each token: all of them are in registers.
static constexpr int64_t kMostTaps = 64;

LogicalResult mlir::conv::checkDynamic(DynamicOpInterface op) {
  DynamicShape shape = op.getShape();
  auto refuse = [&](StringRef expected, int64_t got) {
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects " << expected << ", but got " << got;
  };
  if (shape.w > kMostTaps)
    return refuse("kernels of at most 64 taps", shape.w);
  constexpr int64_t kLargest = int64_t(1) << 40; // As for convolutions.
  if (int64_t largest = std::max({shape.b, shape.t, shape.d});
      largest > kLargest)
    return refuse("sizes of at most 2^40", largest);
  if (op.getDirection() == Direction::BackwardWeight && op.hasTokenKernel() &&
      shape.perGroup() > kMostMembers)
    return emitUnsupported(op.getLoc(), Reason::DynamicShape)
           << "expects groups of at most 16 channels with run-time sizes or "
              "states of packed sequences, but got "
           << shape.perGroup();
  if (op.getDirection() == Direction::BackwardWeight &&
      computeMembersOfSum(shape.perGroup()) == 0)
    return refuse("groups whose channels are at most 64 sums of at most 16",
                  shape.perGroup());
  if (int64_t count = llvm::range_size(op.getEpilogue().getOps());
      count > kMaxEpilogueOperations)
    return refuse("at most 4096 operations after a convolution", count);
  for (Value operand : op->getOperands())
    if (failed(checkTensor(op, operand)))
      return failure();
  return checkScalars(op.getEpilogue().getOps());
}

/// Checks the sizes of a decoding step: a work-item holds all tokens of a
/// channel, and of its state, in registers.
static LogicalResult checkUpdate(CausalUpdateOp op) {
  UpdateShape shape = op.getShape();
  auto refuse = [&](StringRef expected, int64_t got) {
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects " << expected << ", but got " << got;
  };
  constexpr int64_t kMostTokens = 16, kMostOfState = 128;
  if (shape.t > kMostTokens)
    return refuse("a step of at most 16 tokens", shape.t);
  if (shape.w > kMostTaps)
    return refuse("filters of at most 64 taps", shape.w);
  if (!op.getPositions() && shape.length > kMostOfState)
    return refuse("states of at most 128 tokens without positions",
                  shape.length);
  return success();
}

LogicalResult mlir::conv::checkState(StateOpInterface op) {
  constexpr int64_t kLargest = int64_t(1) << 40; // As for convolutions.
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      if (size > kLargest)
        return emitUnsupported(op.getLoc(), Reason::ProblemSize)
               << "expects sizes of at most 2^40, but got " << size;
  if (auto update = dyn_cast<CausalUpdateOp>(*op);
      update && failed(checkUpdate(update)))
    return failure();
  if (auto gradient = dyn_cast<DynamicBackwardStateOp>(*op);
      gradient && gradient.getShape().w > kMostTaps)
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects kernels of at most 64 taps, but got "
           << gradient.getShape().w;
  for (Value operand : op->getOperands()) {
    if (failed(checkTensor(op, operand)))
      return failure();
    // The kernel knows the strides of arguments, but not those of a reshape.
    if (lookThroughReshapes(operand) != operand)
      return emitUnsupported(op.getLoc(), Reason::DataMovement)
             << "expects operands that are not reshaped, but got "
             << operand.getType();
  }
  Region *epilogue = op.getEpilogueRegion();
  if (!epilogue)
    return success();
  if (int64_t count = llvm::range_size(epilogue->getOps());
      count > kMaxEpilogueOperations)
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects at most 4096 operations after a convolution, but got "
           << count;
  return checkScalars(epilogue->getOps());
}
