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

#include "conv/Plan/WinogradForm.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The Winograd tile of each spatial dimension.
static SmallVector<int64_t, 3> getTile(const ConvolutionShape &shape,
                                       ArrayRef<int64_t> outputTile) {
  SmallVector<int64_t, 3> tile;
  for (auto [size, filter] : llvm::zip(outputTile, shape.filter))
    tile.push_back(size + filter - 1);
  return tile;
}

SmallVector<::conv::WinogradMatrices, 3>
mlir::conv::getWinogradMatrices(ConvolutionOpInterface op,
                                ArrayRef<int64_t> outputTile) {
  SmallVector<::conv::WinogradMatrices, 3> matrices;
  for (auto [size, filter] :
       llvm::zip(outputTile, ConvolutionShape::get(op).filter))
    matrices.push_back(::conv::computeWinograd(size, filter));
  return matrices;
}

namespace {

/// The letters of a tensor's channel and spatial dimensions.
struct TensorLetters {
  TensorRole role;
  char channel;
  StringRef spatial; ///< One per spatial dimension.
};

class WinogradBuilder {
public:
  WinogradBuilder(OpBuilder &builder, ConvolutionOpInterface op,
                  ArrayRef<int64_t> outputTile);
  WinogradConvolution create();

private:
  using Digits = SmallVector<AffineExpr>;

  BlockTransformOp createInput();
  BlockTransformOp createFilter();
  ConvolutionOpInterface createProducts(Value input, Value filter);
  BlockTransformOp createOutput(Value sums);

  /// The letters of a role's tensor; `all` has letters of three dimensions.
  TensorLetters getLetters(TensorRole role, char channel, StringRef all) const {
    return {role, channel, all.take_back(shape.getRank())};
  }
  /// Digits of the place in a block, of the row and of the column.
  AffineExpr place(unsigned dimension) { return b.getAffineDimExpr(dimension); }
  AffineExpr row(unsigned digit) {
    return b.getAffineDimExpr(shape.getRank() + digit);
  }
  ViewAttr createView(ArrayRef<int64_t> block, ArrayRef<int64_t> rows,
                      int64_t columns, ArrayRef<AffineExpr> coordinates,
                      ArrayRef<int64_t> limits = {});
  /// The coordinates in a tensor of the convolution: `position` has one index
  /// per spatial dimension, `other` and the channel have one each.
  Digits locate(const TensorLetters &letters, ArrayRef<AffineExpr> position,
                char other, AffineExpr otherIndex, AffineExpr channel);
  /// The coordinates in the workspace, in the order `elements, 1, rows,
  /// columns` or, for the filter, `elements, rows, 1, columns`.
  Digits locateInWorkspace(ArrayRef<int64_t> block, AffineExpr row,
                           AffineExpr column, bool isFilter);
  /// The matrices of one of the three transforms.
  using MatrixOf = ::conv::RationalMatrix(::conv::WinogradMatrices::*);
  ArrayAttr createMatrices(MatrixOf of);
  RankedTensorType getWorkspaceType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  }
  /// The number of a tile among all tiles.
  AffineExpr numberOfTile();
  SmallVector<int64_t> getTileRows() const;

  ImplicitLocOpBuilder b;
  ConvolutionOpInterface op;
  SmallVector<int64_t> outputTile;
  ConvolutionShape shape;
  SmallVector<int64_t, 3> tile;    ///< Elements in each dimension.
  SmallVector<int64_t, 3> tiles;   ///< How many of them, in each dimension.
  SmallVector<int64_t, 3> results; ///< Sizes of the result.
  int64_t elements;                ///< In a tile.
  bool isForward;
  TensorLetters source, target; ///< What is read, and the result.
  int64_t reduction, columns;   ///< Channels of each of them.
};

} // namespace

