//===- PixelCopy.cpp - loading im2col tiles -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes each row of the tile (image and window position) once, and the
// reduction index (filter element and channel) at each step. Where a step stays
// within one filter element, that decoding is the same for all work-items, and
// costs scalar instructions only.
//
//===----------------------------------------------------------------------===//

#include "Im2colGeometry.h"
#include "OperandCopy.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class PixelCopy final : public OperandCopy {
public:
  PixelCopy(const Kernel &kernel, const SharedTile &tile, Value origin);

protected:
  Value loadPiece(size_t index, Value k, Value within) const override;

private:
  /// A row of the tile: the window of one output pixel.
  struct Window {
    SmallVector<Value> start; ///< First input coordinate, may be in padding.
    Value offset;             ///< Element offset of that coordinate.
    Value isPixel;            ///< The row is a pixel of the output.
  };
  Window createWindow(Value pixel) const;
  Value loadChannels(const Window &window, Value k, Value within,
                     int64_t width) const;

  Im2colGeometry geometry;
  SmallVector<Window> windows;
};
} // namespace

PixelCopy::PixelCopy(const Kernel &kernel, const SharedTile &tile, Value origin)
    : OperandCopy(kernel, tile, Order::AlongRow), geometry(kernel.form.im2col) {
  for (Value row : rows)
    windows.push_back(createWindow(kernel.math.add(origin, row)));
}

PixelCopy::Window PixelCopy::createWindow(Value pixel) const {
  const IndexMath &math = kernel.math;
  SmallVector<int64_t> radix = {0};
  llvm::append_range(radix, geometry.outputSizes);
  SmallVector<Value> digits = math.split(pixel, radix);
  Window result;
  result.isPixel = kernel.form.getPixels() % tile.getRows() == 0
                       ? math.yes()
                       : math.below(pixel, kernel.form.getPixels());
  result.offset =
      math.mul(digits[0], geometry.pitches[0] * geometry.inputSizes[0]);
  for (auto [d, position] : llvm::enumerate(llvm::drop_begin(digits))) {
    Value start = math.sub(math.mul(position, geometry.window.getStrides()[d]),
                           geometry.window.getLow()[d]);
    result.start.push_back(start);
    result.offset =
        math.add(result.offset, math.mul(start, geometry.pitches[d]));
  }
  return result;
}

Value PixelCopy::loadChannels(const Window &row, Value k, Value within,
                              int64_t width) const {
  const IndexMath &math = kernel.math;
  int64_t channels = geometry.channels;
  // A step that stays within one filter element decodes only `k`.
  bool isUniform = channels % kernel.gemmK() == 0;
  Value decoded = isUniform ? k : math.add(k, within);
  SmallVector<Value> taps =
      math.split(math.div(decoded, channels), geometry.filterSizes);
  Value channel = math.rem(decoded, channels);
  if (isUniform)
    channel = math.add(channel, within);

  Value guard = row.isPixel;
  Value tapOffset = math.constant(0);
  for (auto [d, tap] : llvm::enumerate(taps)) {
    Value step = math.mul(tap, geometry.window.getDilations()[d]);
    tapOffset = math.add(tapOffset, math.mul(step, geometry.pitches[d]));
    if (geometry.canLeaveInput(d))
      guard = math.both(guard, math.below(math.add(row.start[d], step),
                                          geometry.inputSizes[d]));
  }
  if (kernel.form.getReduction() % kernel.gemmK() != 0)
    guard = math.both(guard, math.below(decoded, kernel.form.getReduction()));
  Value offset = math.add(row.offset, math.add(tapOffset, channel));
  return kernel.load(kernel.arguments[0], offset, guard, width);
}

Value PixelCopy::loadPiece(size_t index, Value k, Value within) const {
  int64_t width = std::gcd(geometry.channels, kernel.pieceElements());
  return assemblePiece(width, [&](int64_t element) {
    return loadChannels(windows[index], k, kernel.math.add(within, element),
                        width);
  });
}

std::unique_ptr<OperandCopy> mlir::conv::createPixelCopy(const Kernel &kernel,
                                                         const SharedTile &tile,
                                                         Value origin) {
  return std::make_unique<PixelCopy>(kernel, tile, origin);
}
