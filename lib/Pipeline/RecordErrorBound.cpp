//===- RecordErrorBound.cpp - error bounds of ops for the manifest --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordReference.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

/// What the narrower bound of Winograd's algorithm needs.
static std::optional<artifact::Roundings>
recordRoundings(ConvolutionOpInterface op, const ::conv::ErrorBound &bound) {
  if (bound.roundings == 0)
    return std::nullopt;
  SumOrder order = getWinogradOrder(op, op.getScheduleAttr());
  return artifact::Roundings{bound.roundings, bound.besideRoundings,
                             order.unordered, order.slice};
}

artifact::ErrorBound mlir::conv::recordErrorBound(ConvolutionOpInterface op) {
  // Integer sums are exact, and checks follow every operation after them.
  if (isa<IntegerType>(getAccumulatorType(op)))
    return {.followOperations = true};
  auto bound = computeErrorBound(op);
  if (auto *known = std::get_if<::conv::ErrorBound>(&bound))
    return {.accumulation = known->accumulation,
            .outputUlp = known->outputUlp,
            .transforms = known->transforms,
            .operands = known->operands,
            .constant = known->constant,
            .roundings = recordRoundings(op, *known)};
  ::conv::ErrorBound sum = computeSumBound(op);
  return {.accumulation = sum.accumulation,
          .transforms = sum.transforms,
          .followOperations = true,
          .roundings = recordRoundings(op, sum)};
}

artifact::ErrorBound mlir::conv::recordErrorBound(DynamicOpInterface op) {
  if (isa<IntegerType>(getAccumulatorType(op.getOperandType())))
    return {.followOperations = true};
  DynamicShape shape = op.getShape();
  bool reducesGroups = op.getDirection() == Direction::BackwardWeight;
  return {.accumulation = double(reducesGroups ? shape.perGroup() : shape.w),
          .followOperations = true};
}

artifact::ErrorBound mlir::conv::recordErrorBound(StateOpInterface op) {
  Type operand = getElementTypeOrSelf(op->getOperand(0));
  if (isa<IntegerType>(getAccumulatorType(operand)))
    return {.followOperations = true};
  return {.accumulation = double(op.countProducts()), .followOperations = true};
}
