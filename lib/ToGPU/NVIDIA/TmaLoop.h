//===- TmaLoop.h - copies by the copy engine, products by warpgroups ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TMALOOP_H
#define CONV_LIB_TOGPU_NVIDIA_TMALOOP_H

#include "MbarrierRing.h"
#include "TmaCopies.h"
#include "WgmmaUnit.h"

namespace mlir::conv {

/// The loop over the reduction of one tile, as its producer and as its
/// consumers run it.
class TmaLoop {
public:
  /// `memory` is where stage 0 starts.
  TmaLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
          const ::conv::TmaTile &tile, const MbarrierRing &ring, Value memory)
      : ptx(ptx), geometry(geometry), tile(tile), ring(ring), memory(memory) {}

  /// One lane: starts all copies of the tile at `origin`, as stages become
  /// empty. Returns where the next tile starts in the ring.
  RingPosition createProducer(const TmaCopies &copies, TileOrigin origin,
                              Value leftMap, Value rightMap,
                              RingPosition position) const;

  struct Sums {
    SmallVector<Value> accumulators;
    RingPosition position;
  };
  /// A warpgroup: the sums of its part of the tile. `isReleasing` is true for
  /// one lane of each warp.
  Sums createConsumer(const WgmmaUnit &matrix, Value isReleasing,
                      RingPosition position) const;

private:
  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::TmaTile &tile;
  const MbarrierRing &ring;
  Value memory;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TMALOOP_H
