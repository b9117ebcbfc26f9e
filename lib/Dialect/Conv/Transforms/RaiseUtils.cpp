//===- RaiseUtils.cpp - what the raising passes share -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the source dialect is, a convolution with an addend becomes
// `conv.forward` in the accumulator's type and one `linalg.generic`, so that
// fusing the tail leaves a single rounding.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isRaisable(const RaisedConvolution &convolution) {
  auto input = dyn_cast<RankedTensorType>(convolution.input.getType());
  auto filter = dyn_cast<RankedTensorType>(convolution.filter.getType());
  RankedTensorType result = convolution.resultType;
  if (!input || !filter || !input.hasStaticShape() ||
      !filter.hasStaticShape() || !result.hasStaticShape() ||
      input.getElementType() != filter.getElementType())
    return false;
  Type operand = input.getElementType(), element = result.getElementType();
  bool isFloat = operand.isF32() || operand.isF16() || operand.isBF16();
  bool typesFit = isFloat
                      ? element.isF32() || element.isF16() || element.isBF16()
                      : operand.isInteger(8) && element.isInteger(32);
  if (!typesFit)
    return false;

  // Linalg leaves out pixels at the end if the result is smaller than it could
  // be. Sizes of zero are left to the verifier of conv.forward.
  LayoutsAttr layouts = convolution.layouts;
  WindowAttr window = convolution.window;
  auto inputSizes =
      getSpatialSizes(layouts.getInput(), input.getShape(), "DHW");
  auto filterSizes =
      getSpatialSizes(layouts.getFilter(), filter.getShape(), "TRS");
  auto outputSizes =
      getSpatialSizes(layouts.getOutput(), result.getShape(), "ZPQ");
  for (auto [d, output] : llvm::enumerate(outputSizes))
    if (output != 0 &&
        output !=
            computeOutputSize({inputSizes[d], filterSizes[d],
                               window.getStrides()[d], window.getDilations()[d],
                               window.getLow()[d], window.getHigh()[d]}))
      return false;
  return true;
}

Type mlir::conv::getAccumulatorType(const RaisedConvolution &convolution) {
  Builder builder(convolution.input.getContext());
  return isa<IntegerType>(convolution.resultType.getElementType())
             ? Type(builder.getI32Type())
             : Type(builder.getF32Type());
}

Value mlir::conv::createForward(OpBuilder &builder, Location loc,
                                const RaisedConvolution &convolution,
                                bool accumulator) {
  RankedTensorType type = convolution.resultType;
  if (accumulator)
    type = type.clone(getAccumulatorType(convolution));
  return ForwardOp::create(builder, loc, type, convolution.input,
                           convolution.filter, /*tailOperands=*/ValueRange(),
                           convolution.window, convolution.layouts,
                           convolution.groups, PaddingMode::Zeros,
                           Arithmetic::Exact, /*schedule=*/nullptr);
}

/// `value` as `type`, where both are integers or both floating.
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

Value mlir::conv::createForwardPlus(OpBuilder &builder, Location loc,
                                    const RaisedConvolution &convolution,
                                    Value addend, AffineMap addendMap) {
  RankedTensorType type = convolution.resultType;
  Type sumType = getAccumulatorType(convolution);
  Value sum = createForward(builder, loc, convolution, /*accumulator=*/true);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(type), ValueRange{sum, addend}, empty,
      {identity, addendMap, identity}, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange elements) {
        Value other = createConversion(body, bodyLoc, elements[1], sumType);
        Value total =
            isa<IntegerType>(sumType)
                ? arith::AddIOp::create(body, bodyLoc, elements[0], other)
                      .getResult()
                : arith::AddFOp::create(body, bodyLoc, elements[0], other)
                      .getResult();
        Value converted =
            createConversion(body, bodyLoc, total, type.getElementType());
        linalg::YieldOp::create(body, bodyLoc, converted);
      });
  return generic.getResult(0);
}

void mlir::conv::eraseDeadOps(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
}
