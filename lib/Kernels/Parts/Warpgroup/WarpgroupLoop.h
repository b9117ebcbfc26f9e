//===- WarpgroupLoop.h - copies by the copy engine, products by warpgroups ===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPLOOP_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPLOOP_H

#include "MbarrierPipeline.h"
#include "TmaCopies.h"
#include "WgmmaUnit.h"

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"

namespace mlir::conv {

/// The pipeline states of a warpgroup in a loop.
struct LoopPosition {
  PipelineState stage;
  /// State of the second pipeline, if there is one: of halo tiles of the left
  /// operand, or of tf32 parts into which the right operand is converted.
  std::optional<PipelineState> second;

  SmallVector<Value> carried() const;
  static LoopPosition get(ValueRange carried);
};

/// The pipelines of a kernel: of stages, and of slots for halo tiles.
struct WarpgroupPipelines {
  /// `memory` is where stage 0 starts.
  WarpgroupPipelines(const PtxBuilder &ptx, const ::conv::KeptTile &kept,
                     Value memory);
  /// A pipeline without slots, whose barriers are elsewhere.
  explicit WarpgroupPipelines(const MbarrierPipeline &stages)
      : stages(stages) {}

  /// Called by one work-item, before any other goes on. `consumers` releases
  /// empty what consumers read. A converted stage is filled, and its stage
  /// released as well, by the one warp whose turn it is; or all lanes of the
  /// producer fill both.
  void initialize(int64_t consumers) const;
  LoopPosition getStart() const;
  int64_t getStageBytes(const ::conv::WarpgroupTile &tile) const {
    return kept ? kept->tile.stageBytes() : tile.stageBytes();
  }

  MbarrierPipeline stages;
  ::conv::Producer producer = ::conv::Producer::CopyEngine;
  std::optional<MbarrierPipeline> slots;     ///< For halo tiles.
  std::optional<MbarrierPipeline> converted; ///< Excludes `slots`.
  /// The tile of a kept operand, and one pipeline stage for each step.
  struct Kept {
    ::conv::KeptTile tile;
    MbarrierPipeline steps;
  };
  std::optional<Kept> kept;
};

/// The loop over the reduction of one tile, from the producer's side and from
/// the consumers' side.
class WarpgroupLoop {
public:
  /// `memory` is where stage 0 starts. `rank` is the number of this workgroup
  /// in its cluster, if the workgroups of a cluster share the tile.
  WarpgroupLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
                const ::conv::WarpgroupTile &tile,
                const WarpgroupPipelines &pipelines, Value memory,
                Value rank = Value());

  /// Called by one lane: starts all copies of the tile at `origin` as stages
  /// become empty. A kept operand is copied only if the tile `isFirst`. Returns
  /// the pipeline state where the next tile starts.
  LoopPosition createProducer(const TmaCopies &copies, TileOrigin origin,
                              Value leftMap, Value rightMap, Value isFirst,
                              LoopPosition position) const;

  /// Called by all lanes of a warpgroup: `copy` starts the copies of the step
  /// from an element of the reduction on, to an address.
  LoopPosition createGatheringProducer(function_ref<void(Value, Value)> copy,
                                       LoopPosition position) const;

  /// Where a step's tiles are stored: the right one, or its tf32 parts.
  struct Places {
    Value left, right;
  };
  /// Called by all lanes of a warpgroup: `load` loads the tiles of the step
  /// from an element of the reduction on, calls the function, which waits until
  /// the places are empty, and stores them there.
  LoopPosition createLoadingProducer(
      function_ref<void(Value, const Places &, function_ref<void()>)> load,
      LoopPosition position) const;

  /// The steps of a tile in runs of equal length. A run is the steps that share
  /// halo tiles, or else all steps.
  struct Runs {
    Value count, steps;
  };
  Runs countRuns() const;

  struct Sums {
    SmallVector<Value> accumulators;
    LoopPosition position;
  };
  /// Called by a warpgroup: the sums of its share of a tile with such `runs`.
  /// `isReleasing` is true for one lane of each warp.
  Sums createConsumer(const WgmmaUnit &matrix, const Runs &runs,
                      Value isReleasing, LoopPosition position) const;

private:
  /// The place of a step of the kept operand, from the indices of both loops.
  TmaCopies::Kept createKept(Value outer, Value inner, Value isFirst) const;
  /// The range of a loop's steps that this workgroup runs.
  struct Range {
    Value first, end;
    int64_t step; ///< Increment of the loop's index per step.
  };
  Range createRange(TmaGeometry::Loop loop, bool isShared, Value rank) const;
  Value count(const Range &range) const {
    return ptx.math.sub(range.end, range.first);
  }

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::WarpgroupTile &tile;
  const WarpgroupPipelines &pipelines;
  Value memory;
  Range outer, inner;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPLOOP_H
