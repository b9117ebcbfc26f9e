//===- ConvolutionOpInterface.cpp - convolutions by role --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table maps operands to roles in each direction. Everything else follows
// from it.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/LayoutOrder.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.cpp.inc"

namespace {
/// The roles of the two operands and the result.
struct Roles {
  TensorRole lhs, rhs, result;
};
} // namespace

static constexpr Roles getRoles(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return {TensorRole::Input, TensorRole::Filter, TensorRole::Output};
  case Direction::BackwardData:
    return {TensorRole::Output, TensorRole::Filter, TensorRole::Input};
  case Direction::BackwardWeight:
    return {TensorRole::Input, TensorRole::Output, TensorRole::Filter};
  }
  llvm_unreachable("every direction has roles");
}

std::array<TensorRole, 2> mlir::conv::getOperandRoles(Direction direction) {
  Roles roles = getRoles(direction);
  return {roles.lhs, roles.rhs};
}

TensorRole mlir::conv::getResultRole(Direction direction) {
  return getRoles(direction).result;
}

ConvolutionOpInterface
mlir::conv::createConvolution(OpBuilder &builder, Location loc,
                              Direction direction, RankedTensorType type,
                              Value lhs, Value rhs, WindowAttr window,
                              LayoutsAttr layouts, int64_t groups,
                              PaddingMode padding, Arithmetic arithmetic) {
  auto create = [&]<typename OpTy>() -> ConvolutionOpInterface {
    return OpTy::create(builder, loc, type, lhs, rhs,
                        /*epilogueOperands=*/ValueRange(), window, layouts,
                        groups, padding, arithmetic, /*schedule=*/nullptr);
  };
  switch (direction) {
  case Direction::Forward:
    return create.operator()<ForwardOp>();
  case Direction::BackwardData:
    return create.operator()<BackwardDataOp>();
  case Direction::BackwardWeight:
    return create.operator()<BackwardWeightOp>();
  }
  llvm_unreachable("every direction has an op");
}

TensorRole ConvolutionOpInterface::getLhsRole() {
  return getRoles(getDirection()).lhs;
}

TensorRole ConvolutionOpInterface::getRhsRole() {
  return getRoles(getDirection()).rhs;
}

TensorRole ConvolutionOpInterface::getResultRole() {
  return getRoles(getDirection()).result;
}

TypedValue<RankedTensorType>
ConvolutionOpInterface::getTensor(TensorRole role) {
  Roles roles = getRoles(getDirection());
  Operation *op = getOperation();
  Value tensor = role == roles.lhs   ? op->getOperand(0)
                 : role == roles.rhs ? op->getOperand(1)
                                     : op->getResult(0);
  return cast<TypedValue<RankedTensorType>>(tensor);
}

StringRef ConvolutionOpInterface::getTensorName(TensorRole role) {
  bool forward = getDirection() == Direction::Forward;
  bool isGradient =
      !forward && (role == TensorRole::Output || role == getResultRole());
  switch (role) {
  case TensorRole::Input:
    return isGradient ? "grad_input" : "input";
  case TensorRole::Filter:
    return isGradient ? "grad_filter" : "filter";
  case TensorRole::Output:
    return isGradient ? "grad_output" : "output";
  }
  llvm_unreachable("every role has a name");
}

StringRef mlir::conv::getOrder(LayoutsAttr layouts, TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return layouts.getInput();
  case TensorRole::Filter:
    return layouts.getFilter();
  case TensorRole::Output:
    return layouts.getOutput();
  }
  llvm_unreachable("every role has an order");
}

StringRef ConvolutionOpInterface::getOrder(TensorRole role) {
  return conv::getOrder(getLayouts(), role);
}

TypedValue<RankedTensorType> ConvolutionOpInterface::getLhs() {
  return getTensor(getLhsRole());
}

TypedValue<RankedTensorType> ConvolutionOpInterface::getRhs() {
  return getTensor(getRhsRole());
}

TypedValue<RankedTensorType> ConvolutionOpInterface::getResultTensor() {
  return getTensor(getResultRole());
}

RankedTensorType ConvolutionOpInterface::getInputType() {
  return getTensor(TensorRole::Input).getType();
}

RankedTensorType ConvolutionOpInterface::getFilterType() {
  return getTensor(TensorRole::Filter).getType();
}

RankedTensorType ConvolutionOpInterface::getOutputType() {
  return getTensor(TensorRole::Output).getType();
}

RankedTensorType ConvolutionOpInterface::getResultType() {
  return getResultTensor().getType();
}

StringRef ConvolutionOpInterface::getResultOrder() {
  return getOrder(getResultRole());
}

std::optional<char> ConvolutionOpInterface::getResultChannel() {
  switch (getResultRole()) {
  case TensorRole::Input:
    return 'C';
  case TensorRole::Filter:
    return std::nullopt;
  case TensorRole::Output:
    return 'K';
  }
  llvm_unreachable("every role is known");
}
