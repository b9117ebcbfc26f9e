//===- WinogradWeight.cpp - gradients of filters by Winograd --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tile of a line may have more gradients than are left: these are
// outside of the tensor, which is zero.
//
//===----------------------------------------------------------------------===//

#include "WinogradBuilder.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Tiles of the output's gradient, and one block of results.
class FilterBlock final : WinogradBuilder {
public:
  FilterBlock(OpBuilder &builder, ConvolutionOpInterface op,
              ArrayRef<int64_t> outputTile)
      : WinogradBuilder(builder, op, outputTile,
                        ConvolutionShape::get(op).output) {}
  WinogradConvolution create();

private:
  BlockTransformOp createTarget(Value sums);
};

} // namespace

BlockTransformOp FilterBlock::createTarget(Value sums) {
  Digits position;
  for (unsigned d = 0; d < tile.size(); ++d)
    position.push_back(place(d));
  AffineExpr k = row(0), c = row(1);
  ViewAttr to = createView(shape.filter, {shape.k}, shape.c,
                           locateInFilter(position, k, c));
  return createResult(sums, viewFilter(shape.k, shape.c), to);
}

WinogradConvolution FilterBlock::create() {
  WinogradConvolution all;
  all.lhs = createTiles(TensorRole::Input, shape.c, tile, shape.low,
                        &::conv::WinogradMatrices::input);
  SmallVector<int64_t> none(shape.getRank(), 0);
  all.rhs = createTiles(TensorRole::Output, shape.k, outputTile, none,
                        &::conv::WinogradMatrices::filter);
  all.products =
      createProducts(Direction::BackwardWeight, getFilterType(shape.k, shape.c),
                     all.lhs.getResult(), all.rhs.getResult());
  all.result = createTarget(all.products.getResultTensor());
  return all;
}

WinogradConvolution
mlir::conv::createWinogradWeight(OpBuilder &builder, ConvolutionOpInterface op,
                                 ArrayRef<int64_t> outputTile) {
  return FilterBlock(builder, op, outputTile).create();
}