WinogradBuilder::WinogradBuilder(OpBuilder &builder, ConvolutionOpInterface op,
                                 ArrayRef<int64_t> outputTile)
    : b(op.getLoc(), builder), op(op), outputTile(outputTile),
      shape(ConvolutionShape::get(op)), tile(getTile(shape, outputTile)),
      elements(llvm::product_of(tile)),
      isForward(op.getDirection() == Direction::Forward) {
  TensorLetters input = getLetters(TensorRole::Input, 'C', "DHW");
  TensorLetters output = getLetters(TensorRole::Output, 'K', "ZPQ");
  source = isForward ? input : output;
  target = isForward ? output : input;
  reduction = isForward ? shape.c : shape.k;
  columns = isForward ? shape.k : shape.c;
  results = isForward ? shape.output : shape.input;
  for (auto [size, step] : llvm::zip(results, outputTile))
    tiles.push_back(llvm::divideCeil(size, step));
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

WinogradBuilder::Digits WinogradBuilder::locate(const TensorLetters &letters,
                                                ArrayRef<AffineExpr> position,
                                                char other,
                                                AffineExpr otherIndex,
                                                AffineExpr channel) {
  Digits coordinates;
  for (char letter : op.getOrder(letters.role)) {
    size_t dimension = letters.spatial.find(letter);
    if (dimension != StringRef::npos)
      coordinates.push_back(position[dimension]);
    else
      coordinates.push_back(letter == other ? otherIndex : channel);
  }
  return coordinates;
}

WinogradBuilder::Digits
WinogradBuilder::locateInWorkspace(ArrayRef<int64_t> block, AffineExpr row,
                                   AffineExpr column, bool isFilter) {
  AffineExpr element = b.getAffineConstantExpr(0);
  for (auto [dimension, size] : llvm::enumerate(block))
    element = element * size + place(dimension);
  AffineExpr zero = b.getAffineConstantExpr(0);
  if (isFilter)
    return {element, row, zero, column};
  return {element, zero, row, column};
}

AffineExpr WinogradBuilder::numberOfTile() {
  AffineExpr number = row(0);
  for (auto [dimension, size] : llvm::enumerate(tiles))
    number = number * size + row(1 + dimension);
  return number;
}

SmallVector<int64_t> WinogradBuilder::getTileRows() const {
  SmallVector<int64_t> rows = {shape.n};
  llvm::append_range(rows, tiles);
  return rows;
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

BlockTransformOp WinogradBuilder::createInput() {
  SmallVector<int64_t> rows = getTileRows();
  AffineExpr channel = row(rows.size());
  Digits position;
  for (unsigned d = 0; d < tile.size(); ++d) {
    int64_t low = isForward ? shape.low[d] : shape.filter[d] - 1 - shape.low[d];
    position.push_back(row(1 + d) * outputTile[d] + place(d) - low);
  }
  ViewAttr from = createView(tile, rows, reduction,
                             locate(source, position, 'N', row(0), channel));
  ViewAttr to = createView(
      tile, rows, reduction,
      locateInWorkspace(tile, numberOfTile(), channel, /*isFilter=*/false));
  return BlockTransformOp::create(
      b, getWorkspaceType({elements, 1, llvm::product_of(rows), reduction}),
      op.getTensor(source.role), ValueRange(), from,
      createMatrices(&::conv::WinogradMatrices::input), to, b.getArrayAttr({}));
}

BlockTransformOp WinogradBuilder::createFilter() {
  TensorLetters letters = getLetters(TensorRole::Filter, 'C', "TRS");
  Digits position;
  for (unsigned d = 0; d < tile.size(); ++d)
    position.push_back(isForward ? place(d) : shape.filter[d] - 1 - place(d));
  // Rows are channels of the result, columns the summed channels.
  AffineExpr ofResult = row(0), summed = row(1);
  ViewAttr from =
      createView(shape.filter, {columns}, reduction,
                 isForward ? locate(letters, position, 'K', ofResult, summed)
                           : locate(letters, position, 'K', summed, ofResult));
  ViewAttr to =
      createView(tile, {columns}, reduction,
                 locateInWorkspace(tile, ofResult, summed, /*isFilter=*/true));
  return BlockTransformOp::create(
      b, getWorkspaceType({elements, columns, 1, reduction}),
      op.getTensor(TensorRole::Filter), ValueRange(), from,
      createMatrices(&::conv::WinogradMatrices::filter), to,
      b.getArrayAttr({}));
}

ConvolutionOpInterface WinogradBuilder::createProducts(Value input,
                                                       Value filter) {
  int64_t count = cast<RankedTensorType>(input.getType()).getDimSize(2);
  return createConvolution(
      b, b.getLoc(), Direction::Forward,
      getWorkspaceType({elements, 1, count, columns}), input, filter,
      WindowAttr::get(b.getContext(), {1}, {1}, {0}, {0}),
      LayoutsAttr::get(b.getContext(), "GNWC", "GKSC", "GNQK"), elements);
}

BlockTransformOp WinogradBuilder::createOutput(Value sums) {
  SmallVector<int64_t> rows = getTileRows();
  AffineExpr channel = row(rows.size());
  ViewAttr from = createView(
      tile, rows, columns,
      locateInWorkspace(tile, numberOfTile(), channel, /*isFilter=*/false));
  Digits position;
  for (unsigned d = 0; d < tile.size(); ++d)
    position.push_back(row(1 + d) * outputTile[d] + place(d));
  Digits coordinates = locate(target, position, 'N', row(0), channel);
  // The last tile of a row may have more results than the tensor has left.
  SmallVector<int64_t> limits;
  for (unsigned d = 0; d < tile.size(); ++d)
    if (results[d] % outputTile[d]) {
      coordinates.push_back(position[d]);
      limits.push_back(results[d]);
    }
  ViewAttr to = createView(outputTile, rows, columns, coordinates, limits);
  SmallVector<Attribute> views;
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    views.push_back(isVector ? createView(outputTile, rows, columns, {channel})
                             : to);
  }
  auto output = BlockTransformOp::create(
      b, op.getResultType(), sums, op.getEpilogueOperands(), from,
      createMatrices(&::conv::WinogradMatrices::output), to,
      b.getArrayAttr(views));
  IRMapping mapping;
  op.getEpilogue().cloneInto(&output.getEpilogue(), mapping);
  return output;
}

WinogradConvolution WinogradBuilder::create() {
  WinogradConvolution all;
  all.input = createInput();
  all.filter = createFilter();
  all.products = createProducts(all.input.getResult(), all.filter.getResult());
  if (ScheduleAttr schedule = op.getScheduleAttr())
    all.products.setScheduleAttr(schedule.getProductSchedule());
  all.output = createOutput(all.products.getResultTensor());
  return all;
}

WinogradConvolution WinogradConvolution::create(OpBuilder &builder,
                                                ConvolutionOpInterface op,
                                                ArrayRef<int64_t> outputTile) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  return WinogradBuilder(builder, op, outputTile).create();
}
