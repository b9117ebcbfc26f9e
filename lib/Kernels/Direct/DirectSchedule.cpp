//===- DirectSchedule.cpp - ranks direct kernels ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says which convolutions have direct kernels, or why one has none.
//
//===----------------------------------------------------------------------===//

#include "DirectSchedule.h"

#include "DirectSearch.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// The most input and output channels of a small group.
static constexpr int64_t kMostChannels = 8;

/// Whether threads sum up the gradients of filters of small groups.
static bool sumsGroups(ConvolutionOpInterface op,
                       const ::conv::ChipInfo &chip) {
  return chip.isProcessor() && op.getDirection() == Direction::BackwardWeight;
}

static bool hasSmallGroups(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return shape.c <= kMostChannels * shape.groups &&
         shape.k <= kMostChannels * shape.groups;
}

/// Why matrix instructions do not multiply groups of several channels.
static std::string findGroupObstacle(ConvolutionOpInterface op,
                                     const ViewedProduct &product) {
  std::string obstacle;
  if (op.getDirection() != Direction::BackwardWeight) {
    FilterBlocks::compute(product, obstacle);
    return obstacle;
  }
  if (hasSmallGroups(op))
    return "";
  ConvolutionShape shape = ConvolutionShape::get(op);
  return llvm::formatv("groups have {0} input and {1} output channels, more "
                       "than {2}",
                       shape.c / shape.groups, shape.k / shape.groups,
                       kMostChannels);
}

std::variant<std::vector<PredictedSchedule>, std::string>
mlir::conv::rankDirectSchedules(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip) {
  Type left = op.getLhs().getType().getElementType();
  Type right = op.getRhs().getType().getElementType();
  if (!DirectTiling::takes(left) || !DirectTiling::takes(right))
    return llvm::formatv(
               "operands are {0} and {1}, and not f16, bf16, f32 or i8", left,
               right)
        .str();
  bool isGrouped = ConvolutionShape::get(op).groups > 1;
  bool hasMatrices = lookupAtom(chip, FilterBlocks::getAtom(op.getContext()),
                                op.getRhs().getType().getElementType());
  if (!isGrouped)
    return "there is one group";
  if (!hasMatrices && !isDepthwise(op)) {
    if (!sumsGroups(op, chip))
      return "groups have more than one input channel";
    if (!hasSmallGroups(op))
      return llvm::formatv("groups have more than {0} input or output channels",
                           kMostChannels)
          .str();
  }
  DirectPlan plan = DirectPlan::get(op, getDirectPlanOptions());
  if (plan.products.empty())
    return "windows see nothing but padding";
  if (!plan.hasSingleSubproblems)
    return "strided dimensions of the gradient are dilated";
  DirectSearch search(op, chip);
  for (int64_t splits : enumerateDirectSplits(op, chip))
    // A thread needs no slices, unless others are idle.
    if (!chip.isProcessor() || splits <= chip.computeUnits)
      search.run(getDirectPlanOptions(splits));
  std::vector<PredictedSchedule> ranked = search.takeRanked();
  if (!ranked.empty())
    return ranked;
  if (!search.getObstacle().empty())
    return search.getObstacle();
  if (!isDepthwise(op) && sumsGroups(op, chip))
    return "groups are adjacent in memory";
  std::string obstacle;
  if (!isDepthwise(op))
    obstacle = findGroupObstacle(op, plan.products.front());
  return obstacle.empty() ? "no tile divides the results into whole vectors"
                          : obstacle;
}
