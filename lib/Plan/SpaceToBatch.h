//===- SpaceToBatch.h - strips of images as images --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a filter sums over images and positions, so strips of an
// image are as good as images:
//
//   gradient of the output            input
//   ┌───────────────┐  image 0        ┌───────────────┐
//   │ lines 0 .. 3  │                 │ lines 0 .. 5  │ ┐
//   ├───────────────┤  image 1        │ ┌ ─ ─ ─ ─ ─ ─ │ ┘ windows of three
//   │ lines 4 .. 7  │                 │ │ lines 4 .. 9│   lines see two more
//   └───────────────┘                 └───────────────┘
//
// One image then has as many neighbours as instructions and copies need where
// images are innermost (HCWN).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_SPACETOBATCH_H
#define CONV_LIB_PLAN_SPACETOBATCH_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

namespace mlir::conv {

/// How each image of a gradient of a filter becomes several.
class SpaceToBatch {
public:
  SpaceToBatch(ConvolutionOpInterface op, int64_t strips);

  /// Why it cannot with operands of type `element` (S25), or an empty string.
  static std::string findObstacle(ConvolutionOpInterface op,
                                  LayoutsAttr layouts, int64_t strips,
                                  Type element);

  /// The size of the dimension `letter` of the tensor with `role` in strips, if
  /// it is `size` in images.
  int64_t getSize(TensorRole role, char letter, int64_t size) const;
  /// The window, which sees no padding along the lines: strips contain it.
  WindowAttr getWindow() const;
  /// Creates the strips of an operand with dimensions in the order `from`.
  /// Channels after its last one are zeros, as are lines outside of it.
  Value create(OpBuilder &builder, TensorRole role, Value source,
               StringRef from, RankedTensorType result, StringRef to) const;

private:
  char getLines(TensorRole role) const;

  ConvolutionOpInterface op;
  ConvolutionShape shape;
  int64_t strips;
  int64_t dimension = 0; ///< The spatial dimension of lines.
  int64_t lines;         ///< Of the gradient of the output, in a strip.
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_SPACETOBATCH_H
