//===- WinogradBuilder.h - transforms of tiles ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Winograd's algorithm is made of in every direction: views of tiles and
// of the workspace, and the three transforms. Which tensor is which operand is
// up to the plans of the directions.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_WINOGRADBUILDER_H
#define CONV_LIB_PLAN_WINOGRADBUILDER_H

#include "conv/Plan/WinogradForm.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

class WinogradBuilder {
public:
  /// `tiled` are the sizes of the dimensions that tiles divide.
  WinogradBuilder(OpBuilder &builder, ConvolutionOpInterface op,
                  ArrayRef<int64_t> outputTile, ArrayRef<int64_t> tiled);

protected:
  using Digits = SmallVector<AffineExpr>;
  /// One of the three matrices.
  using MatrixOf = ::conv::RationalMatrix(::conv::WinogradMatrices::*);

  /// Digits of the place in a block, of the row and of the column.
  AffineExpr place(unsigned dimension) { return b.getAffineDimExpr(dimension); }
  AffineExpr row(unsigned digit) {
    return b.getAffineDimExpr(shape.getRank() + digit);
  }
  /// The position in a spatial dimension of a place in a tile.
  AffineExpr getPosition(unsigned dimension) {
    return row(1 + dimension) * outputTile[dimension] + place(dimension);
  }

  ViewAttr createView(ArrayRef<int64_t> block, ArrayRef<int64_t> rows,
                      int64_t columns, ArrayRef<AffineExpr> coordinates,
                      ArrayRef<int64_t> limits = {});

  /// The coordinates in an input or output: `position` is that of each spatial
  /// dimension, and the image is the first digit of rows of tiles.
  Digits locate(TensorRole role, ArrayRef<AffineExpr> position,
                AffineExpr channel);
  /// The coordinates in the filter.
  Digits locateInFilter(ArrayRef<AffineExpr> position, AffineExpr k,
                        AffineExpr c);

  /// Rows of all tiles: images, and tiles in each dimension.
  SmallVector<int64_t> getTileRows() const;
  /// A view of rows of tiles in the workspace, `[elements, 1, tiles,
  /// channels]`.
  ViewAttr viewTiles(int64_t channels);
  RankedTensorType getTilesType(int64_t channels);
  /// A view of the filter in the workspace, `[elements, rows, 1, columns]`.
  ViewAttr viewFilter(int64_t rows, int64_t columns);
  RankedTensorType getFilterType(int64_t rows, int64_t columns);

  /// The transform of a tensor's tiles of `block` elements in each dimension,
  /// the first of which starts `low` positions before the tensor.
  BlockTransformOp createTiles(TensorRole role, int64_t channels,
                               ArrayRef<int64_t> block, ArrayRef<int64_t> low,
                               MatrixOf matrix);
  BlockTransformOp createOperand(TensorRole role, ViewAttr from,
                                 MatrixOf matrix, ViewAttr to,
                                 RankedTensorType type);
  /// The product for each element of a tile: a convolution without a window.
  ConvolutionOpInterface createProducts(Direction direction,
                                        RankedTensorType type, Value lhs,
                                        Value rhs);
  /// The transform into the result, with the epilogue. Vectors of it lie along
  /// `channel`; a filter has none.
  BlockTransformOp createResult(Value sums, ViewAttr from, ViewAttr to,
                                AffineExpr channel = AffineExpr());

  ImplicitLocOpBuilder b;
  ConvolutionOpInterface op;
  SmallVector<int64_t> outputTile;
  ConvolutionShape shape;
  SmallVector<int64_t, 3> tile;  ///< Elements in each dimension.
  SmallVector<int64_t, 3> tiles; ///< How many of them, in each dimension.
  int64_t elements;              ///< Elements of a tile.

private:
  RankedTensorType getWorkspaceType(ArrayRef<int64_t> sizes) {
    return RankedTensorType::get(sizes, b.getF32Type());
  }
  /// The number of a place among all of a tile.
  AffineExpr numberOfPlace();
  ArrayAttr createMatrices(MatrixOf matrix);
};

/// Creates the plan of a gradient of a filter.
WinogradConvolution createWinogradWeight(OpBuilder &builder,
                                         ConvolutionOpInterface op,
                                         ArrayRef<int64_t> outputTile);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_WINOGRADBUILDER_H
