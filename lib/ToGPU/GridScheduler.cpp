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
        matrices(form.getBatch()),
        pixelTiles(llvm::divideCeil(form.getPixels(), tile[0])),
        channelTiles(llvm::divideCeil(form.getChannels(), tile[1])) {}

  int64_t getGridSize() const override {
    return matrices * pixelTiles * channelTiles;
  }

  TileOrigin createOrigin(const Kernel &kernel) const override {
    const IndexMath &math = kernel.math;
    Value id = math.cast(
        gpu::BlockIdOp::create(kernel.b, gpu::Dimension::x).getResult());
    bool channelsFastest = raster == Raster::Channels;
    int64_t fast = channelsFastest ? channelTiles : pixelTiles;
    int64_t slow = channelsFastest ? pixelTiles : channelTiles;
    SmallVector<Value> digits = math.split(id, {matrices, slow, fast});
    Value channel = channelsFastest ? digits[2] : digits[1];
    Value pixel = channelsFastest ? digits[1] : digits[2];
    return {digits[0], math.mul(pixel, tile[0]), math.mul(channel, tile[1])};
  }

private:
  ArrayRef<int64_t> tile;
  Raster raster;
  int64_t matrices, pixelTiles, channelTiles;
};
} // namespace

std::unique_ptr<TileScheduler>
mlir::conv::createGridScheduler(const TiledConvolution &form) {
  return std::make_unique<GridScheduler>(form);
}
