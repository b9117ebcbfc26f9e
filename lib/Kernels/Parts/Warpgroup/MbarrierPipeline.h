//===- MbarrierPipeline.h - a pipeline of mbarriers -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_MBARRIERPIPELINE_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_MBARRIERPIPELINE_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace mlir::conv {

/// Pipeline state of a producer or consumer: the stage, and the number of times
/// it has wrapped around, modulo two. Both are i32 and loop-carried.
struct PipelineState {
  Value stage, phase;

  SmallVector<Value> carried() const { return {stage, phase}; }
  static PipelineState get(ValueRange carried) {
    return {carried[0], carried[1]};
  }
};

/// Stages of shared memory, each with a "full" and an "empty" barrier. A
/// wait is for the end of the phase with a given parity. In its first round,
/// a producer waits for the phase before the first one, so it does not
/// block.
class MbarrierPipeline {
public:
  static constexpr int64_t kBarrierBytes = ::conv::WarpgroupTile::kBarrierBytes;

  /// `barriers` is the address of all "full" barriers, then all "empty" ones.
  MbarrierPipeline(const PtxBuilder &ptx, Value barriers, int64_t stages)
      : MbarrierPipeline(ptx, barriers,
                         ptx.offset(barriers, stages * kBarrierBytes), stages) {
  }
  /// With separate addresses, since pipelines may share "empty" barriers.
  MbarrierPipeline(const PtxBuilder &ptx, Value full, Value empty,
                   int64_t stages)
      : ptx(ptx), full(full), empty(empty), stages(stages) {}

  /// Called by one work-item, before any other goes on. A stage is full after
  /// `fills` calls of `acquire` or `fill`, empty after `releases` of `release`.
  void initialize(int64_t fills, int64_t releases) const;
  /// For a pipeline that uses the "empty" barriers of another pipeline.
  void initializeFull(int64_t fills) const;

  PipelineState getStart() const;
  /// The pipeline state of step `step`, counted over all steps.
  PipelineState getPosition(Value step) const;
  PipelineState getNext(PipelineState position) const;

  /// Producer: waits until the stage is empty and announces `bytes`. Returns
  /// the stage's "full" barrier, which copies to the stage signal.
  Value acquire(PipelineState position, Value bytes) const;
  /// The two halves of `acquire`.
  void waitForEmpty(PipelineState position) const;
  void announce(Value stage, Value bytes) const;
  /// Consumer: waits until the stage is full.
  void wait(PipelineState position) const;
  /// Producer, called by one lane: its writes to the stage are done.
  void fill(Value stage) const;
  /// Producer, called by each lane: its copies of the stage are on their way.
  void fillWithCopies(Value stage) const;
  /// Consumer, called by one lane: it no longer reads the stage.
  void release(Value stage) const;

  /// The stage's "full" barrier, which copies to the stage signal.
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
