//===- TransformLaunch.cpp - the launch of a transform --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the workgroups of a transform before its kernel is built, from the
// views that the kernel will have.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/TransformLaunch.h"

#include "ElementwiseBody.h"

#include "conv/Dialect/Conv/IR/BlockViews.h"
#include "conv/Dialect/Conv/IR/TransformViews.h"
#include "conv/Kernels/Candidate.h"
#include "conv/Plan/TransformSchedules.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The element-wise kernel of a transform: the views of one operand and one
/// result, and how many of them there are.
struct TransformKernel {
  ViewedTensor source, result;
  TransformScheduleAttr schedule;
  int64_t operands = 1, results = 1;
};
} // namespace

static ViewedTensor seeThrough(ViewAttr view, Value tensor) {
  return {view, cast<RankedTensorType>(tensor.getType()), getStrides(tensor)};
}

static TransformKernel describe(TransformOp op) {
  TransformViews views = TransformViews::get(op);
  return {seeThrough(views.source, op.getSource()),
          seeThrough(views.result, op.getResult()),
          selectTransformSchedule(views.result, op.getResultType())};
}

static TransformKernel describe(BlockTransformOp op) {
  SmallVector<ViewAttr> from = getPlaces(op.getFrom()),
                        to = getPlaces(op.getTo());
  auto operands = int64_t(from.size());
  // Places that read the same elements of an epilogue operand share them.
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i) {
    SmallVector<ViewAttr> places = getPlaces(op.getOperandView(i));
    operands +=
        int64_t(llvm::SmallSetVector<ViewAttr, 16>(places.begin(), places.end())
                    .size());
  }
  return {seeThrough(from.front(), op.getSource()),
          seeThrough(to.front(), op.getResult()),
          selectTransformSchedule(to.front(), op.getResultType()), operands,
          int64_t(to.size())};
}

double mlir::conv::computeSkippedShare(BlockTransformOp transform,
                                       const ::conv::ChipInfo &chip) {
  TransformKernel kernel = describe(transform);
  int64_t distance = getTurnedDistance(kernel.source, kernel.result, chip);
  if (distance < 2 || kernel.operands != 1 || kernel.results != 1)
    return 0;
  double read = double(distance) *
                double(llvm::product_of(kernel.source.view.getShape())) /
                double(kernel.source.type.getNumElements());
  return std::max(1 - read, 0.0);
}

std::string mlir::conv::findLaunchObstacle(Operation *transform,
                                           const ::conv::ChipInfo &chip) {
  auto block = dyn_cast<BlockTransformOp>(transform);
  TransformKernel kernel =
      block ? describe(block) : describe(cast<TransformOp>(transform));
  std::array<int64_t, 3> tile =
      getTile(kernel.schedule, /*isProduct=*/false, 0);
  auto [batch, rows, columns] = kernel.result.view.getShape();
  bool isHost = chip.isProcessor();
  bool isCopy = kernel.operands == 1 && kernel.results == 1;
  bool isTurned =
      isCopy && getTurnedDistance(kernel.source, kernel.result, chip) != 0;
  bool isShared = !isHost && !isTurned;
  int64_t shares =
      isShared
          ? countElementwiseShares(
                tile, countElementwiseElements(kernel.operands, kernel.results))
          : 1;
  // Several launch dimensions could overflow, so this counts in doubles.
  double workgroups = double(llvm::divideCeil(batch, tile[0])) *
                      double(llvm::divideCeil(rows, tile[1])) *
                      double(llvm::divideCeil(columns, tile[2])) *
                      double(shares);
  int64_t workItems = isHost ? 1 : kElementwiseWorkItems;
  int64_t most = ::conv::computeMaxWorkgroups(workItems);
  if (workgroups <= double(most))
    return "";
  return llvm::formatv("expects at most {0} workgroups of {1} work-items for "
                       "the transform to {2}, but got {3:f0}",
                       most, workItems, transform->getResult(0).getType(),
                       workgroups);
}
