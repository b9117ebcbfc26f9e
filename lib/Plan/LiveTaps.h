//===- LiveTaps.h - the taps that meet the image ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wide dilation or a small image leaves taps that only ever see padding: of
// 3x3 taps with dilation 36 and padding 36, the one in the middle alone meets
// an image of 28x28. If the padding is zeros, plans leave out the taps of each
// dimension before the first and after the last one that meets the image; dead
// taps between these are multiplied, with zeros.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_LIVETAPS_H
#define CONV_LIB_PLAN_LIVETAPS_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

namespace mlir::conv {

/// Consecutive taps of one dimension.
struct TapRange {
  int64_t first, count;
  int64_t getEnd() const { return first + count; }
};

/// The taps of each spatial dimension from the first to the last one that meets
/// the image at some position of the output; the first tap if none does. All
/// taps if the padding is not zeros, since it has elements of the image.
SmallVector<TapRange, 3> computeLiveTaps(const ConvolutionShape &shape,
                                         PaddingMode padding);

/// The same convolution with a filter of these taps. Its padding is negative
/// where their first or last position is inside of the image.
ConvolutionShape restrictTaps(ConvolutionShape shape, ArrayRef<TapRange> taps);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_LIVETAPS_H
