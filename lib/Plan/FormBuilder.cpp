//===- FormBuilder.cpp - a convolution in another form --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the transforms of the operands, the convolution on the transformed
// operands, and the transform of its result.
//
//===----------------------------------------------------------------------===//

#include "FormBuilder.h"

#include "MergedGroups.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The attribute of a convolution whose form adds zeros to its reduction: how
/// many products of an element are not with these zeros.
static constexpr StringLiteral kReductionName = "conv.reduction_without_zeros";

int64_t mlir::conv::computeReductionWithoutZeros(ConvolutionOpInterface op) {
  auto own = op->getAttrOfType<IntegerAttr>(kReductionName);
  return own ? own.getInt() : computeReduction(op);
}

SmallVector<int64_t> FormBuilder::getFlatShape(TensorRole role) {
  ArrayRef<int64_t> shape = op.getTensor(role).getType().getShape();
  if (!isFlat)
    return llvm::to_vector(shape);
  return llvm::map_to_vector(*groupSpatial(op.getOrder(role)),
                             [&](const ReassociationIndices &group) {
                               int64_t size = 1;
                               for (int64_t d : group)
                                 size *= shape[d];
                               return size;
                             });
}

RankedTensorType FormBuilder::getType(TensorRole role, Type element) {
  SmallVector<int64_t> shape = getFlatShape(role);
  StringRef order = getOrder(own, role);
  StringRef padded = getPaddedLetters(op.getDirection());
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(getOrder(layouts, role), [&](char letter) {
        int64_t size = shape[order.find(letter)];
        if (im2col)
          size = im2col->getSize(role, letter, size, multiple);
        if (strips)
          size = strips->getSize(role, letter, size);
        if (role == TensorRole::Filter && letter == 'C')
          size *= mergedGroups;
        return padded.contains(letter) ? int64_t(llvm::alignTo(size, multiple))
                                       : size;
      });
  return RankedTensorType::get(sizes, element);
}

Value FormBuilder::flatten(Value tensor, TensorRole role) {
  if (!isFlat)
    return tensor;
  return add<tensor::CollapseShapeOp>(tensor, *groupSpatial(op.getOrder(role)));
}

/// Whether the permutation keeps elements in order: only unit dimensions move.
static bool keepsOrder(ArrayRef<int64_t> permutation, RankedTensorType source,
                       RankedTensorType result) {
  int64_t last = -1;
  for (auto [d, from] : llvm::enumerate(permutation)) {
    if (source.getDimSize(from) != result.getDimSize(d))
      return false;
    if (source.getDimSize(from) == 1)
      continue;
    if (from < last)
      return false;
    last = from;
  }
  return true;
}

/// A transform that keeps the order is a reshape, which costs nothing.
Value FormBuilder::createTransform(Value tensor, StringRef from, StringRef to,
                                   RankedTensorType type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (from == to && source == type)
    return tensor;
  // Only the filter changes its size when groups are merged.
  if (mergedGroups > 1 && source.getNumElements() != type.getNumElements()) {
    Value filter =
        createMergedFilter(builder, op, tensor, from, type, to, mergedGroups);
    created.push_back(filter.getDefiningOp());
    return filter;
  }
  SmallVector<int64_t> permutation = llvm::map_to_vector(
      to, [&](char letter) { return int64_t(from.find(letter)); });
  if (!keepsOrder(permutation, source, type) || isStrided ||
      source.getElementType() != type.getElementType())
    return add<TransformOp>(type, tensor, permutation);
  return reshape(tensor, type);
}

Value FormBuilder::reshape(Value tensor, RankedTensorType type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (source == type)
    return tensor;
  auto all = [](RankedTensorType of) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq(of.getRank()))};
  };
  Value line = add<tensor::CollapseShapeOp>(tensor, all(source));
  return add<tensor::ExpandShapeOp>(type, line, all(type));
}

bool FormBuilder::joinsPositions() const {
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  return im2col && im2col->isComplete() &&
         ConvolutionOpInterface(op).getDirection() ==
             Direction::BackwardWeight &&
         layouts.getInput() == last.getInput() &&
         layouts.getOutput() == last.getOutput();
}

Value FormBuilder::joinPositions(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape.back() = type.getShape().back();
  shape[shape.size() - 2] = type.getNumElements() / shape.back();
  return reshape(tensor, type.clone(shape));
}

std::string FormBuilder::getUnfoldedOrder() const {
  return im2col->getFilterOrder(layouts.getFilter());
}

RankedTensorType FormBuilder::getUnfoldedType(Type element) {
  ArrayRef<int64_t> shape = op.getFilterType().getShape();
  StringRef order = own.getFilter();
  StringRef padded = getPaddedLetters(op.getDirection());
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(getUnfoldedOrder(), [&](char letter) {
        int64_t size = shape[order.find(letter)];
        return padded.contains(letter) && !im2col->isChannel(letter)
                   ? int64_t(llvm::alignTo(size, multiple))
                   : size;
      });
  return RankedTensorType::get(sizes, element);
}

