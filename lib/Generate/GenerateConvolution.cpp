//===- GenerateConvolution.cpp - a problem as MLIR --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convolution's result is f32 if an epilogue follows; each step of the
// epilogue is a linalg.generic in f32, and the last step rounds.
//
//===----------------------------------------------------------------------===//

#include "GenerateConvolution.h"

#include "Activations.h"
#include "GenerateDynamic.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ::conv;
using mlir::conv::TensorRole;

bool ::conv::hasEpilogue(const GenOptions &options) {
  return options.bias || options.residual || options.scale ||
         !options.activation.empty();
}

/// Convolutions have signed integers and floating types of up to 32 bits.
static Type convertType(Builder &builder, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F8E4M3FN:
    return builder.getType<Float8E4M3FNType>();
  case ElementType::F8E5M2:
    return builder.getType<Float8E5M2Type>();
  case ElementType::F8E4M3FNUZ:
    return builder.getType<Float8E4M3FNUZType>();
  case ElementType::F8E5M2FNUZ:
    return builder.getType<Float8E5M2FNUZType>();
  case ElementType::I32:
    return builder.getI32Type();
  case ElementType::I8:
    return builder.getI8Type();
  default:
    llvm_unreachable("convolutions do not have this type");
  }
}

namespace {
/// Builds the function of a module. Everything has been checked, except what
/// the op's own verifier checks.
class Generator {
public:
  Generator(ModuleOp module, const GenOptions &options,
            const Geometry &geometry)
      : module(module), options(options), geometry(geometry),
        builder(module.getContext()), loc(builder.getUnknownLoc()),
        operandType(convertType(builder, options.type)),
        rhsType(convertType(builder, options.rhsType.value_or(options.type))) {
    outputType = options.outputType ? convertType(builder, *options.outputType)
                 : operandType.isInteger(8) && !hasEpilogue(options)
                     ? Type(builder.getI32Type())
                     : operandType;
  }

  func::FuncOp create();

private:
  RankedTensorType createType(TensorRole role, Type element);
  AffineMap createChannelMap();
  Value createConvolution(Value lhs, Value rhs, Type element);
  Value createStep(ValueRange tensors, Type element,
                   function_ref<Value(OpBuilder &, ValueRange)> body);
  Value createEpilogueOps(Value sum, ArrayRef<Value> extra);
  bool needsEpilogue() const;

  ModuleOp module;
  const GenOptions &options;
  const Geometry &geometry;
  OpBuilder builder;
  Location loc;
  Type operandType, rhsType, outputType;
};
} // namespace

RankedTensorType Generator::createType(TensorRole role, Type element) {
  return RankedTensorType::get(geometry.getShape(role), element);
}

Value Generator::createConvolution(Value lhs, Value rhs, Type element) {
  auto takeBack = [&](const PerDimension &values) {
    return llvm::to_vector(ArrayRef(values).take_back(options.spatialRank));
  };
  auto window = mlir::conv::WindowAttr::get(
      builder.getContext(), takeBack(options.stride),
      takeBack(options.dilation), geometry.low, geometry.high);
  auto layouts = mlir::conv::LayoutsAttr::get(
      builder.getContext(), geometry.getOrder(TensorRole::Input),
      geometry.getOrder(TensorRole::Filter),
      geometry.getOrder(TensorRole::Output));
  auto convolution = mlir::conv::createConvolution(
      builder, loc, geometry.direction,
      createType(mlir::conv::getResultRole(geometry.direction), element), lhs,
      rhs, window, layouts, geometry.groups,
      *mlir::conv::symbolizePaddingMode(options.padding),
      options.tf32       ? mlir::conv::Arithmetic::TF32
      : options.exact    ? mlir::conv::Arithmetic::Exact
      : options.promoted ? mlir::conv::Arithmetic::Promoted
                         : mlir::conv::Arithmetic::F32);
  return convolution.getResultTensor();
}

/// Maps positions of the result to positions in a vector over its channels.
AffineMap Generator::createChannelMap() {
  TensorRole role = mlir::conv::getResultRole(geometry.direction);
  StringRef order = geometry.getOrder(role);
  size_t channel = order.find(role == TensorRole::Input ? 'C' : 'K');
  AffineExpr position = builder.getAffineDimExpr(channel);
  if (size_t group = order.find('G'); group != StringRef::npos)
    position =
        builder.getAffineDimExpr(group) * geometry.getShape(role)[channel] +
        position;
  return AffineMap::get(order.size(), 0, position);
}

