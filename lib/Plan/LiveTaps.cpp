//===- LiveTaps.cpp - the taps that meet the image ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveTaps.h"

#include "conv/Plan/ConvolutionPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether the first output position at which tap `tap` is not before the image
/// exists and has it inside.
static bool meetsImage(const ConvolutionShape &shape, int64_t d, int64_t tap) {
  int64_t stride = shape.strides[d];
  int64_t offset = tap * shape.dilations[d] - shape.low[d];
  int64_t position =
      std::max<int64_t>(0, llvm::divideCeilSigned(-offset, stride));
  return position < shape.output[d] &&
         position * stride + offset < shape.input[d];
}

static TapRange computeLiveTaps(const ConvolutionShape &shape, int64_t d) {
  int64_t first = 0, last = shape.filter[d] - 1;
  while (first < last && !meetsImage(shape, d, first))
    ++first;
  if (!meetsImage(shape, d, first))
    return {0, 1};
  while (!meetsImage(shape, d, last))
    --last;
  return {first, last + 1 - first};
}

SmallVector<TapRange, 3>
mlir::conv::computeLiveTaps(const ConvolutionShape &shape,
                            PaddingMode padding) {
  SmallVector<TapRange, 3> live;
  for (int64_t d = 0; d < shape.getRank(); ++d)
    live.push_back(padding == PaddingMode::Zeros
                       ? ::computeLiveTaps(shape, d)
                       : TapRange{0, shape.filter[d]});
  return live;
}

ConvolutionShape mlir::conv::restrictTaps(ConvolutionShape shape,
                                          ArrayRef<TapRange> taps) {
  for (auto [d, range] : llvm::enumerate(taps)) {
    int64_t dilation = shape.dilations[d];
    shape.low[d] -= range.first * dilation;
    shape.high[d] -= (shape.filter[d] - range.getEnd()) * dilation;
    shape.filter[d] = range.count;
  }
  return shape;
}

double mlir::conv::computeLiveFlops(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return restrictTaps(shape, computeLiveTaps(shape, op.getPadding()))
      .computeFlops();
}
