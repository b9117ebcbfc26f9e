//===- TmaLoop.h - copies by the copy engine, products by warpgroups ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TMALOOP_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TMALOOP_H

#include "MbarrierPipeline.h"
#include "TmaCopies.h"
#include "WgmmaUnit.h"

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"

namespace mlir::conv {

/// Where a warpgroup is in the pipelines of a loop.
struct LoopPosition {
  PipelineState stage;
  /// In the pipeline of halo tiles of the left operand, or of converted parts
  /// of the right one, if there is one.
  std::optional<PipelineState> second;

  SmallVector<Value> carried() const;
  static LoopPosition get(ValueRange carried);
};

/// The pipelines of a kernel: of stages, and of slots for halo tiles.
struct TmaRings {
  /// `memory` is where stage 0 starts.
  TmaRings(const PtxBuilder &ptx, const ::conv::KeptTile &kept, Value memory);
  /// One that has its barriers elsewhere, without slots.
  explicit TmaRings(const MbarrierPipeline &stages) : stages(stages) {}

  /// By one work-item, before all others go on: `consumers` releases make what
  /// consumers read empty. As many converters fill parts, and release stages.
  void initialize(int64_t consumers, int64_t converters = 0) const;
  LoopPosition getStart() const;
  int64_t getStageBytes(const ::conv::TmaTile &tile) const {
    return kept ? kept->tile.stageBytes() : tile.stageBytes();
  }

  MbarrierPipeline stages;
  std::optional<MbarrierPipeline> slots;     ///< Of halo tiles.
  std::optional<MbarrierPipeline> converted; ///< Of parts; never both.
  /// Of an operand that is kept, the tile, and one stage for each step.
  struct Kept {
    ::conv::KeptTile tile;
    MbarrierPipeline steps;
  };
  std::optional<Kept> kept;
};

/// The loop over the reduction of one tile, as its producer and as its
/// consumers run it.
class TmaLoop {
public:
  /// `memory` is where stage 0 starts; `rank` is the number of this workgroup
  /// in its cluster, if the tile has one.
  TmaLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
          const ::conv::TmaTile &tile, const TmaRings &pipelines, Value memory,
          Value rank = Value());

  /// One lane: starts all copies of the tile at `origin`, as stages become
  /// empty; those of an operand that is kept if the tile `isFirst`. Returns
  /// where the next tile starts.
  LoopPosition createProducer(const TmaCopies &copies, TileOrigin origin,
                              Value leftMap, Value rightMap, Value isFirst,
                              LoopPosition position) const;

  /// Steps of a tile.
  Value countSteps() const;

  struct Sums {
    SmallVector<Value> accumulators;
    LoopPosition position;
  };
  /// A warpgroup: the sums of its part of the tile. `isReleasing` is true for
  /// one lane of each warp.
  Sums createConsumer(const WgmmaUnit &matrix, Value isReleasing,
                      LoopPosition position) const;

private:
  /// Where the operand that is kept has a step, given by both loops.
  TmaCopies::Kept createKept(Value outer, Value inner, Value isFirst) const;
  /// Numbers of the steps of a loop that this workgroup has.
  struct Range {
    Value first, end;
    int64_t step; ///< From one to the next, in the loop's own numbers.
  };
  Range createRange(TmaGeometry::Loop loop, bool isShared, Value rank) const;
  Value count(const Range &range) const {
    return ptx.math.sub(range.end, range.first);
  }

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::TmaTile &tile;
  const TmaRings &pipelines;
  Value memory;
  Range outer, inner;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMALOOP_H
