//===- TmaGeometry.h - a product as copies of boxes see it -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's copy engine moves boxes of tensors, and im2col boxes of images. This
// says whether it can move the tiles of a matrix product, and how: asked when a
// schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TMAGEOMETRY_H
#define CONV_DIALECT_CONV_IR_TMAGEOMETRY_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace mlir::conv {

/// A tensor and how it is seen as matrices.
struct ViewedTensor {
  ViewAttr view;
  RankedTensorType type;
};

/// A matrix product whose left operand is gathered from images with their
/// channels innermost, by a window that moves over them.
struct TmaGeometry {
  /// One spatial dimension of images and window.
  struct Dimension {
    int64_t extent;    ///< Of an image.
    int64_t positions; ///< Of the window.
    int64_t taps;      ///< Of the window.
    int64_t stride;    ///< From position to position.
    int64_t dilation;  ///< From tap to tap.
    int64_t low;       ///< Minus the coordinate of the first tap.
    /// Digit `t` of the reduction is tap `taps - 1 - t`.
    bool isReversed;
  };
  /// A dimension of the right operand: coordinate `start + step * index`.
  struct Coordinate {
    enum Index { Row, Channel, Tap } index; ///< What is its index.
    size_t dimension; ///< The spatial dimension of a tap's digit.
    int64_t size, step, start;
  };

  int64_t images, channels;
  SmallVector<Dimension> dimensions;    ///< Outermost first.
  SmallVector<Coordinate> rightOperand; ///< Outermost first.
  int64_t resultChannels;

  size_t rank() const { return dimensions.size(); }
  int64_t countRows() const;
  int64_t countTaps() const;
  /// Steps of the main loop: one tap and a row of a tile each.
  int64_t countSteps() const;
  /// The right operand has the channels of the result innermost, not those of
  /// the reduction.
  bool isRightTransposed() const {
    return rightOperand.back().index == Coordinate::Row;
  }

  /// Bounds of the walk over the first taps of windows, relative to the first
  /// and to the last element of a dimension.
  int64_t getLowerCorner(size_t dimension) const;
  int64_t getUpperCorner(size_t dimension) const;
};

/// The geometry of `result = lhs * transpose(rhs)`; or none, and in `obstacle`
/// what the copy engine needs, as "expects ..., but got ...".
std::optional<TmaGeometry> computeTmaGeometry(const ViewedTensor &lhs,
                                              const ViewedTensor &rhs,
                                              const ViewedTensor &result,
                                              std::string &obstacle);

/// Why tiles of that size cannot be copied; empty if they can.
std::string checkTmaTile(const TmaGeometry &geometry,
                         const ::conv::TmaTile &tile);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TMAGEOMETRY_H
