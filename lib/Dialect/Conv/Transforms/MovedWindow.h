//===- MovedWindow.h - movement of spatial dimensions -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDWINDOW_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDWINDOW_H

#include "MovedOperand.h"

namespace mlir::conv {

/// The source positions of one spatial dimension of an input, including the
/// padding of a window.
struct PaddedPositions {
  const MovedDimension &dimension;
  int64_t sourceSize, low, high;

  int64_t getSize() const { return low + dimension.size + high; }
  int64_t get(int64_t index) const {
    int64_t inside = index - low;
    if (inside < 0 || inside >= dimension.size)
      return MovedDimension::kZero;
    return dimension.getPosition(inside);
  }
};

/// The positions of the spatial dimension `letter`, which is dimension `index`
/// of the window.
PaddedPositions getPositions(const MovedOperand &input, char letter,
                             WindowAttr window, size_t index);

/// The letters of `order` that are in `letters`.
std::string getSpatialLetters(StringRef order, StringRef letters);

/// True if only dimensions of `operand` that are in `letters` are moved.
bool isPlainBut(const MovedOperand &operand, StringRef order,
                StringRef letters);

/// Follows `tensor` back over all ops that move it, then over fewer, until
/// `fold` succeeds.
LogicalResult
foldMovement(Value tensor, StringRef order,
             function_ref<LogicalResult(const MovedOperand &)> fold);

/// Turns convolutions with flipped filters into data gradients.
void populateFlippedFilterPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDWINDOW_H
