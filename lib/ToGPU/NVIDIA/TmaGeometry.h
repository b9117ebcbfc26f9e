//===- TmaGeometry.h - a product as copies of boxes see it -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TMAGEOMETRY_H
#define CONV_LIB_TOGPU_NVIDIA_TMAGEOMETRY_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

namespace mlir::conv {

/// A matrix product whose left operand is gathered from images with their
/// channels innermost. Lists have one entry per spatial dimension, outermost
/// first.
struct TmaGeometry {
  int64_t images, channels;       ///< Of the left operand.
  SmallVector<int64_t> extents;   ///< Size of an image.
  SmallVector<int64_t> positions; ///< Of the window: rows are their product.
  SmallVector<int64_t> taps;      ///< Of the window: times channels, columns.
  SmallVector<int64_t> strides;   ///< From position to position.
  SmallVector<int64_t> dilations; ///< From tap to tap.
  SmallVector<int64_t> low;       ///< Minus the coordinate of the first tap.
  int64_t resultChannels;

  size_t rank() const { return extents.size(); }
  int64_t countRows() const;
  int64_t countTaps() const;
};

/// The geometry of a tiled convolution; the only reader of its tiled form here.
TmaGeometry readTmaGeometry(const TiledConvolution &form);

/// Boxes of a step's tile of the left operand: `pixels` windows, one tap, and
/// as many channels as a row of the tile has.
TensorMapAttr createImageMap(MLIRContext *context, const TmaGeometry &geometry,
                             const ::conv::TmaTile &tile);
/// Boxes of the right operand: dimensions are channels, taps, and channels of
/// the result.
TensorMapAttr createFilterMap(MLIRContext *context, const TmaGeometry &geometry,
                              const ::conv::TmaTile &tile);
/// Boxes of the result: dimensions are channels and rows.
TensorMapAttr createResultMap(MLIRContext *context, const TmaGeometry &geometry,
                              const ::conv::TmaTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TMAGEOMETRY_H
