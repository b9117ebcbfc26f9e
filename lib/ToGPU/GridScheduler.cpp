//===- GridScheduler.cpp - one tile a workgroup -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The raster decides which operand neighbouring workgroups share, and so what
// stays in the cache: `channels` fastest shares pixels, `pixels` the filter.
//
//===----------------------------------------------------------------------===//

#include "TileScheduler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class GridScheduler final : public TileScheduler {
public:
  explicit GridScheduler(const TiledConvolution &form)
      : tile(form.schedule.getWorkgroup()), raster(form.schedule.getRaster()),
        pixelTiles(llvm::divideCeil(form.getPixels(), tile[0])),
        channelTiles(llvm::divideCeil(form.getChannels(), tile[1])) {}

  int64_t getGridSize() const override { return pixelTiles * channelTiles; }

  TileOrigin createOrigin(const Kernel &kernel) const override {
    const IndexMath &math = kernel.math;
    Value id = math.cast(
        gpu::BlockIdOp::create(kernel.b, gpu::Dimension::x).getResult());
    bool channelsFastest = raster == Raster::Channels;
    int64_t fast = channelsFastest ? channelTiles : pixelTiles;
    Value inner = math.rem(id, fast), outer = math.div(id, fast);
    Value channel = channelsFastest ? inner : outer;
    Value pixel = channelsFastest ? outer : inner;
    return {math.mul(pixel, tile[0]), math.mul(channel, tile[1])};
  }

private:
  ArrayRef<int64_t> tile;
  Raster raster;
  int64_t pixelTiles, channelTiles;
};
} // namespace

std::unique_ptr<TileScheduler>
mlir::conv::createGridScheduler(const TiledConvolution &form) {
  return std::make_unique<GridScheduler>(form);
}
