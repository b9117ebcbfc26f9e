//===- OperandForm.cpp - layouts a convolution is computed in -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which forms a convolution has, and creates the ops that replace it in
// one of them. `FormBuilder` creates the tensors.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/OperandForm.h"

#include "FormBuilder.h"
#include "MergedGroups.h"
#include "WindowFacts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Plan/Im2col.h"
#include "conv/Plan/MergedDimensions.h"
#include "conv/Plan/PrepackFilter.h"
#include "conv/Plan/WinogradForm.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/FormatVariadic.h"

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

OperandForm OperandForm::getChannelsLast(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  bool hasGroups = op.getLayouts().getInput().contains('G');
  auto createOrder = [&](StringRef outer, StringRef spatial, StringRef inner) {
    return (outer + spatial.take_back(shape.getRank()) + inner).str();
  };
  StringRef group = hasGroups ? "G" : "";
  return {LayoutsAttr::get(op.getContext(),
                           createOrder("N", "DHW", (group + "C").str()),
                           createOrder((group + "K").str(), "TRS", "C"),
                           createOrder("N", "ZPQ", (group + "K").str()))};
}

/// Why spatial dimensions cannot be collapsed, or an empty string.
static std::string findFlatObstacle(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (!isPointwise(shape))
    return "expects a window of one element that moves by 1, without padding, "
           "for layouts of one dimension, but got " +
           describeWindow(shape);
  if (haveGaps(op))
    return "expects tensors without gaps for layouts of one dimension, but got "
           "conv.strides";
  for (TensorRole role : kTensorRoles)
    if (!groupSpatial(op.getOrder(role)))
      return llvm::formatv("expects spatial dimensions next to each other for "
                           "layouts of one dimension, but got \"{0}\"",
                           op.getOrder(role));
  return "";
}

OperandForm OperandForm::getFlat(ConvolutionOpInterface op, StringRef filter) {
  return {LayoutsAttr::get(op.getContext(), "NCW", filter, "NKQ")};
}

Type OperandForm::getOperandType(ConvolutionOpInterface op) const {
  return operandType ? operandType : getOperandElementType(op);
}

int64_t OperandForm::countMergedGroups(ConvolutionOpInterface op) const {
  if (channelMultiple == 1 || op.getGroups() == 1)
    return 1;
  return channelMultiple * op.getGroups() / ConvolutionShape::get(op).c;
}

/// Why dimensions cannot be merged, or an empty string.
static std::string findMergedObstacle(ConvolutionOpInterface op,
                                      const OperandForm &form) {
  if (MergedDimensions::find(op) && form.outputTile.empty())
    return "";
  return llvm::formatv(
      "expects windows of one element that move by 1, without padding, along "
      "depth, or lines and columns, tensors without gaps, and not winograd, "
      "for layouts of two dimensions, but got {0}{1}{2}",
      describeWindow(ConvolutionShape::get(op)),
      haveGaps(op) ? ", and conv.strides" : "",
      form.outputTile.empty() ? "" : ", for winograd");
}

std::string OperandForm::findObstacle(ConvolutionOpInterface op) const {
  if (mergesDimensions(*this, op)) {
    if (std::string obstacle = findMergedObstacle(op, *this); !obstacle.empty())
      return obstacle;
    OperandForm expanded = *this;
    expanded.layouts = MergedDimensions::find(op)->expand(layouts);
    return expanded.findObstacle(op);
  }
  if (operandType && !isFloat8(getOperandElementType(op)))
    return llvm::formatv("expects operands of 8-bit floats for operand_type, "
                         "but got {0}",
                         getOperandElementType(op));
  if (channelMultiple > 1 && op.getGroups() > 1)
    if (std::string obstacle =
            findMergeObstacle(op, channelMultiple, getOperandType(op));
        !obstacle.empty())
      return obstacle;
  if (!outputTile.empty())
    if (std::string obstacle = findWinogradObstacle(op, outputTile);
        !obstacle.empty())
      return obstacle;
  if (im2col > 0 && (!outputTile.empty() || haveGaps(op)))
    return llvm::formatv("expects tensors without gaps, and not winograd, for "
                         "im2col, but got {0}",
                         outputTile.empty() ? "conv.strides" : "output_tile");
  if (im2col > 0)
    if (std::string obstacle =
            Im2col::findObstacle(op, layouts ? layouts : op.getLayouts(),
                                 im2col, getOperandType(op));
        !obstacle.empty())
      return obstacle;
  if (spaceToBatch > 1 && (im2col > 0 || !outputTile.empty()))
    return llvm::formatv("expects neither im2col nor winograd for "
                         "space_to_batch, but got {0}",
                         im2col > 0 ? "im2col" : "output_tile");
  if (spaceToBatch > 1)
    if (std::string obstacle = SpaceToBatch::findObstacle(
            op, layouts, spaceToBatch, getOperandType(op));
        !obstacle.empty())
      return obstacle;
  if (!layouts)
    return "";
  bool isFlat = flattens(*this, op);
  if (isFlat && !outputTile.empty())
    return llvm::formatv("expects layouts with all spatial dimensions for "
                         "winograd, but got \"{0}\"",
                         layouts.getInput());
  if (isFlat)
    if (std::string obstacle = findFlatObstacle(op); !obstacle.empty())
      return obstacle;
  LayoutsAttr own = isFlat ? flattenLayouts(op.getLayouts()) : op.getLayouts();
  for (TensorRole role : kTensorRoles) {
    std::string ours(getOrder(own, role)), theirs(getOrder(layouts, role));
    llvm::sort(ours);
    llvm::sort(theirs);
    if (ours != theirs)
      return llvm::formatv(
          "expects layouts with the letters of \"{0}\", but got "
          "\"{1}\"",
          op.getOrder(role), getOrder(layouts, role));
  }
  return "";
}

