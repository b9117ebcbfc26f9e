//===- FormSpace.cpp - in which forms operands are read -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few forms are worth looking at: channels innermost, with the result in the
// layout of the caller or not, and channels that fill 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/FormSpace.h"

#include "GpuCosts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Schedule/DirectModel.h"
#include "conv/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::conv;

/// The layouts with another order of one tensor.
static LayoutsAttr replaceOrder(LayoutsAttr layouts, TensorRole role,
                                StringRef order) {
  auto select = [&](TensorRole other, StringRef own) {
    return role == other ? order : own;
  };
  return LayoutsAttr::get(layouts.getContext(),
                          select(TensorRole::Input, layouts.getInput()),
                          select(TensorRole::Filter, layouts.getFilter()),
                          select(TensorRole::Output, layouts.getOutput()));
}

/// A filter whose output channels are innermost, which the gradient of the
/// input sums up: loads along the reduction are then wide.
static LayoutsAttr getFilterByOutput(LayoutsAttr layouts) {
  std::string order(layouts.getFilter());
  std::swap(order[order.find('K')], order[order.find('C')]);
  return replaceOrder(layouts, TensorRole::Filter, order);
}

/// Whether positions are innermost in input and output.
static bool hasChannelsFirst(ConvolutionOpInterface op) {
  return op.getGroups() == 1 && op.getLayouts().getInput().starts_with("NC") &&
         op.getLayouts().getOutput().starts_with("NK");
}

static bool hasWarpgroups(const ::conv::ChipInfo &chip) {
  return llvm::any_of(chip.atoms, [](const ::conv::MatrixAtom &atom) {
    return ::conv::isWarpgroupAtom(atom.kind);
  });
}

/// Orders of the filter of a window of one element. What is summed up is
/// innermost, or the copy engine transposes tiles.
static SmallVector<StringRef> getFlatFilters(ConvolutionOpInterface op,
                                             const ::conv::ChipInfo &chip) {
  switch (op.getDirection()) {
  case Direction::Forward:
    return {"KSC"};
  case Direction::BackwardData:
    return hasWarpgroups(chip) ? SmallVector<StringRef>{"KSC", "CSK"}
                               : SmallVector<StringRef>{"CSK"};
  case Direction::BackwardWeight:
    return hasWarpgroups(chip) ? SmallVector<StringRef>{"KSC"}
                               : SmallVector<StringRef>{};
  }
  llvm_unreachable("every direction has filters");
}

SmallVector<OperandForm>
mlir::conv::enumerateForms(ConvolutionOpInterface op,
                           const ::conv::ChipInfo &chip) {
  // The host packs whatever it reads.
  if (chip.backend == ::conv::Backend::Host)
    return {};
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  SmallVector<LayoutsAttr> layouts = {
      last, replaceOrder(last, op.getResultRole(), op.getResultOrder())};
  if (op.getDirection() == Direction::BackwardData && !hasWarpgroups(chip)) {
    layouts.push_back(getFilterByOutput(last));
    layouts.push_back(
        replaceOrder(layouts.back(), TensorRole::Input, op.getResultOrder()));
  }
  int64_t granule =
      ::conv::kPieceBytes / ::conv::byteSize(getOperandNumericType(op));
  SmallVector<OperandForm> forms;
  auto add = [&](const OperandForm &form) {
    bool isKnown = llvm::any_of(forms, [&](const OperandForm &known) {
      return known.layouts == form.layouts &&
             known.channelMultiple == form.channelMultiple;
    });
    if (!isKnown && form.findObstacle(op).empty() && !form.isFormOf(op))
      forms.push_back(form);
  };
  for (int64_t multiple : {int64_t(1), granule})
    for (LayoutsAttr one : layouts)
      add({one, multiple});
  if (hasChannelsFirst(op))
    for (StringRef filter : getFlatFilters(op, chip))
      add(OperandForm::getFlat(op, filter));
  return forms;
}

double mlir::conv::predictTransform(TransformOp transform,
                                    const ::conv::ChipInfo &chip) {
  auto getBytes = [](RankedTensorType type) {
    return double(type.getNumElements()) *
           double(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  };
  double bytes =
      getBytes(transform.getSourceType()) + getBytes(transform.getResultType());
  return bytes / (chip.transformEfficiency * chip.memoryGBs * 1e9) +
         ::conv::kLaunchSeconds;
}

/// Without transforms.
static double predictProduct(ConvolutionOpInterface op, ScheduleAttr schedule,
                             const ::conv::ChipInfo &chip) {
  if (schedule.isDirect())
    return predictDirectSchedule(op, schedule, chip).seconds();
  return ::conv::computeCost(
             computeProblem(op, getPlanOptions(schedule)), chip,
             getCandidate(schedule, chip, getOperandElementType(op)))
      .seconds;
}

double mlir::conv::predictSeconds(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  double seconds = 0;
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<TransformOp> transforms) {
        seconds = predictProduct(own, schedule, chip);
        for (TransformOp transform : transforms)
          seconds += predictTransform(transform, chip);
      });
  return seconds;
}
