//===- BlockTransform.h - transforms of blocks, in order --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is transformed one dimension after the other. An element of the
// result is a row of the dimension's matrix times a line of the block: a
// product, and a fused multiply-add for each further term, in the order of the
// line. These are the operations of kernels (lib/Plan/BlockTransformBody.cpp),
// so it is known here what they round.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_BLOCKTRANSFORM_H
#define CONV_TOOLS_SUPPORT_BLOCKTRANSFORM_H

#include "Reference.h"

#include <array>
#include <vector>

namespace conv::reference {

using Sizes = std::array<int64_t, 3>;
using Matrix = BlockTransforms::Matrix;

int64_t countElements(const Sizes &sizes);
/// The coordinates of a number.
Sizes split(int64_t number, const Sizes &sizes);
int64_t join(const Sizes &place, const Sizes &sizes);

/// A block of `sizes` positions, each with `width` neighbouring values.
struct Block {
  Sizes sizes;
  int64_t width;
  std::vector<double> values;

  Block(const Sizes &sizes, int64_t width)
      : sizes(sizes), width(width), values(countElements(sizes) * width) {}
  double *at(const Sizes &place) { return &values[join(place, sizes) * width]; }
  const double *at(const Sizes &place) const {
    return &values[join(place, sizes) * width];
  }
};

/// What a number loses when it is rounded to f32, at most, in units of 2^-24:
/// half a unit in its last place. A computed number is off by `deviation` of
/// these units from the one of this `magnitude`. That of zero is one of second
/// order, as is what it loses.
double computeRounding(double magnitude, double deviation);

/// What is known of the elements of a block.
struct Transformed {
  Block values;  ///< The elements.
  Block errors;  ///< By how much they are off with their operand.
  Block rounded; ///< What all roundings lost, times their factors in the
                 ///< element, in units of 2^-24.
  Block added;   ///< The magnitudes of all that was added up.

  /// A block that nobody computed yet.
  Transformed(Block values, Block errors);
  /// The magnitude of an element, at most.
  double magnitude(size_t index) const;
};

/// The block multiplied by a matrix along `dimension`. Its elements are off by
/// `secondOrder` times what was added up, besides what roundings lost.
Transformed transform(const Transformed &block, const Matrix &matrix,
                      int dimension, double secondOrder);

/// The most operations on a term of any row of a matrix: its own, one for each
/// further term, and the rounding of an element that no f32 is equal to.
int64_t countOperations(const Matrix &matrix);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_BLOCKTRANSFORM_H
