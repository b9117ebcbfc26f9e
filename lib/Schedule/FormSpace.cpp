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

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Kernels/Direct/DirectModel.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

LayoutsAttr mlir::conv::withOrder(LayoutsAttr layouts, TensorRole role,
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
  return withOrder(layouts, TensorRole::Filter, order);
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
      last, withOrder(last, op.getResultRole(), op.getResultOrder())};
  if (op.getDirection() == Direction::BackwardData && !hasWarpgroups(chip)) {
    layouts.push_back(getFilterByOutput(last));
    layouts.push_back(
        withOrder(layouts.back(), TensorRole::Input, op.getResultOrder()));
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

/// Whether lanes access neighbours: innermost columns or rows follow each
/// other.
static bool accessesNeighbours(ViewAttr view, Value tensor) {
  SmallVector<int64_t> strides = getStrides(tensor);
  size_t lastRow = view.getBatch().size() + view.getRows().size() - 1;
  int64_t row = 0, column = 0;
  for (auto [coordinate, stride] : llvm::zip(view.getCoordinates(), strides)) {
    row += coordinate.coefficients[lastRow] * stride;
    column += coordinate.coefficients.back() * stride;
  }
  return std::abs(row) == 1 || std::abs(column) == 1;
}

double mlir::conv::predictTransform(Operation *transform,
                                    const ::conv::ChipInfo &chip) {
  // Elements that several blocks read come from a cache from the second time
  // on.
  double bytes = 0;
  auto block = dyn_cast<BlockTransformOp>(transform);
  auto addBytes = [&](Value tensor, ViewAttr view) {
    auto type = cast<RankedTensorType>(tensor.getType());
    bool isScattered = view && !accessesNeighbours(view, tensor);
    bytes += double(type.getNumElements()) *
             double(llvm::divideCeil(type.getElementTypeBitWidth(), 8)) *
             (isScattered ? chip.calibration->transform.scatteredFactor : 1);
  };
  for (Value operand : transform->getOperands())
    addBytes(operand, block && operand == block.getSource() ? block.getFrom()
                                                            : ViewAttr());
  addBytes(transform->getResult(0), block ? block.getTo() : ViewAttr());
  return bytes /
             (chip.calibration->transform.efficiency * chip.memoryGBs * 1e9) +
         chip.calibration->launch.launchSeconds;
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
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        seconds = predictProduct(own, schedule.getProductSchedule(), chip);
        for (Operation *transform : transforms)
          seconds += predictTransform(transform, chip);
      });
  return seconds;
}

/// Whether a kernel reads the tensor, or what it is reshaped to.
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
  auto add = [&](RankedTensorType type) {
    bytes += type.getNumElements() *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  };
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        for (Operation *transform : transforms)
          if (isRead(transform->getResult(0)))
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