SmallVector<Operation *> TransformedConvolution::getTransforms() const {
  return llvm::filter_to_vector(created, [](Operation *operation) {
    return isa<TransformOp, BlockTransformOp>(operation);
  });
}

/// Whether the tensors of the op have the form's layouts and channels.
static bool haveLayouts(ConvolutionOpInterface op, const OperandForm &form) {
  if (form.layouts && form.layouts != op.getLayouts())
    return false;
  OpBuilder builder(op.getContext());
  FormBuilder tensors(builder, op, form);
  return llvm::all_of(kTensorRoles, [&](TensorRole role) {
    RankedTensorType type = op.getTensor(role).getType();
    return tensors.getType(role, type.getElementType()) == type;
  });
}

bool OperandForm::isFormOf(ConvolutionOpInterface op) const {
  return outputTile.empty() &&
         getOperandType(op) == getOperandElementType(op) &&
         haveLayouts(op, *this);
}

/// Replaces the created convolution by the transforms and products of
/// Winograd's algorithm.
static void applyWinograd(OpBuilder &builder,
                          TransformedConvolution &transformed,
                          ArrayRef<int64_t> outputTile) {
  ConvolutionOpInterface op = transformed.op;
  WinogradConvolution winograd =
      WinogradConvolution::create(builder, op, outputTile);
  if (transformed.result == op.getResultTensor())
    transformed.result = winograd.result.getResult();
  auto place = llvm::find(transformed.created, op.getOperation());
  place = transformed.created.erase(place);
  transformed.created.insert(place, {winograd.lhs, winograd.rhs,
                                     winograd.products.getOperation(),
                                     winograd.result});
  // Whoever listens to the builder hears of it.
  IRRewriter(builder).replaceOp(op, winograd.result.getResult());
  transformed.op = winograd.products;
}

TransformedConvolution TransformedConvolution::create(OpBuilder &builder,
                                                      ConvolutionOpInterface op,
                                                      const OperandForm &form) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (mergesDimensions(form, op)) {
    auto merged = *MergedDimensions::find(op);
    OperandForm expanded = form;
    expanded.layouts = merged.expand(form.layouts);
    TransformedConvolution transformed = create(builder, op, expanded);
    merged.apply(builder, transformed);
    return transformed;
  }
  TransformedConvolution transformed = FormBuilder(builder, op, form).create();
  if (!form.outputTile.empty())
    applyWinograd(builder, transformed, form.outputTile);
  return transformed;
}

void TransformedConvolution::erase() {
  for (Operation *operation : llvm::reverse(created))
    operation->erase();
}

bool mlir::conv::isDoneByProducer(Operation *transform) {
  auto permutation = dyn_cast<TransformOp>(transform);
  if (!permutation || permutation.getSourceType().getNumElements() !=
                          permutation.getResultType().getNumElements())
    return false;
  Value operand = permutation.getSource();
  auto producer = operand.getDefiningOp<linalg::GenericOp>();
  // An operand of the epilogue has the order of the result.
  auto isFactor = [](OpOperand &use) {
    return !isa<ConvolutionOpInterface>(use.getOwner()) ||
           use.getOperandNumber() < 2;
  };
  // The other use is the convolution in its own form.
  return producer && operand.hasNUses(2) &&
         llvm::all_of(operand.getUses(), isFactor) &&
         isReadByCoordinates(producer);
}

bool mlir::conv::followsTransforms(ConvolutionOpInterface op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    Operation *source = lookThroughReshapes(operand).getDefiningOp();
    return isa_and_nonnull<TransformOp, BlockTransformOp>(source) &&
           !isDoneByProducer(source) && !isPrepacked(source);
  });
}

void mlir::conv::visitInForm(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(ConvolutionOpInterface, ArrayRef<Operation *>)> use) {
  OperandForm form = OperandForm::get(schedule);
  if (form.isFormOf(op))
    return use(op, {});
  OpBuilder builder(op.getContext());
  TransformedConvolution transformed =
      TransformedConvolution::create(builder, op, form);
  transformed.op.setScheduleAttr(schedule.getProductSchedule());
  use(transformed.op, transformed.getTransforms());
  transformed.erase();
}
