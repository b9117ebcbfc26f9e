//===- RaiseUtils.cpp - helpers of the raising passes -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every source dialect, a convolution with an addend becomes an op of this
// dialect in the accumulator's type and one `linalg.generic`, so that fusing
// the epilogue leaves a single rounding.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "ZeroPoints.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isRaisable(const RaisedConvolution &convolution) {
  for (RankedTensorType type : convolution.types)
    if (!type || !type.hasStaticShape() ||
        llvm::is_contained(type.getShape(), 0))
      return false;
  auto [lhs, rhs] = getOperandRoles(convolution.direction);
  Type operand = convolution.getType(lhs).getElementType();
  Type element = convolution.getResultType().getElementType();
  if (operand != convolution.getType(rhs).getElementType())
    return false;
  bool isFloat = operand.isF32() || operand.isF16() || operand.isBF16();
  bool typesFit = isFloat
                      ? element.isF32() || element.isF16() || element.isBF16()
                      : operand.isInteger(8) && element.isInteger(32);
  if (!typesFit)
    return false;

  // Linalg ignores input positions at the end if the result is smaller than it
  // could be.
  auto sizes = [&](TensorRole role, StringRef order, StringRef letters) {
    return getSpatialSizes(order, convolution.getType(role).getShape(),
                           letters);
  };
  LayoutsAttr layouts = convolution.layouts;
  WindowAttr window = convolution.window;
  auto inputSizes = sizes(TensorRole::Input, layouts.getInput(), "DHW");
  auto filterSizes = sizes(TensorRole::Filter, layouts.getFilter(), "TRS");
  auto outputSizes = sizes(TensorRole::Output, layouts.getOutput(), "ZPQ");
  for (auto [d, output] : llvm::enumerate(outputSizes))
    if (output !=
        computeOutputSize({inputSizes[d], filterSizes[d],
                           window.getStrides()[d], window.getDilations()[d],
                           window.getLow()[d], window.getHigh()[d]}))
      return false;
  return true;
}

/// The type of the sum: i32 for integers, f32 otherwise.
static Type getSumType(const RaisedConvolution &convolution) {
  return getAccumulatorType(convolution.getResultType().getElementType());
}

/// `value` as `type`; both are integers, or both are floating-point.
static Value createConversion(OpBuilder &builder, Location loc, Value value,
                              Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (isa<IntegerType>(type))
    return from < to
               ? arith::ExtSIOp::create(builder, loc, type, value).getResult()
               : arith::TruncIOp::create(builder, loc, type, value).getResult();
  return from < to
             ? arith::ExtFOp::create(builder, loc, type, value).getResult()
             : arith::TruncFOp::create(builder, loc, type, value).getResult();
}

/// `total + factor * element`, of one type.
static Value createSum(OpBuilder &builder, Location loc, Value total,
                       Value element, int64_t factor) {
  if (isa<FloatType>(total.getType()))
    return arith::AddFOp::create(builder, loc, total, element);
  if (factor != 1) {
    // Wraps around, as the sum does.
    Value number = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(factor)));
    element = arith::MulIOp::create(builder, loc, element, number);
  }
  return arith::AddIOp::create(builder, loc, total, element);
}

Value mlir::conv::createRaised(OpBuilder &builder, Location loc,
                               const RaisedConvolution &convolution, Value lhs,
                               Value rhs, Addend addend) {
  RankedTensorType type = convolution.getResultType();
  auto create = [&](RankedTensorType resultType) {
    return createConvolution(builder, loc, convolution.direction, resultType,
                             lhs, rhs, convolution.window, convolution.layouts,
                             convolution.groups)
        .getResultTensor();
  };
  SmallVector<Addend> addends =
      createZeroPointAddends(builder, loc, convolution, lhs, rhs);
  if (addend.tensor)
    addends.push_back(addend);
  if (addends.empty())
    return create(type);
  Type sumType = getSumType(convolution);
  SmallVector<Value> inputs = {create(type.clone(sumType))};
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps = {identity};
  for (const Addend &one : addends) {
    inputs.push_back(one.tensor);
    maps.push_back(one.map);
  }
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(type), inputs, empty, maps, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange elements) {
        Value total = elements[0];
        for (auto [one, element] :
             llvm::zip(addends, elements.drop_front().drop_back()))
          total = createSum(body, bodyLoc, total,
                            createConversion(body, bodyLoc, element, sumType),
                            one.factor);
        Value converted =
            createConversion(body, bodyLoc, total, type.getElementType());
        linalg::YieldOp::create(body, bodyLoc, converted);
      });
  return generic.getResult(0);
}

LayoutsAttr mlir::conv::replaceOrder(LayoutsAttr layouts, TensorRole role,
                                     StringRef order) {
  auto get = [&](TensorRole other, StringRef before) {
    return role == other ? order : before;
  };
  return LayoutsAttr::get(layouts.getContext(),
                          get(TensorRole::Input, layouts.getInput()),
                          get(TensorRole::Filter, layouts.getFilter()),
                          get(TensorRole::Output, layouts.getOutput()));
}

UnitDimensions::UnitDimensions(RankedTensorType given, StringRef givenOrder,
                               StringRef all)
    : order(givenOrder) {
  for (size_t dimension = 0; dimension < order.size(); ++dimension)
    reassociation.push_back({static_cast<int64_t>(dimension)});
  SmallVector<int64_t> shape(given.getShape());
  for (char letter : all) {
    if (givenOrder.contains(letter))
      continue;
    if (!reassociation.empty()) // A scalar has none to join.
      reassociation.back().push_back(order.size());
    order += letter;
    shape.push_back(1);
  }
  type = given.clone(shape);
}

Value UnitDimensions::expand(OpBuilder &builder, Value tensor) const {
  if (tensor.getType() == type)
    return tensor;
  return tensor::ExpandShapeOp::create(builder, tensor.getLoc(), type, tensor,
                                       reassociation);
}

Value UnitDimensions::collapse(OpBuilder &builder, Value tensor) const {
  if (reassociation.size() == order.size())
    return tensor;
  return tensor::CollapseShapeOp::create(builder, tensor.getLoc(), tensor,
                                         reassociation);
}

bool mlir::conv::isZeroConstant(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

bool mlir::conv::isZeroTensor(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return isZeroConstant(fill.value());
  return isZeroConstant(tensor);
}

bool mlir::conv::hasKernels(func::FuncOp function) {
  return llvm::any_of(function.getOps(), [](Operation &op) {
    return isa<ConvolutionOpInterface, DynamicOpInterface, StateOpInterface>(
        op);
  });
}

LogicalResult mlir::conv::applyWithoutFolding(Operation *root,
                                              RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  return applyPatternsGreedily(root, std::move(patterns), config);
}

void mlir::conv::eraseDeadOps(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
}