Value FormBuilder::transform(Value tensor, TensorRole role, Type element) {
  bool isUnfolded = im2col && role == im2col->getRole();
  if (im2col && role == TensorRole::Filter) {
    isUnfolded = im2col->isPadded(multiple);
    if (!isUnfolded)
      return reshape(createTransform(tensor, own.getFilter(),
                                     getUnfoldedOrder(),
                                     getUnfoldedType(element)),
                     getType(role, element));
  }
  if (isUnfolded) {
    Value unfolded = im2col->createUnfolded(
        builder, role, tensor, getOrder(own, role),
        {getType(role, element), getOrder(layouts, role)});
    created.push_back(unfolded.getDefiningOp());
    return unfolded;
  }
  if (strips && role != TensorRole::Filter) {
    Value images =
        strips->create(builder, role, tensor, getOrder(own, role),
                       getType(role, element), getOrder(layouts, role));
    created.push_back(images.getDefiningOp());
    return images;
  }
  return createTransform(flatten(tensor, role), getOrder(own, role),
                         getOrder(layouts, role), getType(role, element));
}

Value FormBuilder::transformOperand(Value tensor, TensorRole role) {
  return transform(tensor, role,
                   operandType ? operandType
                               : getElementTypeOrSelf(tensor.getType()));
}

Value FormBuilder::transformBack(Value tensor, TensorRole role) {
  RankedTensorType type = op.getTensor(role).getType();
  if (im2col && role == TensorRole::Filter && !im2col->isPadded(multiple))
    return createTransform(
        reshape(tensor, getUnfoldedType(type.getElementType())),
        getUnfoldedOrder(), own.getFilter(), type);
  if (im2col && (role == TensorRole::Filter || im2col->unfoldsResult())) {
    Value result =
        role == TensorRole::Filter
            ? im2col->createFilter(builder, tensor, layouts.getFilter(),
                                   {type, own.getFilter()})
            : im2col->createFolded(builder, tensor, getOrder(layouts, role));
    created.push_back(result.getDefiningOp());
    return result;
  }
  Value flat = createTransform(
      tensor, getOrder(layouts, role), getOrder(own, role),
      RankedTensorType::get(getFlatShape(role), type.getElementType()));
  return isFlat ? add<tensor::ExpandShapeOp>(type, flat,
                                             *groupSpatial(op.getOrder(role)))
                : flat;
}

TransformedConvolution FormBuilder::create() {
  TensorRole resultRole = op.getResultRole();
  SmallVector<Value> operands = {
      transformOperand(op.getLhs(), op.getLhsRole()),
      transformOperand(op.getRhs(), op.getRhsRole())};
  if (joinsPositions())
    for (Value &operand : operands)
      operand = joinPositions(operand);
  // What folds the result does the work of the epilogue.
  bool isFolded = im2col && im2col->unfoldsResult();
  if (!isFolded)
    for (Value operand : op.getEpilogueOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      operands.push_back(
          type.getRank() == 1
              ? operand
              : transform(operand, resultRole, type.getElementType()));
    }
  // The builder tells its listener of cloned operations, so the epilogue must
  // not be cloned and deleted.
  Operation *clone =
      isFolded ? builder.cloneWithoutRegions(*op) : builder.clone(*op);
  created.push_back(clone);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      getType(resultRole, isFolded ? getAccumulatorType(op)
                                   : op.getResultType().getElementType()));
  auto transformed = cast<ConvolutionOpInterface>(clone);
  transformed.setLayoutsAttr(layouts);
  if (mergedGroups > 1)
    clone->setAttr("groups",
                   builder.getI64IntegerAttr(op.getGroups() / mergedGroups));
  // Channels of the only group that is left are not padded to its number, what
  // is unfolded is not unfolded again, and strips have no strips.
  if (ScheduleAttr schedule = op.getScheduleAttr()) {
    bool isLast = mergedGroups > 1 && mergedGroups == op.getGroups();
    transformed.setScheduleAttr(schedule.withForm(
        schedule.getLayouts(), isLast ? 1 : schedule.getChannelMultiple(),
        /*im2col=*/0, /*spaceToBatch=*/1, schedule.getOperandType()));
  }
  // Sums of products that are not of 8 bits are not promoted.
  if (operandType)
    clone->setAttr("arithmetic",
                   ArithmeticAttr::get(op.getContext(), Arithmetic::F32));
  if (isFlat)
    transformed.setWindowAttr(
        WindowAttr::get(op.getContext(), {1}, {1}, {0}, {0}));
  if (im2col)
    transformed.setWindowAttr(im2col->getWindow());
  if (strips)
    transformed.setWindowAttr(strips->getWindow());
  // Added zeros lengthen the reduction but do not raise its error bound, and
  // terms that are added later take their share of it.
  if (int64_t own = computeReductionWithoutZeros(op) -
                    (isFolded ? im2col->countTerms() - 1 : 0);
      isFolded || own < computeReduction(transformed))
    clone->setAttr(kReductionName, builder.getI64IntegerAttr(own));
  Value result = transformBack(transformed.getResultTensor(), resultRole);
  return {std::move(created), transformed, result};
}
