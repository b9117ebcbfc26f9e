//===- TmaGeometry.cpp - a product as copies of boxes see it -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps list dimensions innermost first, geometry outermost first.
//
//===----------------------------------------------------------------------===//

#include "TmaGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

int64_t TmaGeometry::countRows() const { return images * product(positions); }
int64_t TmaGeometry::countTaps() const { return product(taps); }

TmaGeometry mlir::conv::readTmaGeometry(const TiledConvolution &form) {
  Im2colOp im2col = form.im2col;
  WindowAttr window = im2col.getWindow();
  ArrayRef<int64_t> input = im2col.getInput().getType().getShape();
  return {.images = input.front(),
          .channels = input.back(),
          .extents = llvm::to_vector(input.drop_front().drop_back()),
          .positions = llvm::to_vector(im2col.getOutput()),
          .taps = llvm::to_vector(im2col.getFilter()),
          .strides = llvm::to_vector(window.getStrides()),
          .dilations = llvm::to_vector(window.getDilations()),
          .low = llvm::to_vector(window.getLow()),
          .resultChannels = form.getChannels()};
}

/// The byte strides of a dense tensor of `sizes`, innermost first.
static SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides;
  int64_t stride = Tile::kElementBytes;
  for (int64_t size : sizes.drop_back())
    strides.push_back(stride *= size);
  return strides;
}

TensorMapAttr mlir::conv::createImageMap(MLIRContext *context,
                                         const TmaGeometry &geometry,
                                         const ::conv::TmaTile &tile) {
  SmallVector<int64_t> sizes = {geometry.channels};
  SmallVector<int64_t> elementStrides = {1};
  SmallVector<int64_t> lower, upper;
  for (size_t d = geometry.rank(); d-- > 0;) {
    sizes.push_back(geometry.extents[d]);
    elementStrides.push_back(geometry.strides[d]);
    // The walk is over the elements that are the first tap of a window.
    lower.push_back(-geometry.low[d]);
    upper.push_back((geometry.positions[d] - 1) * geometry.strides[d] + 1 -
                    geometry.low[d] - geometry.extents[d]);
  }
  sizes.push_back(geometry.images);
  elementStrides.push_back(1);
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes),
                            {Tile::kRowElements, tile.pixels}, elementStrides,
                            lower, upper, Tile::kRowBytes);
}

TensorMapAttr mlir::conv::createFilterMap(MLIRContext *context,
                                          const TmaGeometry &geometry,
                                          const ::conv::TmaTile &tile) {
  SmallVector<int64_t> sizes = {geometry.channels, geometry.countTaps(),
                                geometry.resultChannels};
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes),
                            {Tile::kRowElements, 1, tile.channels}, {1, 1, 1},
                            {}, {}, Tile::kRowBytes);
}

TensorMapAttr mlir::conv::createResultMap(MLIRContext *context,
                                          const TmaGeometry &geometry,
                                          const ::conv::TmaTile &tile) {
  SmallVector<int64_t> sizes = {geometry.resultChannels, geometry.countRows()};
  return TensorMapAttr::get(context, sizes, getDenseStrides(sizes),
                            {tile.chunkChannels(), Tile::kAtomRows}, {1, 1}, {},
                            {}, tile.chunkChannels() * Tile::kElementBytes);
}
