//===- FilterSums.h - sums of a constant filter's elements ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_FILTERSUMS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_FILTERSUMS_H

#include "ZeroPoints.h"

namespace mlir::conv {

/// The letters of spatial dimensions, outermost first.
inline constexpr StringLiteral kInputLetters = "DHW", kFilterLetters = "TRS",
                               kOutputLetters = "ZPQ";

/// The spatial dimensions of a convolution: which filter elements meet an
/// element of the left operand, by position of the result.
class Taps {
public:
  explicit Taps(const RaisedConvolution &convolution);

  /// By dimension and position. A dimension has only one position if all of its
  /// positions meet the same elements.
  SmallVector<SmallVector<SmallVector<int64_t>>> met;

  int64_t countPositions() const {
    int64_t count = 1;
    for (const auto &positions : met)
      count *= positions.size();
    return count;
  }
};

/// Sums of filter elements for each position of the result, dimension by
/// dimension, with the channel innermost.
class FilterSums {
public:
  FilterSums(const RaisedConvolution &convolution, const Taps &taps,
             SmallVector<int64_t> elements, int64_t channels);

  /// Creates the sums as a constant in the layout of the result. Dimensions in
  /// which all positions are the same have size 1.
  Value create(OpBuilder &builder, Location loc, StringRef order,
               char channel) const;

private:
  void sumDimension(size_t d, ArrayRef<SmallVector<int64_t>> met);

  SmallVector<int64_t> sizes; ///< Of the spatial dimensions.
  SmallVector<int64_t> sums;
  int64_t channels;
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_FILTERSUMS_H
