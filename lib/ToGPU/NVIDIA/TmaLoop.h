//===- TmaLoop.h - copies by the copy engine, products by warpgroups ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TMALOOP_H
#define CONV_LIB_TOGPU_NVIDIA_TMALOOP_H

#include "../Kernel.h"
#include "MbarrierRing.h"
#include "WgmmaUnit.h"
#include "conv/Dialect/Conv/IR/TmaGeometry.h"

namespace mlir::conv {

/// The loop over the reduction of one tile, as its producer and as its
/// consumers run it. A step is one tap and 64 channels; taps are outermost.
class TmaLoop {
public:
  /// `memory` is where stage 0 starts.
  TmaLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
          const ::conv::TmaTile &tile, const MbarrierRing &ring, Value memory)
      : ptx(ptx), geometry(geometry), tile(tile), ring(ring), memory(memory) {}

  /// One lane: starts all copies of the tile at `origin`, as stages become
  /// empty. Returns where the next tile starts in the ring.
  RingPosition createProducer(TileOrigin origin, Value leftMap, Value rightMap,
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
  /// Where the first window of a tile starts: innermost first, as a tensor map
  /// lists dimensions, without channels.
  SmallVector<Value> createCorner(Value row) const;
  /// Copies the right operand's tile for a step: the tap with these digits and
  /// the channels from `channel`.
  void createRightCopies(Value destination, Value map, Value barrier,
                         ArrayRef<Value> digits, Value row,
                         Value channel) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::TmaTile &tile;
  const MbarrierRing &ring;
  Value memory;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TMALOOP_H
