//===- BlockTransformOp.cpp - conv.block_transform --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier, and the matrices that the kernel of a transform reads.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/BlockViews.h"

#include "ConvolutionOps.h"
#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

using namespace mlir;
using namespace mlir::conv;

/// The longest side of a matrix (B2): a block must fit in registers.
static constexpr int64_t kMaxSide = 8;

/// Checks B1 of one tensor.
static LogicalResult verifyRank(BlockTransformOp op, StringRef name,
                                Value tensor, ViewAttr view) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == view.getTensorRank())
    return success();
  return op.emitOpError("expects ")
         << name << " of rank " << view.getTensorRank() << ", but got " << type;
}

/// Checks B2: the sizes of the place digits of `view`.
static LogicalResult verifyBlock(BlockTransformOp op, StringRef name,
                                 ViewAttr view, unsigned side) {
  SmallVector<int64_t> sizes;
  for (size_t d = 0; d < op.getMatrices().size(); ++d)
    sizes.push_back(op.getMatrix(d).getType().getShape()[side]);
  if (view.getBatch() == ArrayRef(sizes))
    return success();
  return op.emitOpError("expects ") << name << " to have blocks of [" << sizes
                                    << "], but got [" << view.getBatch() << "]";
}

/// Checks B2 of one matrix.
static LogicalResult verifyMatrix(BlockTransformOp op, Attribute matrix) {
  auto elements = dyn_cast<DenseElementsAttr>(matrix);
  auto isSide = [](int64_t size) { return size >= 1 && size <= kMaxSide; };
  if (elements && elements.getElementType().isF32() &&
      elements.getType().getRank() == 2 &&
      llvm::all_of(elements.getType().getShape(), isSide))
    return success();
  return op.emitOpError("expects matrices of f32 with 1 to ")
         << kMaxSide << " rows and columns, but got " << matrix;
}

/// Checks B3, and the part of B4 that concerns views.
static LogicalResult verifyView(BlockTransformOp op, ViewAttr view) {
  if (view.getRows() != op.getTo().getRows() ||
      view.getColumns() != op.getTo().getColumns())
    return op.emitOpError("expects views of [")
           << op.getTo().getRows() << "] rows and [" << op.getTo().getColumns()
           << "] columns, but got " << view;
  if (view.getPadding() != PaddingMode::Zeros)
    return op.emitOpError("expects padding of zeros, but got ") << view;
  return success();
}

/// Checks B4 of one tensor.
static LogicalResult verifyElements(BlockTransformOp op, Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  if (element.isF32() || element.isF16() || element.isBF16() ||
      (tensor == op.getSource() && isFloat8(element)))
    return success();
  return op.emitOpError("expects elements of f32, f16 or bf16, but got ")
         << element;
}

/// Checks B6.
static LogicalResult verifyPlaces(BlockTransformOp op) {
  SmallVector<ViewAttr> places = getPlaces(op.getTo());
  for (ViewAttr place : places)
    if (failed(verifyWritten(op, op.getResultType(), place)))
      return failure();
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!areDisjoint(places[i], places[j]))
        return op.emitOpError("expects places of different elements, but got ")
               << places[j] << " and " << places[i];
  return success();
}

LogicalResult BlockTransformOp::verify() {
  // B1.
  if (getViews().size() != getEpilogueOperands().size())
    return emitOpError("expects a view for each of ")
           << getEpilogueOperands().size()
           << " operands of the epilogue, but got " << getViews().size();
  if (failed(verifyRank(*this, "source", getSource(), getFrom())) ||
      failed(verifyRank(*this, "result", getResult(), getTo())))
    return failure();
  for (auto [i, operand] : llvm::enumerate(getEpilogueOperands()))
    if (failed(
            verifyRank(*this, "epilogue operand", operand, getOperandView(i))))
      return failure();
  // B2.
  for (Attribute matrix : getMatrices())
    if (failed(verifyMatrix(*this, matrix)))
      return failure();
  if (failed(verifyBlock(*this, "from", getFrom(), /*side=*/1)) ||
      failed(verifyBlock(*this, "to", getTo(), /*side=*/0)))
    return failure();
  for (ViewAttr view : getViews().getAsRange<ViewAttr>())
    if (failed(verifyBlock(*this, "views", view, /*side=*/0)))
      return failure();
  // B3, B4.
  if (failed(verifyView(*this, getFrom())) ||
      failed(verifyView(*this, getTo())))
    return failure();
  for (ViewAttr view : getViews().getAsRange<ViewAttr>())
    if (failed(verifyView(*this, view)))
      return failure();
  for (Value operand : getOperands())
    if (failed(verifyElements(*this, operand)))
      return failure();
  if (failed(verifyElements(*this, getResult())))
    return failure();
  return verifyPlaces(*this);
}

LogicalResult BlockTransformOp::verifyRegions() {
  // B5.
  if (!getEpilogue().empty())
    return verifyEpilogueBlock(
        *this, getEpilogue().front(), Float32Type::get(getContext()),
        getEpilogueOperands(), getResultType().getElementType());
  if (getEpilogueOperands().empty())
    return success();
  return emitOpError("expects an epilogue for its operands, but got ")
         << getEpilogueOperands().size() << " operands and no region";
}

SmallVector<ViewAttr> mlir::conv::getPlaces(ViewAttr view) {
  MLIRContext *context = view.getContext();
  unsigned blockDigits = view.getBatch().size();
  unsigned otherDigits = view.getRows().size() + view.getColumns().size();
  SmallVector<AffineExpr> digits(blockDigits);
  // The first digit belongs to the only matrix.
  for (unsigned i = 0; i < otherDigits; ++i)
    digits.push_back(getAffineDimExpr(i + 1, context));
  SmallVector<ViewAttr> places;
  for (int64_t place = 0; place < view.getShape()[0]; ++place) {
    int64_t rest = place;
    for (unsigned d = blockDigits; d-- > 0; rest /= view.getBatch()[d])
      digits[d] = getAffineConstantExpr(rest % view.getBatch()[d], context);
    AffineMap map = view.getMap().replaceDimsAndSymbols(
        digits, {}, otherDigits + 1, /*numResultSyms=*/0);
    places.push_back(ViewAttr::get(context, {1}, view.getRows(),
                                   view.getColumns(), map, view.getLimits(),
                                   view.getPadding()));
  }
  return places;
}
