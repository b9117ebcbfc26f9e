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

using namespace mlir;
using namespace mlir::conv;

/// Whether threads sum up gradients of the filters of small groups.
static bool sumsSmallGroups(ConvolutionOpInterface op,
                            const ::conv::ChipInfo &chip) {
  constexpr int64_t kMostChannels = 8;
  ConvolutionShape shape = ConvolutionShape::get(op);
  return chip.backend == ::conv::Backend::Host &&
         op.getDirection() == Direction::BackwardWeight &&
         shape.c <= kMostChannels * shape.groups &&
         shape.k <= kMostChannels * shape.groups;
}

std::variant<std::vector<PredictedSchedule>, std::string>
mlir::conv::rankDirectSchedules(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip) {
  if (!DirectTiling::takes(op.getLhs().getType().getElementType()) ||
      !DirectTiling::takes(op.getRhs().getType().getElementType()))
    return "operands are not f16, bf16, f32 or i8";
  bool isGrouped = ConvolutionShape::get(op).groups > 1;
  bool hasMatrices = lookupAtom(chip, FilterBlocks::getAtom(op.getContext()),
                                op.getRhs().getType().getElementType());
  if (!isGrouped)
    return "there is one group";
  if (!hasMatrices && !isDepthwise(op) && !sumsSmallGroups(op, chip))
    return "groups have more than one input channel";
  DirectPlan plan = DirectPlan::get(op, {.joinsPhases = true});
  if (plan.products.empty())
    return "windows see nothing but padding";
  if (!plan.hasSingleParts)
    return "strided dimensions of the gradient are dilated";
  DirectSearch search(op, chip);
  for (int64_t splits : enumerateDirectSplits(op, chip))
    // A thread needs no slices, unless others are idle.
    if (chip.backend != ::conv::Backend::Host || splits <= chip.computeUnits)
      search.run({.splits = splits, .joinsPhases = true});
  std::vector<PredictedSchedule> ranked = search.takeRanked();
  if (!ranked.empty())
    return ranked;
  if (!isDepthwise(op))
    return "groups have many or not as many input as output channels, or no "
           "tile fits shared memory and the registers";
  return "no tile fits shared memory and the registers";
}