/// A linalg.generic over the result; vectors are indexed by channel.
Value Generator::createStep(ValueRange tensors, Type element,
                            function_ref<Value(OpBuilder &, ValueRange)> body) {
  RankedTensorType type =
      createType(mlir::conv::getResultRole(geometry.direction), element);
  int64_t rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps;
  for (Value tensor : tensors)
    maps.push_back(cast<RankedTensorType>(tensor.getType()).getRank() == 1
                       ? createChannelMap()
                       : identity);
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(type), tensors, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, body(inner, elements));
      });
  return generic.getResult(0);
}

/// The epilogue; `extra` are bias and residual, as given.
Value Generator::createEpilogueOps(Value sum, ArrayRef<Value> extra) {
  Type f32 = builder.getF32Type();
  auto extend = [&](OpBuilder &inner, Value value) -> Value {
    if (value.getType() == f32)
      return value;
    if (value.getType().isInteger())
      return arith::SIToFPOp::create(inner, loc, f32, value);
    return arith::ExtFOp::create(inner, loc, f32, value);
  };
  if (getElementTypeOrSelf(sum) != f32)
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      return extend(inner, elements[0]);
    });
  if (options.scale)
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      Value scale = createF32(inner, loc, *options.scale);
      return arith::MulFOp::create(inner, loc, elements[0], scale);
    });
  for (Value tensor : extra)
    sum = createStep({sum, tensor}, f32,
                     [&](OpBuilder &inner, ValueRange elements) {
                       return arith::AddFOp::create(inner, loc, elements[0],
                                                    extend(inner, elements[1]));
                     });
  if (!options.activation.empty())
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      return createActivation(inner, loc, options.activation,
                              options.activationAlpha, elements[0]);
    });
  if (outputType != f32)
    sum =
        createStep(sum, outputType, [&](OpBuilder &inner, ValueRange elements) {
          return createNarrowing(inner, loc, outputType, elements[0]);
        });
  return sum;
}

/// Whether an epilogue must produce the output. The convolution itself rounds
/// to floating types, but neither saturates nor converts integers.
bool Generator::needsEpilogue() const {
  return hasEpilogue(options) || outputType.getIntOrFloatBitWidth() == 8 ||
         (operandType.isInteger() && !outputType.isInteger());
}

func::FuncOp Generator::create() {
  TensorRole role = mlir::conv::getResultRole(geometry.direction);
  SmallVector<std::pair<StringRef, Type>> arguments;
  auto [lhs, rhs] = mlir::conv::getOperandRoles(geometry.direction);
  arguments.push_back({geometry.getName(lhs), createType(lhs, operandType)});
  arguments.push_back({geometry.getName(rhs), createType(rhs, rhsType)});
  RankedTensorType result = createType(role, outputType);
  if (options.bias) {
    int64_t channels = geometry.sizes.at(role == TensorRole::Input ? 'C' : 'K');
    bool is8Bit = operandType.getIntOrFloatBitWidth() == 8;
    Type element = options.biasType ? convertType(builder, *options.biasType)
                   : is8Bit         ? Type(builder.getF32Type())
                                    : operandType;
    arguments.push_back({"bias", RankedTensorType::get({channels}, element)});
  }
  if (options.residual)
    arguments.push_back({"residual", result});

  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      builder, loc,
      chooseName(module, options.name.empty() ? makeName(options, operandType)
                                              : options.name),
      builder.getFunctionType(
          llvm::to_vector(llvm::make_second_range(arguments)), result));
  Block *body = function.addEntryBlock();
  for (auto [index, argument] : llvm::enumerate(arguments))
    function.setArgAttr(index, mlir::conv::ConvDialect::kNameAttr,
                        builder.getStringAttr(argument.first));
  function.setResultAttr(0, mlir::conv::ConvDialect::kNameAttr,
                         builder.getStringAttr(geometry.getName(role)));

  builder.setInsertionPointToEnd(body);
  SmallVector<Value> extra(body->getArguments().drop_front(2));
  Value output = createConvolution(
      body->getArgument(0), body->getArgument(1),
      needsEpilogue() ? mlir::conv::getAccumulatorType(operandType)
                      : outputType);
  if (needsEpilogue())
    output = createEpilogueOps(output, extra);
  func::ReturnOp::create(builder, loc, output);
  return function;
}

func::FuncOp(::conv::generateConvolution)(ModuleOp module,
                                          const GenOptions &options,
                                          const Geometry &geometry) {
  return Generator(module, options, geometry).create();
}
