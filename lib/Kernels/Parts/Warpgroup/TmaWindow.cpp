//===- TmaWindow.cpp - how the copy engine goes over images ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits are from the PTX ISA's im2col mode and cuTensorMapEncodeIm2col.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include "conv/Dialect/Conv/IR/TensorMapLimits.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

SmallVector<int64_t> TmaWindow::getTaps() const {
  return llvm::map_to_vector(dimensions,
                             [](const Dimension &d) { return d.taps; });
}

int64_t TmaWindow::countTaps() const { return llvm::product_of(getTaps()); }

int64_t TmaWindow::countTapsOfHaloTile() const {
  return llvm::product_of(ArrayRef(getTaps()).take_back(kHaloTileRank));
}

int64_t TmaWindow::countHaloTilesOfWindow() const {
  return countTaps() / countTapsOfHaloTile();
}

SmallVector<int64_t> TmaWindow::getPositions() const {
  SmallVector<int64_t> sizes = {images};
  for (const Dimension &d : dimensions)
    sizes.push_back(d.positions);
  return sizes;
}

int64_t TmaWindow::getLowerCorner(size_t dimension) const {
  return -dimensions[dimension].low;
}

int64_t TmaWindow::getUpperCorner(size_t dimension) const {
  const Dimension &d = dimensions[dimension];
  return (d.positions - 1) * d.stride + 1 - d.low - d.extent;
}

std::string mlir::conv::checkTmaWindow(const TmaWindow &window) {
  int64_t bits = getCornerBits(int64_t(window.rank()));
  int64_t corner = int64_t(1) << (bits - 1);
  for (auto [i, d] : llvm::enumerate(window.dimensions)) {
    int64_t lower = window.getLowerCorner(i);
    int64_t upper = window.getUpperCorner(i);
    if (d.stride > kMaxElementStride)
      return formatv("expects strides of at most {0}, but got {1}",
                     kMaxElementStride, d.stride);
    if ((d.taps - 1) * d.dilation >= int64_t(1) << bits ||
        std::min(lower, upper) < -corner || std::max(lower, upper) >= corner)
      return formatv("expects a window of {0} bits, but got corners {1} and "
                     "{2} and {3} taps",
                     bits, lower, upper, d.taps);
  }
  return "";
}
