//===- WinogradForm.cpp - Winograd's algorithm as a plan --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward data is the forward convolution of the output's gradient with the
// rotated filter, whose channels are swapped: only the views differ.
//
//===----------------------------------------------------------------------===//

#include "WinogradBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<::conv::WinogradMatrices, 3>
mlir::conv::getWinogradMatrices(ConvolutionOpInterface op,
                                ArrayRef<int64_t> outputTile) {
  bool isWeight = op.getDirection() == Direction::BackwardWeight;
  SmallVector<::conv::WinogradMatrices, 3> matrices;
  for (auto [size, filter] :
       llvm::zip(outputTile, ConvolutionShape::get(op).filter))
    matrices.push_back(isWeight ? ::conv::computeWinograd(filter, size)
                                : ::conv::computeWinograd(size, filter));
  return matrices;
}

int64_t mlir::conv::countWinogradProducts(ConvolutionOpInterface op,
                                          ArrayRef<int64_t> outputTile) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  switch (op.getDirection()) {
  case Direction::Forward:
    return shape.c;
  case Direction::BackwardData:
    return shape.k;
  case Direction::BackwardWeight: {
    int64_t tiles = shape.n;
    for (auto [size, step] : llvm::zip(shape.output, outputTile))
      tiles *= llvm::divideCeil(size, step);
    return tiles;
  }
  }
  llvm_unreachable("every direction has products");
}

namespace {

/// Tiles of the result, of which each is a block.
class ResultTiles final : WinogradBuilder {
public:
  ResultTiles(OpBuilder &builder, ConvolutionOpInterface op,
              ArrayRef<int64_t> outputTile)
      : ResultTiles(builder, op, outputTile, ConvolutionShape::get(op)) {}
  WinogradConvolution create();

private:
  ResultTiles(OpBuilder &builder, ConvolutionOpInterface op,
              ArrayRef<int64_t> outputTile, const ConvolutionShape &shape)
      : WinogradBuilder(builder, op, outputTile,
                        isForwardOp(op) ? shape.output : shape.input),
        isForward(isForwardOp(op)),
        results(isForward ? shape.output : shape.input),
        reduction(isForward ? shape.c : shape.k),
        columns(isForward ? shape.k : shape.c) {}
  static bool isForwardOp(ConvolutionOpInterface op) {
    return op.getDirection() == Direction::Forward;
  }

  BlockTransformOp createSource();
  BlockTransformOp createFilter();
  BlockTransformOp createTarget(Value sums);

  bool isForward;
  SmallVector<int64_t, 3> results; ///< Sizes of the result.
  int64_t reduction, columns;      ///< Channels that are summed up, and others.
};

} // namespace

BlockTransformOp ResultTiles::createSource() {
  SmallVector<int64_t, 3> low = shape.low;
  for (auto [before, filter] : llvm::zip(low, shape.filter))
    before = isForward ? before : filter - 1 - before;
  return createTiles(op.getLhsRole(), reduction, tile, low,
                     &::conv::WinogradMatrices::input);
}

BlockTransformOp ResultTiles::createFilter() {
  Digits position;
  for (auto [dimension, size] : llvm::enumerate(shape.filter))
    position.push_back(isForward ? place(dimension)
                                 : size - 1 - place(dimension));
  // Rows are channels of the result, columns those that are summed up.
  AffineExpr ofResult = row(0), summed = row(1);
  ViewAttr from =
      createView(shape.filter, {columns}, reduction,
                 isForward ? locateInFilter(position, ofResult, summed)
                           : locateInFilter(position, summed, ofResult));
  return createOperand(
      TensorRole::Filter, from, &::conv::WinogradMatrices::filter,
      viewFilter(columns, reduction), getFilterType(columns, reduction));
}

BlockTransformOp ResultTiles::createTarget(Value sums) {
  SmallVector<int64_t> rows = getTileRows();
  AffineExpr channel = row(rows.size());
  Digits position;
  for (unsigned d = 0; d < tile.size(); ++d)
    position.push_back(getPosition(d));
  Digits coordinates = locate(op.getResultRole(), position, channel);
  // The last tile of a line may have more results than are left.
  SmallVector<int64_t> limits;
  for (unsigned d = 0; d < tile.size(); ++d)
    if (results[d] % outputTile[d]) {
      coordinates.push_back(position[d]);
      limits.push_back(results[d]);
    }
  ViewAttr to = createView(outputTile, rows, columns, coordinates, limits);
  return createResult(sums, viewTiles(columns), to, channel);
}

WinogradConvolution ResultTiles::create() {
  WinogradConvolution all;
  all.lhs = createSource();
  all.rhs = createFilter();
  all.products = createProducts(Direction::Forward, getTilesType(columns),
                                all.lhs.getResult(), all.rhs.getResult());
  all.result = createTarget(all.products.getResultTensor());
  return all;
}

WinogradConvolution WinogradConvolution::create(OpBuilder &builder,
                                                ConvolutionOpInterface op,
                                                ArrayRef<int64_t> outputTile) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (op.getDirection() == Direction::BackwardWeight)
    return createWinogradWeight(builder, op, outputTile);
  return ResultTiles(builder, op, outputTile).create();
}
