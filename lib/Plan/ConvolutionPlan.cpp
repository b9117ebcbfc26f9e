//===- ConvolutionPlan.cpp - a convolution as matrix products ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

using namespace mlir;
using namespace mlir::conv;

double mlir::conv::countProducts(const PlanSubproblem &subproblem) {
  if (!subproblem.product)
    return 0;
  auto [batch, rows, reduction] = subproblem.product->lhs.getShape();
  return double(batch) * double(rows) * double(reduction);
}

void mlir::conv::insertByWork(PlanSubproblem subproblem,
                              SmallVector<PlanSubproblem, 0> &subproblems) {
  auto isLarger = [](const PlanSubproblem &a, const PlanSubproblem &b) {
    return countProducts(a) > countProducts(b);
  };
  subproblems.insert(llvm::upper_bound(subproblems, subproblem, isLarger),
                     std::move(subproblem));
}

SmallVector<std::pair<const PlanStep *, const PlanSubproblem *>>
ConvolutionPlan::getProducts() const {
  SmallVector<std::pair<const PlanStep *, const PlanSubproblem *>> products;
  for (const PlanStep &step : steps)
    for (const PlanSubproblem &subproblem : step.subproblems)
      if (subproblem.product)
        products.push_back({&step, &subproblem});
  return products;
}

const PlanSubproblem &ConvolutionPlan::getLargestProduct() const {
  const PlanSubproblem *largest = &steps.front().subproblems.front();
  for (auto [step, subproblem] : getProducts())
    if (countProducts(*subproblem) > countProducts(*largest))
      largest = subproblem;
  return *largest;
}

ConvolutionPlan mlir::conv::planConvolution(ConvolutionOpInterface op,
                                            const PlanOptions &options) {
  return Planner(op, options).plan();
}

PlanOptions mlir::conv::getPlanOptions(ScheduleAttr schedule) {
  KernelAttrInterface kernel = schedule.getKernel();
  return {.mergedGroups = schedule.getMergedGroups(),
          .splits = schedule.getSplits(),
          .haloTile = SmallVector<int64_t, 2>(kernel.getHaloTile()),
          .joinsPhases = kernel.joinsPhases(),
          .keepsDeadTaps = kernel.keepsDeadTaps(),
          .hasChannelRows = kernel.hasChannelRows(),
          .transposed = schedule.getTransposed()};
}

ViewedProduct mlir::conv::getViewedProduct(ConvolutionOpInterface op,
                                           const ConvolutionPlan &plan,
                                           const PlanStep &step,
                                           const PlanSubproblem &subproblem) {
  auto getViewed = [](ViewAttr view, Value tensor) {
    return ViewedTensor{view, cast<RankedTensorType>(tensor.getType()),
                        getStrides(tensor)};
  };
  const MatrixProduct &product = *subproblem.product;
  ViewedTensor result = getViewed(subproblem.target, op.getResultTensor());
  if (step.intermediate) {
    ArrayRef<int64_t> shape = plan.intermediates[*step.intermediate];
    result.type = RankedTensorType::get(shape, getAccumulatorType(op));
    result.strides = computeContiguousStrides(shape);
  }
  return {getViewed(product.lhs, op.getTensor(product.lhsRole)),
          getViewed(product.rhs, op.getTensor(product.rhsRole)), result};
}

bool mlir::conv::canHaveChannelRows(ConvolutionOpInterface op,
                                    const PlanOptions &options) {
  return Planner(op, options).canHaveChannelRows();
}

bool mlir::conv::dependsOnChannelRows(ConvolutionOpInterface op,
                                      const PlanOptions &options) {
  Planner planner(op, options);
  return planner.canHaveChannelRows() || planner.canTurnSlices();
}

bool mlir::conv::canSplit(ConvolutionOpInterface op,
                          const PlanOptions &options) {
  return Planner(op, options).canSplit();
}

std::string mlir::conv::findSplitObstacle(ConvolutionOpInterface op,
                                          const PlanOptions &options) {
  return Planner(op, options).findSplitObstacle();
}

int64_t mlir::conv::getSplittableSize(ConvolutionOpInterface op,
                                      const PlanOptions &options) {
  return Planner(op, options).getSplittableSize();
}

int64_t mlir::conv::getSliceSize(ConvolutionOpInterface op,
                                 const PlanOptions &options) {
  return Planner(op, options).getSliceSize();
}

std::optional<ViewedProduct>
mlir::conv::getOnlyProduct(ConvolutionOpInterface op,
                           const ConvolutionPlan &plan) {
  auto products = plan.getProducts();
  if (products.size() != 1 || products.front().first->subproblems.size() != 1)
    return std::nullopt;
  auto [step, subproblem] = products.front();
  return getViewedProduct(op, plan, *step, *subproblem);
}
