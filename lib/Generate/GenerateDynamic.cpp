//===- GenerateDynamic.cpp - a dynamic convolution as MLIR ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op and the function around it. The op's verifier refuses meaningless
// sizes.
//
//===----------------------------------------------------------------------===//

#include "GenerateDynamic.h"

#include "conv/Dialect/Conv/IR/DynamicNames.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ::conv;
using mlir::conv::Direction;
using mlir::conv::TensorRole;

static Direction parseDirection(StringRef name) {
  return llvm::StringSwitch<Direction>(name)
      .Case("dynamic_backward_input", Direction::BackwardData)
      .Case("dynamic_backward_kernel", Direction::BackwardWeight)
      .Default(Direction::Forward);
}

static_assert(kRunTimeSize == ShapedType::kDynamic);

Type(::conv::parseType)(Builder &builder, StringRef name) {
  return llvm::StringSwitch<Type>(name)
      .Case("f16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Case("i8", builder.getI8Type())
      .Default(builder.getF32Type());
}

/// `dynamic_forward_bf16_b2_t37_d64_g8_w4_btwg`; parts with default values are
/// absent.
static std::string makeName(const DynamicGenOptions &options) {
  std::string name;
  llvm::raw_string_ostream os(name);
  auto describe = [](int64_t size) {
    return size == kRunTimeSize ? "any" : std::to_string(size);
  };
  os << options.direction << '_' << options.type << "_b" << describe(options.b)
     << "_t" << describe(options.t) << "_d" << options.d;
  if (options.g != options.d)
    os << "_g" << options.g;
  os << "_w" << options.w << '_' << StringRef(options.order).lower();
  if (options.starts)
    os << "_packed" << describe(options.starts);
  if (options.wideStarts)
    os << "_i64";
  if (options.oneKernel)
    os << "_one_kernel";
  if (options.initialState)
    os << "_state";
  if (options.normalize != "none")
    os << '_' << options.normalize;
  return name;
}

namespace {
/// Builds one function.
class DynamicGenerator {
public:
  DynamicGenerator(ModuleOp module, const DynamicGenOptions &options)
      : module(module), options(options), builder(module.getContext()),
        loc(builder.getUnknownLoc()),
        direction(parseDirection(options.direction)),
        operand(parseType(builder, options.type)),
        order(*mlir::conv::symbolizeKernelOrder(options.order)),
        normalize(*mlir::conv::symbolizeNormalization(options.normalize)),
        hasGivenKernel(direction == Direction::BackwardWeight &&
                       normalize != mlir::conv::Normalization::None) {}

  func::FuncOp create();

private:
  RankedTensorType getTensor(TensorRole role, Type element) const;
  void addArgument(StringRef name, RankedTensorType type);
  Value createOp(func::FuncOp function, RankedTensorType result);

  ModuleOp module;
  const DynamicGenOptions &options;
  OpBuilder builder;
  Location loc;
  Direction direction;
  Type operand;
  mlir::conv::KernelOrder order;
  mlir::conv::Normalization normalize;
  bool hasGivenKernel; ///< Also true for the kernels' gradient.
  SmallVector<Type> types;
  SmallVector<StringRef> names;
};
} // namespace

RankedTensorType DynamicGenerator::getTensor(TensorRole role,
                                             Type element) const {
  auto [b, t, d, g, w] =
      std::tuple(options.b, options.t, options.d, options.g, options.w);
  if (role != TensorRole::Filter)
    return RankedTensorType::get({b, t, d}, element);
  if (options.oneKernel)
    b = t = 1;
  return order == mlir::conv::KernelOrder::BTGW
             ? RankedTensorType::get({b, t, g, w}, element)
             : RankedTensorType::get({b, t, w, g}, element);
}

void DynamicGenerator::addArgument(StringRef name, RankedTensorType type) {
  names.push_back(name);
  types.push_back(type);
}

Value DynamicGenerator::createOp(func::FuncOp function,
                                 RankedTensorType result) {
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Value lhs = body->getArgument(0), rhs = body->getArgument(1), none;
  unsigned next = 2;
  Value starts = options.starts ? body->getArgument(next++) : none;
  Value state = options.initialState ? body->getArgument(next++) : none;
  Value kernel = hasGivenKernel ? body->getArgument(next++) : none;
  switch (direction) {
  case Direction::Forward:
    return mlir::conv::DynamicForwardOp::create(builder, loc, result, lhs, rhs,
                                                starts, state, ValueRange(),
                                                order, normalize);
  case Direction::BackwardData:
    return mlir::conv::DynamicBackwardInputOp::create(
        builder, loc, result, lhs, rhs, starts, ValueRange(), order, normalize);
  case Direction::BackwardWeight:
    return mlir::conv::DynamicBackwardKernelOp::create(
        builder, loc, result, lhs, rhs, starts, state, kernel, ValueRange(),
        order, normalize);
  }
  llvm_unreachable("every direction has an op");
}

func::FuncOp DynamicGenerator::create() {
  for (TensorRole role : mlir::conv::getOperandRoles(direction))
    addArgument(getDynamicTensorName(direction, role),
                getTensor(role, operand));
  if (options.starts)
    addArgument("cu_seqlens", RankedTensorType::get(
                                  {options.starts},
                                  options.wideStarts ? builder.getI64Type()
                                                     : builder.getI32Type()));
  if (options.initialState) {
    int64_t sequences = options.starts ? options.starts - 1 : options.b;
    addArgument(
        "initial_state",
        RankedTensorType::get({sequences, options.w - 1, options.d}, operand));
  }
  if (hasGivenKernel)
    addArgument("kernel", getTensor(TensorRole::Filter, operand));
  TensorRole role = getResultRole(direction);
  RankedTensorType result = getTensor(
      role, operand.isInteger() ? Type(builder.getI32Type()) : operand);
  builder.setInsertionPointToEnd(module.getBody());
  std::string name = options.name.empty() ? makeName(options) : options.name;
  auto function = func::FuncOp::create(builder, loc, chooseName(module, name),
                                       builder.getFunctionType(types, result));
  for (auto [index, argument] : llvm::enumerate(names))
    function.setArgAttr(index, mlir::conv::ConvDialect::kNameAttr,
                        builder.getStringAttr(argument));
  function.setResultAttr(
      0, mlir::conv::ConvDialect::kNameAttr,
      builder.getStringAttr(getDynamicTensorName(direction, role)));
  func::ReturnOp::create(builder, loc, createOp(function, result));
  return function;
}

auto ::conv::generateDynamic(ModuleOp module, const DynamicGenOptions &options)
    -> func::FuncOp {
  DynamicGenOptions all = options;
  all.g = options.g ? options.g : options.d;
  return DynamicGenerator(module, all).create();
}
