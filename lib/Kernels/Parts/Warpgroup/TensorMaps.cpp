//===- TensorMaps.cpp - tensor maps of a kernel -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps list dimensions innermost first, geometry outermost first.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

BoxRows mlir::conv::getOperandRows(const TmaGeometry &geometry,
                                   const ::conv::WarpgroupTile &tile) {
  bool isRounded =
      geometry.elementBytes == sizeof(float) && !tile.isConverted();
  return {.elementBytes = geometry.elementBytes,
          .arithmetic = isRounded ? Arithmetic::TF32 : Arithmetic::F32};
}

/// The byte strides of a dense tensor of `sizes`, innermost first.
static SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> sizes,
                                            int64_t elementBytes) {
  SmallVector<int64_t> strides;
  int64_t stride = elementBytes;
  for (int64_t size : sizes.drop_back())
    strides.push_back(stride *= size);
  return strides;
}

/// The map of a dense tensor, without the corners of im2col mode.
static TensorMapAttr createDenseMap(MLIRContext *context,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> box, BoxRows rows) {
  SmallVector<int64_t> elementStrides(sizes.size(), 1);
  return TensorMapAttr::get(
      context, sizes, getDenseStrides(sizes, rows.elementBytes), box,
      elementStrides, {}, {}, rows.swizzle(), rows.arithmetic);
}

/// Such a map with the innermost dimension split into groups, which become the
/// outermost dimension. Past the end of a group, copies load zeros or clip.
static TensorMapAttr createGroupMap(MLIRContext *context,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> box, int64_t groups,
                                    BoxRows rows) {
  if (groups == 1)
    return createDenseMap(context, sizes, box, rows);
  SmallVector<int64_t> split(sizes), boxOfGroup(box);
  SmallVector<int64_t> strides = getDenseStrides(sizes, rows.elementBytes);
  split.front() /= groups;
  split.push_back(groups);
  boxOfGroup.push_back(1);
  strides.push_back(split.front() * rows.elementBytes);
  SmallVector<int64_t> elementStrides(split.size(), 1);
  return TensorMapAttr::get(context, split, strides, boxOfGroup, elementStrides,
                            {}, {}, rows.swizzle(), rows.arithmetic);
}

TensorMapAttr mlir::conv::createWindowMap(MLIRContext *context,
                                          const TmaWindow &window,
                                          int64_t positions, BoxRows rows) {
  SmallVector<int64_t> sizes = {window.channels};
  SmallVector<int64_t> elementStrides = {1};
  SmallVector<int64_t> lower, upper;
  for (size_t d = window.rank(); d-- > 0;) {
    sizes.push_back(window.dimensions[d].extent);
    elementStrides.push_back(window.dimensions[d].stride);
    lower.push_back(window.getLowerCorner(d));
    upper.push_back(window.getUpperCorner(d));
  }
  sizes.push_back(window.images);
  elementStrides.push_back(1);
  return TensorMapAttr::get(context, sizes,
                            getDenseStrides(sizes, rows.elementBytes),
                            {rows.elements(), positions}, elementStrides, lower,
                            upper, rows.swizzle(), rows.arithmetic);
}

TensorMapAttr mlir::conv::createFilterMap(MLIRContext *context,
                                          const TmaGeometry &geometry,
                                          int64_t channels, BoxRows rows) {
  using Coordinate = TmaGeometry::Coordinate;
  SmallVector<int64_t> sizes, box;
  for (const Coordinate &coordinate : llvm::reverse(geometry.filter)) {
    sizes.push_back(coordinate.size);
    if (coordinate.index == Coordinate::Tap ||
        coordinate.index == Coordinate::Group)
      box.push_back(1);
    else if (coordinate.index == Coordinate::Row &&
             !geometry.isRightTransposed())
      box.push_back(channels);
    else
      box.push_back(rows.elements());
  }
  return createDenseMap(context, sizes, box, rows);
}

