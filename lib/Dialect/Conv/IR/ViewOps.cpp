//===- ViewOps.cpp - conv.gather and conv.scatter -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, and the tiling interface: a tile of a gather is a gather that
// starts elsewhere.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// Checks I1 and O1.
static LogicalResult verifyRank(Operation *op, StringRef name,
                                RankedTensorType tensor, ViewAttr view) {
  unsigned results = view.getTensorRank();
  if (tensor.hasStaticShape() && tensor.getRank() == results)
    return success();
  return op->emitOpError("expects a static ")
         << name << " of rank " << results << ", but got " << tensor;
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value source,
                     ViewAttr view) {
  Value zero = arith::ConstantIndexOp::create(builder, state.location, 0);
  auto type = RankedTensorType::get(
      view.getShape(),
      cast<RankedTensorType>(source.getType()).getElementType());
  build(builder, state, type, source, zero, zero, zero, ValueRange(), view);
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType result = getResult().getType();
  // I1.
  if (failed(verifyRank(*this, "source", source, getView())))
    return failure();
  // I2.
  if (source.getElementType() != result.getElementType())
    return emitOpError("expects the element type of the source, ")
           << source.getElementType() << ", but got "
           << result.getElementType();
  // I3.
  for (auto [dimension, whole] : llvm::enumerate(getView().getShape()))
    if (!result.isDynamicDim(dimension) && result.getDimSize(dimension) > whole)
      return emitOpError("expects dimension ")
             << dimension << " of the result to be at most " << whole
             << ", but got " << result.getDimSize(dimension);
  // I4.
  if (static_cast<int64_t>(getSizes().size()) !=
      static_cast<int64_t>(result.getNumDynamicDims()))
    return emitOpError("expects ")
           << result.getNumDynamicDims()
           << " sizes of dynamic dimensions, but got " << getSizes().size();
  return success();
}

LogicalResult
GatherOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reifiedShapes) {
  reifiedShapes.push_back(
      getMixedValues(getResult().getType().getShape(), getSizes(), builder));
  return success();
}

SmallVector<utils::IteratorType> GatherOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> GatherOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult size :
       getMixedValues(getResult().getType().getShape(), getSizes(), builder))
    domain.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
GatherOp::getTiledImplementation(OpBuilder &builder,
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
  auto tile = GatherOp::create(
      builder, loc, type, getSource(), advance(getBatch(), offsets[0]),
      advance(getRow(), offsets[1]), advance(getColumn(), offsets[2]),
      dynamicSizes, getView());
  return TilingResult{{tile}, {tile.getResult()}, {}};
}

LogicalResult GatherOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
GatherOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}

/// Checks O4: digits in order of their distance do not reach the next one.
static LogicalResult verifyDistinct(ScatterOp op) {
  ViewAttr view = op.getView();
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<int64_t> distances(sizes.size(), 0);
  int64_t stride = 1;
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getResult().getType()).getShape();
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    for (auto [distance, coefficient] :
         llvm::zip(distances, coordinates[d].coefficients))
      distance += coefficient * stride;
  SmallVector<std::pair<int64_t, int64_t>> digits;
  for (auto [distance, size] : llvm::zip(distances, sizes))
    if (size > 1)
      digits.push_back({std::abs(distance), size});
  llvm::sort(digits);
  int64_t reach = 0;
  for (auto [distance, size] : digits) {
    if (distance <= reach)
      return op.emitOpError("expects elements of different places, but got ")
             << view;
    reach += distance * (size - 1);
  }
  return success();
}

/// Whether a view has only elements with this coordinate below `size`.
static bool isCondition(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                        int64_t size) {
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  return llvm::any_of(
      llvm::zip(view.getLimits(),
                ArrayRef(coordinates).drop_front(view.getTensorRank())),
      [&](const auto &pair) {
        const auto &[limit, condition] = pair;
        return limit <= size && condition.constant == coordinate.constant &&
               condition.coefficients == coordinate.coefficients;
      });
}

LogicalResult ScatterOp::verify() {
  RankedTensorType destination = getDestination().getType();
  RankedTensorType matrices = getMatrices().getType();
  // O1.
  if (failed(verifyRank(*this, "destination", destination, getView())))
    return failure();
  // O2.
  auto expected =
      RankedTensorType::get(getView().getShape(), destination.getElementType());
  if (matrices != expected)
    return emitOpError("expects matrices of type ")
           << expected << ", but got " << matrices;
  // O3.
  SmallVector<ViewAttr::Coordinate> coordinates = getView().getCoordinates();
  for (int64_t dimension = 0; dimension < destination.getRank(); ++dimension) {
    auto [low, high] = getView().getRange(coordinates[dimension]);
    bool isInside = low >= 0 && high < destination.getDimSize(dimension);
    if (!isInside && !isCondition(getView(), coordinates[dimension],
                                  destination.getDimSize(dimension)))
      return emitOpError("expects coordinate ")
             << dimension << " to be from 0 to "
             << destination.getDimSize(dimension) - 1 << ", but got " << low
             << " to " << high;
  }
  // O4.
  return getView().getLimits().empty() ? verifyDistinct(*this) : success();
}
