//===- WinogradBuilder.cpp - transforms of tiles --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view's batch is the place in a block, rows count tiles or channels of the
// result, and columns are channels, which follow each other in the workspace.
//
//===----------------------------------------------------------------------===//

#include "WinogradBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

WinogradBuilder::WinogradBuilder(OpBuilder &builder, ConvolutionOpInterface op,
                                 ArrayRef<int64_t> outputTile,
                                 ArrayRef<int64_t> tiled)
    : b(op.getLoc(), builder), op(op), outputTile(outputTile),
      shape(ConvolutionShape::get(op)) {
  for (auto [size, step, filter] : llvm::zip(tiled, outputTile, shape.filter)) {
    tile.push_back(step + filter - 1);
    tiles.push_back(llvm::divideCeil(size, step));
  }
  elements = llvm::product_of(tile);
}

ViewAttr WinogradBuilder::createView(ArrayRef<int64_t> block,
                                     ArrayRef<int64_t> rows, int64_t columns,
                                     ArrayRef<AffineExpr> coordinates,
                                     ArrayRef<int64_t> limits) {
  unsigned digits = block.size() + rows.size() + 1;
  return ViewAttr::get(b.getContext(), block, rows, {columns},
                       AffineMap::get(digits, 0, coordinates, b.getContext()),
                       limits, PaddingMode::Zeros);
}

WinogradBuilder::Digits WinogradBuilder::locate(TensorRole role,
                                                ArrayRef<AffineExpr> position,
                                                AffineExpr channel) {
  StringRef letters = role == TensorRole::Input ? "DHW" : "ZPQ";
  letters = letters.take_back(position.size());
  Digits coordinates;
  for (char letter : op.getOrder(role)) {
    size_t dimension = letters.find(letter);
    if (dimension != StringRef::npos)
      coordinates.push_back(position[dimension]);
    else
      coordinates.push_back(letter == 'N' ? row(0) : channel);
  }
  return coordinates;
}

WinogradBuilder::Digits
WinogradBuilder::locateInFilter(ArrayRef<AffineExpr> position, AffineExpr k,
                                AffineExpr c) {
  StringRef letters = StringRef("TRS").take_back(position.size());
  Digits coordinates;
  for (char letter : op.getOrder(TensorRole::Filter)) {
    size_t dimension = letters.find(letter);
    if (dimension != StringRef::npos)
      coordinates.push_back(position[dimension]);
    else
      coordinates.push_back(letter == 'K' ? k : c);
  }
  return coordinates;
}

SmallVector<int64_t> WinogradBuilder::getTileRows() const {
  SmallVector<int64_t> rows = {shape.n};
  llvm::append_range(rows, tiles);
  return rows;
}

AffineExpr WinogradBuilder::numberOfPlace() {
  AffineExpr number = b.getAffineConstantExpr(0);
  for (auto [dimension, size] : llvm::enumerate(tile))
    number = number * size + place(dimension);
  return number;
}

ViewAttr WinogradBuilder::viewTiles(int64_t channels) {
  SmallVector<int64_t> rows = getTileRows();
  AffineExpr number = row(0);
  for (auto [dimension, size] : llvm::enumerate(tiles))
    number = number * size + row(1 + dimension);
  return createView(
      tile, rows, channels,
      {numberOfPlace(), b.getAffineConstantExpr(0), number, row(rows.size())});
}

RankedTensorType WinogradBuilder::getTilesType(int64_t channels) {
  return getWorkspaceType(
      {elements, 1, llvm::product_of(getTileRows()), channels});
}

ViewAttr WinogradBuilder::viewFilter(int64_t rows, int64_t columns) {
  return createView(
      tile, {rows}, columns,
      {numberOfPlace(), row(0), b.getAffineConstantExpr(0), row(1)});
}

RankedTensorType WinogradBuilder::getFilterType(int64_t rows, int64_t columns) {
  return getWorkspaceType({elements, rows, 1, columns});
}

ArrayAttr WinogradBuilder::createMatrices(MatrixOf of) {
  SmallVector<Attribute> all;
  for (const ::conv::WinogradMatrices &one :
       getWinogradMatrices(op, outputTile)) {
    const ::conv::RationalMatrix &matrix = one.*of;
    SmallVector<float> values;
    for (const auto &line : matrix)
      for (::conv::Rational value : line)
        values.push_back(toFloat(value));
    all.push_back(DenseElementsAttr::get(
        RankedTensorType::get(
            {int64_t(matrix.size()), int64_t(matrix.front().size())},
            b.getF32Type()),
        ArrayRef(values)));
  }
  return b.getArrayAttr(all);
}

BlockTransformOp WinogradBuilder::createOperand(TensorRole role, ViewAttr from,
                                                MatrixOf matrix, ViewAttr to,
                                                RankedTensorType type) {
  return BlockTransformOp::create(b, type, op.getTensor(role), ValueRange(),
                                  from, createMatrices(matrix), to,
                                  b.getArrayAttr({}));
}

BlockTransformOp WinogradBuilder::createTiles(TensorRole role, int64_t channels,
                                              ArrayRef<int64_t> block,
                                              ArrayRef<int64_t> low,
                                              MatrixOf matrix) {
  SmallVector<int64_t> rows = getTileRows();
  Digits position;
  for (auto [dimension, before] : llvm::enumerate(low))
    position.push_back(getPosition(dimension) - before);
  ViewAttr from = createView(block, rows, channels,
                             locate(role, position, row(rows.size())));
  return createOperand(role, from, matrix, viewTiles(channels),
                       getTilesType(channels));
}

ConvolutionOpInterface WinogradBuilder::createProducts(Direction direction,
                                                       RankedTensorType type,
                                                       Value lhs, Value rhs) {
  ConvolutionOpInterface products = createConvolution(
      b, b.getLoc(), direction, type, lhs, rhs,
      WindowAttr::get(b.getContext(), {1}, {1}, {0}, {0}),
      LayoutsAttr::get(b.getContext(), "GNWC", "GKSC", "GNQK"), elements);
  if (ScheduleAttr schedule = op.getScheduleAttr())
    products.setScheduleAttr(schedule.getProductSchedule());
  return products;
}

BlockTransformOp WinogradBuilder::createResult(Value sums, ViewAttr from,
                                               ViewAttr to,
                                               AffineExpr channel) {
  SmallVector<Attribute> views;
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    views.push_back(isVector ? createView(to.getBatch(), to.getRows(),
                                          to.getColumns().front(), {channel})
                             : to);
  }
  auto result = BlockTransformOp::create(
      b, op.getResultType(), sums, op.getEpilogueOperands(), from,
      createMatrices(&::conv::WinogradMatrices::output), to,
      b.getArrayAttr(views));
  IRMapping mapping;
  op.getEpilogue().cloneInto(&result.getEpilogue(), mapping);
  return result;
}