TensorMapAttr mlir::conv::createMatrixMap(MLIRContext *context,
                                          const TmaGeometry &geometry,
                                          const TmaMatrix &matrix,
                                          int64_t rowsOfTile, BoxRows rows) {
  using Extent = TmaMatrix::Extent;
  int64_t rowsOfBox =
      matrix.isTransposed() ? rows.elements() : matrix.countBoxRows(rowsOfTile);
  SmallVector<int64_t> sizes, box;
  for (const TmaMatrix::Dimension &d : llvm::reverse(matrix.dimensions)) {
    sizes.push_back(d.size);
    box.push_back(d.extent == Extent::Rows        ? rowsOfBox
                  : d.extent == Extent::Reduction ? rows.elements()
                                                  : 1);
  }
  return createDenseMap(context, sizes, box, rows);
}

TensorMapAttr mlir::conv::createPositionsMap(MLIRContext *context,
                                             const TmaGeometry &geometry,
                                             BoxRows rows) {
  if (geometry.hasHaloTiles()) {
    SmallVector<int64_t> box = {rows.elements()};
    llvm::append_range(box, llvm::reverse(geometry.window.haloTile));
    box.push_back(1);
    return createDenseMap(
        context, llvm::to_vector(llvm::reverse(geometry.leftShape)), box, rows);
  }
  return createDenseMap(context,
                        {geometry.leftShape.back(), geometry.segmentPositions,
                         geometry.segments * geometry.slices},
                        {rows.elements(), rows.elements(), 1}, rows);
}

TensorMapAttr mlir::conv::createBlockMap(MLIRContext *context,
                                         const TmaWindow &window,
                                         ArrayRef<int64_t> extents,
                                         BoxRows rows) {
  SmallVector<int64_t> sizes = {window.channels};
  SmallVector<int64_t> box = {rows.elements()};
  for (size_t d = window.rank(); d-- > 0;) {
    sizes.push_back(window.dimensions[d].extent);
    box.push_back(extents[d]);
  }
  sizes.push_back(window.images);
  box.push_back(1);
  return createGroupMap(context, sizes, box, window.groups, rows);
}

TensorMapAttr mlir::conv::createHaloTileMap(MLIRContext *context,
                                            const TmaGeometry &geometry,
                                            BoxRows rows) {
  SmallVector<int64_t> extents;
  for (size_t d = 0; d < geometry.window.rank(); ++d)
    extents.push_back(geometry.getHaloTileExtent(d));
  return createBlockMap(context, geometry.window, extents, rows);
}

TensorMapAttr mlir::conv::createTapRowsMap(MLIRContext *context,
                                           const TmaGeometry &geometry,
                                           int64_t rowsOfTile, BoxRows rows) {
  ::conv::TapRows taps = geometry.getTapRows();
  SmallVector<int64_t> extents(geometry.window.rank(), 1);
  extents.back() = taps.pitch;
  extents[extents.size() - 2] = taps.haloLines(rowsOfTile);
  return createBlockMap(context, geometry.window, extents, rows);
}

TensorMapAttr mlir::conv::createResultMap(MLIRContext *context,
                                          const TmaResult &result,
                                          const ::conv::WarpgroupTile &tile) {
  if (!result.isCopied(tile))
    return {};
  BoxRows rows{.bytes = tile.chunkRowBytes(), .elementBytes = tile.resultBytes};
  if (result.form == TmaResult::Form::Positions)
    return createWindowMap(context, result.window, Tile::kAtomRows, rows);
  if (result.form == TmaResult::Form::HaloTiles) {
    SmallVector<int64_t> block(result.window.haloTile);
    for (int64_t &size : block)
      size = TmaWindow::getBlockSize(size);
    return createBlockMap(context, result.window, block, rows);
  }
  if (result.hasRowsOfGroups)
    return createDenseMap(context, {result.columns, result.rows, result.groups},
                          {tile.chunkColumns(), Tile::kAtomRows, 1}, rows);
  return createGroupMap(context, {result.groups * result.columns, result.rows},
                        {tile.chunkColumns(), Tile::kAtomRows}, result.groups,
                        rows);
}
