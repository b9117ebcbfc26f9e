//===- TensorMaps.cpp - tensor maps of a tma kernel -*- C++ -*-===//
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

using Tile = ::conv::TmaTile;

/// The byte strides of a dense tensor of `sizes`, innermost first.
static SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides;
  int64_t stride = Tile::kElementBytes;
  for (int64_t size : sizes.drop_back())
    strides.push_back(stride *= size);
  return strides;
}

TensorMapAttr mlir::conv::createLeftMap(MLIRContext *context,
                                        const TmaGeometry &geometry,
                                        const ::conv::TmaTile &tile) {
  SmallVector<int64_t> sizes = {geometry.channels};
  SmallVector<int64_t> elementStrides = {1};
  SmallVector<int64_t> lower, upper;
  for (size_t d = geometry.rank(); d-- > 0;) {
    sizes.push_back(geometry.dimensions[d].extent);
    elementStrides.push_back(geometry.dimensions[d].stride);
    lower.push_back(geometry.getLowerCorner(d));
    upper.push_back(geometry.getUpperCorner(d));
  }
  sizes.push_back(geometry.images);
  elementStrides.push_back(1);
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes),
                            {Tile::kRowElements, tile.pixels}, elementStrides,
                            lower, upper, Tile::kRowBytes);
}

TensorMapAttr mlir::conv::createRightMap(MLIRContext *context,
                                         const TmaGeometry &geometry,
                                         const ::conv::TmaTile &tile) {
  using Coordinate = TmaGeometry::Coordinate;
  SmallVector<int64_t> sizes, box;
  for (const Coordinate &coordinate : llvm::reverse(geometry.rightOperand)) {
    sizes.push_back(coordinate.size);
    if (coordinate.index == Coordinate::Tap)
      box.push_back(1);
    else if (coordinate.index == Coordinate::Row &&
             !geometry.isRightTransposed())
      box.push_back(tile.channels);
    else
      box.push_back(Tile::kRowElements);
  }
  SmallVector<int64_t> elementStrides(sizes.size(), 1);
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes), box,
                            elementStrides, {}, {}, Tile::kRowBytes);
}

TensorMapAttr mlir::conv::createResultMap(MLIRContext *context,
                                          const TmaGeometry &geometry,
                                          const ::conv::TmaTile &tile) {
  SmallVector<int64_t> sizes = {geometry.resultChannels, geometry.countRows()};
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes),
                            {tile.chunkChannels(), Tile::kAtomRows}, {1, 1}, {},
                            {}, tile.chunkChannels() * Tile::kElementBytes);
}
