//===- EpilogueChunks.h - an operand of the epilogue in shared memory -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of the epilogue that lies in memory as the result does comes the
// way that the result goes: in the same boxes, and in the same place of shared
// memory, where a consumer replaces it by the result. A lane beside the
// producer, its epilogue warp, moves the chunks of one consumer.
//
//     epilogue warp  load 0 1 2 3 |            store 0 | store 1 |     ...
//                                 |                    | load 0' | load 1'
//     consumer       products     | epilogue 0 |   1   |    2    | products'
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECHUNKS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECHUNKS_H

#include "MbarrierPipeline.h"
#include "PersistentScheduler.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// The chunks of one consumer: of its first atom, those of all columns, then of
/// the next one. Each is full once and empty once in a tile, so consumer and
/// epilogue warp count tiles modulo two: the phase.
class EpilogueChunks {
public:
  /// `memory` is where stage 0 starts.
  EpilogueChunks(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                 Value memory, Value consumer);

  /// By one work-item, before all others go on.
  static void initialize(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                         Value memory);
  static Value getFirstPhase(const PtxBuilder &ptx) {
    return ptx.math.constant(0);
  }
  static Value getNextPhase(const PtxBuilder &ptx, Value phase) {
    return ptx.math.bitXor(phase, ptx.math.constant(1));
  }

  /// Consumer: waits until a chunk is there.
  void wait(int64_t chunk, Value phase) const;
  /// Consumer: this warp has replaced its rows of the chunk.
  void release(int64_t chunk, Value isReleasing) const;

  /// Where chunks of the operand come from, and those of the result go to.
  struct Maps {
    const TmaResult &form;
    Value operand, result;
  };
  /// Epilogue warp: brings chunks of a part's tiles, and then the results.
  /// Returns the phase of the next part's first tile.
  Value createEpilogueWarp(const PersistentScheduler &scheduler,
                           const Maps &maps, Value phase) const;

private:
  static MbarrierPipeline
  getPipeline(const PtxBuilder &ptx, const ::conv::TmaTile &tile, Value memory);
  PipelineState locate(int64_t chunk, Value phase) const {
    return {ptx.math.add(first, chunk), phase};
  }
  Value getPlace(int64_t chunk) const;
  /// The box of a chunk in the tile at `origin`.
  SmallVector<Value> createCorner(const TmaResult &form, TileOrigin origin,
                                  int64_t chunk) const;
  void load(const Maps &maps, TileOrigin origin, int64_t chunk) const;
  void store(const Maps &maps, TileOrigin origin, int64_t chunk) const;

  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  MbarrierPipeline pipeline; ///< Of all consumers' chunks.
  Value consumer;
  Value first;   ///< Its first chunk in the pipeline.
  Value staging; ///< Where that is.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECHUNKS_H
