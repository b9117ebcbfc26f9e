//===- EpilogueChunks.h - an operand of the epilogue in shared memory -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If an operand of the epilogue has the layout of the result in memory, it
// arrives the way the result leaves: in the same boxes, and in the same place
// of shared memory, where a consumer overwrites it with the result. A lane next
// to the producer, the epilogue warp, copies the chunks of one consumer.
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

/// The chunks of one consumer: all columns of its first atom, then all columns
/// of its next one. Each chunk is full once and empty once per tile, so the
/// phase of consumer and epilogue warp is the number of the tile modulo two.
class EpilogueChunks {
public:
  /// `memory` is where stage 0 starts.
  EpilogueChunks(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                 Value memory, Value consumer);

  /// Called by one work-item, before any other goes on.
  static void initialize(const PtxBuilder &ptx,
                         const ::conv::WarpgroupTile &tile, Value memory);
  static Value getFirstPhase(const PtxBuilder &ptx) {
    return ptx.math.constant(0);
  }
  static Value getNextPhase(const PtxBuilder &ptx, Value phase) {
    return ptx.math.bitXor(phase, ptx.math.constant(1));
  }

  /// Consumer: waits until the operand's chunk has arrived.
  void wait(int64_t chunk, Value phase) const;
  /// Consumer: this warp has overwritten its rows of the chunk.
  void release(int64_t chunk, Value isReleasing) const;

  /// Source of the operand's chunks and destination of the result's chunks.
  struct Maps {
    const TmaResult &form;
    Value operand, result;
  };
  /// Epilogue warp: loads the chunks of a subproblem's tiles, then stores the
  /// results. Returns the phase of the next subproblem's first tile.
  Value createEpilogueWarp(const PersistentScheduler &scheduler,
                           const Maps &maps, Value phase) const;

private:
  static MbarrierPipeline getPipeline(const PtxBuilder &ptx,
                                      const ::conv::WarpgroupTile &tile,
                                      Value memory);
  PipelineState locate(int64_t chunk, Value phase) const {
    return {ptx.math.add(first, chunk), phase};
  }
  Value getPlace(int64_t chunk) const;
  /// The coordinates of a chunk's box, for the tile at `origin`.
  SmallVector<Value> createCorner(const TmaResult &form, TileOrigin origin,
                                  int64_t chunk) const;
  void load(const Maps &maps, TileOrigin origin, int64_t chunk) const;
  void store(const Maps &maps, TileOrigin origin, int64_t chunk) const;

  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  MbarrierPipeline pipeline; ///< Chunks of all consumers.
  Value consumer;
  Value first;   ///< Number of its first chunk.
  Value staging; ///< Address of its first chunk.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_EPILOGUECHUNKS_H
