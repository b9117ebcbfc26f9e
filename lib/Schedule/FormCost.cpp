//===- FormCost.cpp - what transforms of operands cost --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a schedule, including the transforms of its form, and the bytes
// of workspace that it needs.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/FormSpace.h"

#include "conv/Chip/HostCalibration.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Kernels/TransformLaunch.h"
#include "conv/Plan/PrepackFilter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether lanes access contiguous elements: the innermost columns or rows are
/// contiguous.
static bool accessesNeighbours(ViewAttr view, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> distances =
      getDistances({view, type, getStrides(tensor)});
  size_t lastRow = view.getBatch().size() + view.getRows().size() - 1;
  return std::abs(distances[lastRow]) == 1 || std::abs(distances.back()) == 1;
}

/// Whether work-items write a vector at a time: the innermost digit of columns
/// fills one.
static bool writesVectors(ViewAttr view, RankedTensorType type) {
  return view.getColumns().back() * getElementBytes(type) %
             ::conv::kVectorBytes ==
         0;
}

/// Whether a transform of the host adds up several terms for an element, each
/// of which it loads from a place of its own.
static bool addsTerms(BlockTransformOp block, const ::conv::ChipInfo &chip) {
  return chip.calibration->host &&
         llvm::product_of(block.getFrom().getBatch()) >
             llvm::product_of(block.getTo().getBatch());
}

/// Whether vectors along rows are stored element by element.
static bool storesApart(ViewAttr view, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> distances =
      getDistances({view, type, getStrides(tensor)});
  size_t lastRow = view.getBatch().size() + view.getRows().size() - 1;
  return std::abs(distances[lastRow]) > ::conv::kHostMostApart;
}

/// What the launch of a transform takes. On chips with warpgroups, it overlaps
/// with the end of the kernel before.
static double getTransformLaunchSeconds(const ::conv::ChipInfo &chip) {
  return hasWarpgroups(chip)
             ? chip.calibration->transform.overlappedLaunchSeconds
             : chip.calibration->launch.launchSeconds;
}

/// Bytes that a transform of `bytes` moves in a second. Threads of the host are
/// limited by what each of them can move, which is less beyond its second
/// cache, and by memory beyond the caches.
static double getTransformRate(const ::conv::ChipInfo &chip, double bytes) {
  double rate = chip.calibration->transform.efficiency * chip.memoryGBs * 1e9;
  const ::conv::HostCalibration *host = chip.calibration->host;
  if (!host)
    return rate;
  if (bytes > double(chip.cacheBytes))
    rate = chip.memoryGBs * 1e9;
  bool isFar = bytes > double(chip.processor->secondCacheBytes) *
                           double(chip.computeUnits);
  double ofThread = isFar ? host->farTransformBytes : host->transformBytes;
  return std::min(rate, ofThread * chip.computeUnits * chip.clockGHz * 1e9);
}

double mlir::conv::predictTransform(Operation *transform,
                                    const ::conv::ChipInfo &chip) {
  // The kernel that computes the operand takes this time anyway, and callers
  // pack a filter once.
  if (isDoneByProducer(transform) || isPrepacked(transform))
    return 0;
  // Elements that several blocks read are counted once: a cache serves the
  // later reads.
  double bytes = 0;
  auto block = dyn_cast<BlockTransformOp>(transform);
  bool hasTerms = block && addsTerms(block, chip);
  double skipped = block ? computeSkippedShare(block, chip) : 0;
  auto addBytes = [&](Value tensor, ViewAttr view) {
    auto type = cast<RankedTensorType>(tensor.getType());
    // Unfolded windows of few channels are written element by element, which
    // is limited by instructions.
    bool isResult = tensor == transform->getResult(0);
    bool isUnfolded = isResult && view && !view.getLimits().empty() &&
                      !writesVectors(view, type);
    bool isSkipped = !isResult && skipped > 0;
    bool isScattered = view && !isSkipped &&
                       (isUnfolded || !accessesNeighbours(view, tensor) ||
                        (hasTerms && (!isResult || storesApart(view, tensor))));
    bytes += double(computeBytes(type)) *
             (isSkipped     ? 1 - skipped
              : isScattered ? chip.calibration->transform.scatteredFactor
                            : 1);
  };
  for (Value operand : transform->getOperands())
    addBytes(operand, block && operand == block.getSource() ? block.getFrom()
                                                            : ViewAttr());
  addBytes(transform->getResult(0), block ? block.getTo() : ViewAttr());
  return bytes / getTransformRate(chip, bytes) +
         getTransformLaunchSeconds(chip);
}

double mlir::conv::predictSeconds(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  double seconds = 0;
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        seconds = getKernelFamily(schedule)
                      .predict(own, schedule.getProductSchedule(), chip)
                      .seconds;
        for (Operation *transform : transforms)
          seconds += predictTransform(transform, chip);
      });
  return seconds;
}

/// Whether a kernel reads the tensor or a reshape of it.
static bool isRead(Value tensor) {
  return llvm::any_of(tensor.getUsers(), [](Operation *user) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user)
               ? isRead(user->getResult(0))
               : true;
  });
}

int64_t mlir::conv::computeWorkspaceBytes(ConvolutionOpInterface op,
                                          ScheduleAttr schedule) {
  int64_t bytes = 0;
  auto add = [&](RankedTensorType type) { bytes += computeBytes(type); };
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        for (Operation *transform : transforms)
          if (isRead(transform->getResult(0)) && !isPrepacked(transform))
            add(cast<RankedTensorType>(transform->getResult(0).getType()));
        if (own != op && isRead(own.getResultTensor()))
          add(own.getResultType());
        for (ArrayRef<int64_t> shape :
             planConvolution(own, getPlanOptions(schedule.getProductSchedule()))
                 .intermediates)
          add(RankedTensorType::get(shape, getAccumulatorType(own)));
      });
  return bytes;
}
