//===- MbarrierPipeline.h - stages that travel from producer to consumer --===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_MBARRIERPIPELINE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_MBARRIERPIPELINE_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace mlir::conv {

/// Where a producer or consumer is in a pipeline: the stage, and how often it
/// has gone round, modulo two. Both are i32 and loop-carried.
struct PipelineState {
  Value stage, phase;

  SmallVector<Value> carried() const { return {stage, phase}; }
  static PipelineState get(ValueRange carried) {
    return {carried[0], carried[1]};
  }
};

/// Stages of shared memory, each with a barrier that says it is full and one
/// that says it is empty. A wait is for the end of the phase with a parity, so
/// that a producer's first round, which waits for the phase before the first,
/// does not block.
class MbarrierPipeline {
public:
  static constexpr int64_t kBarrierBytes = ::conv::TmaTile::kBarrierBytes;

  /// `barriers` is where the barriers are: all of "full", then all of "empty".
  MbarrierPipeline(const PtxBuilder &ptx, Value barriers, int64_t stages)
      : MbarrierPipeline(ptx, barriers,
                         ptx.offset(barriers, stages * kBarrierBytes), stages) {
  }
  /// The same with these in two places, since pipelines may share one.
  MbarrierPipeline(const PtxBuilder &ptx, Value full, Value empty,
                   int64_t stages)
      : ptx(ptx), full(full), empty(empty), stages(stages) {}

  /// By one work-item, before all others go on: `fills` calls of `acquire` or
  /// `fill` make a stage full, `releases` of `release` make it empty.
  void initialize(int64_t fills, int64_t releases) const;
  /// The same for a pipeline whose "empty" is that of another one.
  void initializeFull(int64_t fills) const;

  PipelineState getStart() const;
  /// Where step `step` of all steps is.
  PipelineState getPosition(Value step) const;
  PipelineState getNext(PipelineState position) const;

  /// Producer: waits until the stage is empty and announces `bytes`. Returns
  /// the barrier that copies to it count at.
  Value acquire(PipelineState position, Value bytes) const;
  /// The two halves of that.
  void waitForEmpty(PipelineState position) const;
  void announce(Value stage, Value bytes) const;
  /// Consumer: waits until the stage is full.
  void wait(PipelineState position) const;
  /// Producer, by one lane: what it wrote to the stage is there.
  void fill(Value stage) const;
  /// Consumer, by one lane: the stage is no longer read.
  void release(Value stage) const;

  /// The barrier that copies to the stage count at.
  Value getFull(Value stage) const;

private:
  void initializeEach(Value first, int64_t count) const;
  Value getEmpty(Value stage) const;
  void wait(Value barrier, Value parity) const;

  const PtxBuilder &ptx;
  Value full, empty;
  int64_t stages;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_MBARRIERPIPELINE_H
