//===- RunTimeSizes.cpp - sizes that callers choose -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of the dimensions of dynamic convolutions and of ops on states.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;

/// The most elements of a dimension: kernels take sizes as i32.
static constexpr int64_t kMostElements = (int64_t(1) << 31) - 1;

std::string mlir::conv::formatSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

static bool isDynamic(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && !type.hasStaticShape();
}

bool mlir::conv::hasRunTimeSizes(Operation *op) {
  return llvm::any_of(op->getOperands(), isDynamic) ||
         llvm::any_of(op->getResults(), isDynamic);
}

static StringRef nameDimensions(DynamicOpInterface op, Value tensor) {
  if (tensor == op.getCuSeqlens())
    return "N";
  if (tensor == op.getInitialState())
    return "BPD";
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return rank == 4   ? stringifyKernelOrder(op.getOrder())
         : rank == 3 ? "BTD"
                     : "D";
}

static StringRef nameDimensions(CausalUpdateOp op, Value tensor) {
  if (tensor == op.getWeight())
    return "DW";
  if (tensor == op.getState() || tensor == op.getNewState())
    return op.getIndices() ? "SDL" : "BDL";
  if (tensor == op.getPositions() || tensor == op.getIndices())
    return "B";
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return rank == 3 ? "BDT" : "D";
}

static StringRef nameDimensions(FinalStateOp op, Value tensor) {
  if (tensor == op.getInput())
    return "BTD";
  if (tensor == op.getCuSeqlens())
    return "N";
  if (tensor == op.getIndices())
    return "B";
  return op.getCache() && tensor != op.getInitialState() ? "SPD" : "BPD";
}

static StringRef nameDimensions(DynamicBackwardStateOp op, Value tensor) {
  if (tensor == op.getKernel())
    return stringifyKernelOrder(op.getOrder());
  if (tensor == op.getCuSeqlens())
    return "N";
  return tensor == op.getGradOutput() ? "BTD" : "BPD";
}

/// A letter per dimension of a tensor of `op`; none if dimensions are unnamed.
static StringRef nameDimensions(Operation *op, Value tensor) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<CausalUpdateOp, FinalStateOp, DynamicBackwardStateOp,
            DynamicOpInterface>(
          [&](auto known) { return nameDimensions(known, tensor); })
      .Default(StringRef());
}

static RunTimeSizes::Size describe(char letter, Operation *op) {
  if (letter == 'N') // There are n + 1 starts for n sequences.
    return {letter, "starts", 2, kMostElements};
  auto dynamic = dyn_cast<DynamicOpInterface>(op);
  bool isPacked = dynamic && dynamic.getCuSeqlens();
  return {letter, std::string(1, letter), 1,
          letter == 'T' && isPacked ? kMostPackedTokens : kMostElements};
}

RunTimeSizes::RunTimeSizes(Operation *op) : op(op) {
  auto add = [&](Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    StringRef letters = nameDimensions(op, tensor);
    if (!type || int64_t(letters.size()) != type.getRank())
      return;
    for (auto [letter, size] : llvm::zip(letters, type.getShape()))
      if (ShapedType::isDynamic(size) && !find(letter))
        sizes.push_back(describe(letter, op));
  };
  for (Value operand : op->getOperands())
    add(operand);
  for (Value result : op->getResults())
    add(result);
}

RunTimeSizes RunTimeSizes::get(func::FuncOp function) {
  for (Operation &op : function.getOps())
    if (isa<DynamicOpInterface, StateOpInterface>(op) && hasRunTimeSizes(&op))
      return RunTimeSizes(&op);
  return {};
}

std::optional<unsigned> RunTimeSizes::find(char letter) const {
  for (auto [number, size] : llvm::enumerate(sizes))
    if (size.letter == letter)
      return unsigned(number);
  return std::nullopt;
}

std::optional<unsigned> RunTimeSizes::find(Value tensor,
                                           unsigned dimension) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  bool isOwn = op && type &&
               (llvm::is_contained(op->getOperands(), tensor) ||
                llvm::is_contained(op->getResults(), tensor));
  if (!isOwn || !type.isDynamicDim(dimension))
    return std::nullopt;
  return find(nameDimensions(op, tensor)[dimension]);
}
