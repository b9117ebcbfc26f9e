//===- Im2colOp.cpp - conv.im2col: verification and tiling -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of im2col is im2col at another start, so tiling adds offsets and needs
// no case for tiles that cross a pixel row or a filter element.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

static int64_t product(ArrayRef<int64_t> sizes) {
  return llvm::product_of(sizes);
}

int64_t Im2colOp::getNumRows() {
  return getInput().getType().getDimSize(0) * product(getOutput());
}

int64_t Im2colOp::getNumColumns() {
  RankedTensorType input = getInput().getType();
  return product(getFilter()) * input.getDimSize(input.getRank() - 1);
}

LogicalResult Im2colOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType result = getResult().getType();
  int64_t rank = getWindow().getRank();
  // I1.
  if (!input.hasStaticShape() || input.getRank() != rank + 2)
    return emitOpError("expects a static input of rank ")
           << rank + 2 << " for a window of rank " << rank << ", but got "
           << input;
  // I2.
  for (auto [name, sizes] :
       {std::pair("filter", getFilter()), std::pair("output", getOutput())}) {
    if (static_cast<int64_t>(sizes.size()) != rank)
      return emitOpError("expects ") << name << " to have " << rank
                                     << " entries, but got " << sizes.size();
    if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
      return emitOpError("expects ")
             << name << " to be positive, but got [" << sizes << "]";
  }
  // I3.
  if (input.getElementType() != result.getElementType())
    return emitOpError("expects the element type of the input, ")
           << input.getElementType() << ", but got " << result.getElementType();
  // I4.
  for (auto [dimension, whole] :
       llvm::enumerate(std::array{getNumRows(), getNumColumns()}))
    if (!result.isDynamicDim(dimension) && result.getDimSize(dimension) > whole)
      return emitOpError("expects dimension ")
             << dimension << " of the result to be at most " << whole
             << ", but got " << result.getDimSize(dimension);
  // I5.
  if (static_cast<int64_t>(getSizes().size()) !=
      static_cast<int64_t>(result.getNumDynamicDims()))
    return emitOpError("expects ")
           << result.getNumDynamicDims()
           << " sizes of dynamic dimensions, but got " << getSizes().size();
  return success();
}

LogicalResult
Im2colOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reifiedShapes) {
  reifiedShapes.push_back(
      getMixedValues(getResult().getType().getShape(), getSizes(), builder));
  return success();
}

SmallVector<utils::IteratorType> Im2colOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> Im2colOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult size :
       getMixedValues(getResult().getType().getShape(), getSizes(), builder))
    domain.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
Im2colOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  auto advance = [&](Value start, OpFoldResult offset) {
    AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, sum,
                                              {start, offset}));
  };
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  auto type =
      RankedTensorType::get(shape, getResult().getType().getElementType());
  auto tile = Im2colOp::create(builder, loc, type, getInput(),
                               advance(getRow(), offsets[0]),
                               advance(getColumn(), offsets[1]), dynamicSizes,
                               getWindow(), getFilter(), getOutput());
  return TilingResult{{tile}, {tile.getResult()}, {}};
}

LogicalResult Im2colOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
Im2colOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}
