//===- WarpgroupLoop.cpp - copies by TMA, products by warpgroups ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Producer and consumers share only the pipelines and the number of steps.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupLoop.h"

#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

SmallVector<Value> LoopPosition::carried() const {
  SmallVector<Value> values = stage.carried();
  if (second)
    llvm::append_range(values, second->carried());
  return values;
}

LoopPosition LoopPosition::get(ValueRange carried) {
  LoopPosition position{PipelineState::get(carried), std::nullopt};
  if (carried.size() > 2)
    position.second = PipelineState::get(carried.drop_front(2));
  return position;
}

WarpgroupPipelines::WarpgroupPipelines(const PtxBuilder &ptx,
                                       const ::conv::KeptTile &kept,
                                       Value memory)
    : stages(ptx, ptx.offset(memory, kept.tile.barrierOffset() + kept.shift()),
             kept.tile.stages),
      producer(kept.tile.producer) {
  const Tile &tile = kept.tile;
  if (kept.keeps()) {
    Value barriers = ptx.offset(memory, kept.barrierOffset());
    this->kept.emplace(Kept{kept, MbarrierPipeline(ptx, barriers, kept.steps)});
    return;
  }
  if (tile.hasSlots())
    slots.emplace(ptx, ptx.offset(memory, tile.haloTileBarrierOffset()),
                  tile.haloTileSlots());
  if (tile.isConverted())
    converted.emplace(ptx, ptx.offset(memory, tile.haloTileBarrierOffset()),
                      tile.convertedStages());
}

void WarpgroupPipelines::initialize(int64_t consumers) const {
  bool isLoaded = producer == ::conv::Producer::Registers;
  int64_t converters = converted && !isLoaded ? 1 : 0;
  stages.initialize(
      producer == ::conv::Producer::CopyEngine ? 1 : Tile::kWarpgroupSize,
      consumers + converters);
  if (slots)
    slots->initialize(1, consumers);
  if (converted)
    converted->initialize(isLoaded ? Tile::kWarpgroupSize : converters,
                          consumers);
  if (kept)
    kept->steps.initializeFull(1);
}

LoopPosition WarpgroupPipelines::getStart() const {
  LoopPosition start{stages.getStart(), std::nullopt};
  if (slots)
    start.second = slots->getStart();
  if (converted)
    start.second = converted->getStart();
  return start;
}

WarpgroupLoop::WarpgroupLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
                             const Tile &tile,
                             const WarpgroupPipelines &pipelines, Value memory,
                             Value rank)
    : ptx(ptx), geometry(geometry), tile(tile), pipelines(pipelines),
      memory(memory) {
  bool sharesOuter = geometry.sharesOuterLoop(tile.cluster);
  outer = createRange(geometry.getOuterLoop(), sharesOuter, rank);
  inner = createRange(geometry.getInnerLoop(), !sharesOuter, rank);
}

WarpgroupLoop::Range WarpgroupLoop::createRange(TmaGeometry::Loop loop,
                                                bool isShared,
                                                Value rank) const {
  const IndexMath &math = ptx.math;
  if (tile.cluster == 1 || !isShared)
    return {math.constant(0), math.constant(loop.count()), loop.step};
  auto getBound = [&](Value workgroup) {
    return math.div(math.mul(workgroup, loop.count()), tile.cluster);
  };
  return {getBound(rank), getBound(math.add(rank, 1)), loop.step};
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

TmaCopies::Kept WarpgroupLoop::createKept(Value outer, Value inner,
                                          Value isFirst) const {
  const IndexMath &math = ptx.math;
  TmaGeometry::Loop inTap = geometry.getInnerLoop();
  Value step = math.add(
      math.mul(math.div(outer, geometry.getOuterLoop().step), inTap.count()),
      math.div(inner, inTap.step));
  return {pipelines.kept->tile, isFirst,
          ptx.offset(ptx.offset(memory, pipelines.kept->tile.keptOffset()),
                     math.mul(step, pipelines.kept->tile.stepBytes())),
          pipelines.kept->steps.getFull(step)};
}

LoopPosition WarpgroupLoop::createProducer(const TmaCopies &copies,
                                           TileOrigin origin, Value leftMap,
                                           Value rightMap, Value isFirst,
                                           LoopPosition position) const {
  SmallVector<Value> common = copies.createTile(origin);
  int64_t stageBytes = pipelines.getStageBytes(tile);
  auto createStep = [&](Value outer, Value inner, PipelineState at) {
    Value full = pipelines.stages.acquire(
        at, ptx.math.constant(stageBytes - geometry.getStageGap(tile)));
    Value stage = ptx.offset(memory, ptx.math.mul(at.stage, stageBytes));
    TmaCopies::Step step{outer, inner, stage, full};
    if (pipelines.kept)
      step.kept.emplace(createKept(outer, inner, isFirst));
    copies.createStep(origin, common, step, leftMap, rightMap);
    return pipelines.stages.getNext(at);
  };
  auto createHaloTiles = [&](Value outer, PipelineState at) {
    Value full = pipelines.slots->acquire(
        at, ptx.math.constant(geometry.getSlotCopyBytes(tile)));
    Value slot = ptx.offset(ptx.offset(memory, tile.haloTileOffset()),
                            ptx.math.mul(at.stage, tile.haloTileBytes));
    copies.createHaloTiles(origin, {outer, slot, full}, leftMap);
    return pipelines.slots->getNext(at);
  };
  auto createLoop = [&](const Range &range, const LoopPosition &start,
                        function_ref<LoopPosition(Value, LoopPosition)> body) {
    return LoopPosition::get(ptx.createFor(
        ptx.math.mul(range.first, range.step),
        ptx.math.mul(range.end, range.step), range.step, start.carried(),
        [&](Value index, ValueRange carried) {
          return body(index, LoopPosition::get(carried)).carried();
        }));
  };
  return createLoop(outer, position, [&](Value outer, LoopPosition at) {
    if (pipelines.slots)
      at.second = createHaloTiles(outer, *at.second);
    return createLoop(inner, at, [&](Value inner, LoopPosition here) {
      here.stage = createStep(outer, inner, here.stage);
      return here;
    });
  });
}

LoopPosition
WarpgroupLoop::createGatheringProducer(function_ref<void(Value, Value)> copy,
                                       LoopPosition position) const {
  return LoopPosition::get(ptx.createFor(
      ptx.math.mul(inner.first, inner.step),
      ptx.math.mul(inner.end, inner.step), inner.step, position.carried(),
      [&](Value k, ValueRange carried) {
        PipelineState at = PipelineState::get(carried);
        pipelines.stages.waitForEmpty(at);
        copy(k, ptx.offset(memory, ptx.math.mul(at.stage, tile.stageBytes())));
        pipelines.stages.fillWithCopies(at.stage);
        return pipelines.stages.getNext(at).carried();
      }));
}

LoopPosition WarpgroupLoop::createLoadingProducer(
    function_ref<void(Value, const Places &, function_ref<void()>)> load,
    LoopPosition position) const {
  const IndexMath &math = ptx.math;
  return LoopPosition::get(ptx.createFor(
      math.mul(inner.first, inner.step), math.mul(inner.end, inner.step),
      inner.step, position.carried(), [&](Value k, ValueRange carried) {
        LoopPosition at = LoopPosition::get(carried);
        Value left =
            ptx.offset(memory, math.mul(at.stage.stage, tile.stageBytes()));
        Places places{left, ptx.offset(left, tile.rightOffset())};
        if (at.second)
          places.right = ptx.offset(
              memory,
              math.add(math.mul(at.second->stage, tile.convertedBytes()),
                       tile.convertedOffset()));
        load(k, places, [&] {
          pipelines.stages.waitForEmpty(at.stage);
          if (at.second)
            pipelines.converted->waitForEmpty(*at.second);
        });
        // Instructions read these stores through the async proxy.
        ptx.fenceSharedForCopies();
        pipelines.stages.fill(at.stage.stage);
        at.stage = pipelines.stages.getNext(at.stage);
        if (at.second) {
          pipelines.converted->fill(at.second->stage);
          at.second = pipelines.converted->getNext(*at.second);
        }
        return at.carried();
      }));
}

//===----------------------------------------------------------------------===//
// The consumers
//===----------------------------------------------------------------------===//

namespace {

/// Builds the steps of a consumer.
class ConsumerBuilder {
public:
  ConsumerBuilder(const PtxBuilder &ptx, const TmaGeometry &geometry,
                  const Tile &tile, const WgmmaUnit &matrix,
                  const WarpgroupPipelines &pipelines, Value isReleasing)
      : ptx(ptx), geometry(geometry), tile(tile), matrix(matrix),
        pipelines(pipelines), stages(pipelines.stages),
        isReleasing(isReleasing) {}

  /// The sums, the pipeline state of the next step, and the stage of the last
  /// step. Without promotion, that stage is still being read.
  struct State {
    SmallVector<Value> sums;
    PipelineState next;
    Value last;

    SmallVector<Value> carried() const;
    static State get(ValueRange carried);
  };
  /// Builds a step. If `slot` holds halo tiles, the step is tap `step` of them;
  /// otherwise `slot` is null.
  State createStep(const State &state, Value slot, Value step,
                   bool isFirst) const;
  /// Builds the steps that share halo tiles. After the first step,
  /// `releasePast` releases the halo tiles of the previous run.
  State createRun(
      const State &state, Value slot, Value steps, bool isFirst,
      function_ref<void()> releasePast = [] {}) const;

  void release(const MbarrierPipeline &pipeline, Value stage) const {
    ptx.createIf(isReleasing, [&] { pipeline.release(stage); });
  }

private:
  WgmmaUnit::Operands locate(Value slot, Value stage, Value step) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const Tile &tile;
  const WgmmaUnit &matrix;
  const WarpgroupPipelines &pipelines;
  const MbarrierPipeline &stages;
  Value isReleasing;
};

} // namespace

SmallVector<Value> ConsumerBuilder::State::carried() const {
  SmallVector<Value> values = sums;
  llvm::append_range(values, next.carried());
  values.push_back(last);
  return values;
}

ConsumerBuilder::State ConsumerBuilder::State::get(ValueRange carried) {
  return {llvm::to_vector_of<Value>(carried.drop_back(3)),
          PipelineState::get(carried.take_back(3)), carried.back()};
}

WgmmaUnit::Operands ConsumerBuilder::locate(Value slot, Value stage,
                                            Value step) const {
  const IndexMath &math = ptx.math;
  Value inStage = math.mul(stage, pipelines.getStageBytes(tile));
  if (slot)
    return {math.add(math.mul(slot, tile.haloTileBytes),
                     createTapBytes(math, geometry, step)),
            inStage};
  if (!pipelines.kept)
    return {inStage, inStage};
  const ::conv::KeptTile &kept = pipelines.kept->tile;
  Value inKept = math.mul(step, kept.stepBytes());
  return {kept.keepsLeft() ? inKept : inStage,
          kept.keepsRight() ? inKept : inStage};
}

ConsumerBuilder::State ConsumerBuilder::createStep(const State &state,
                                                   Value slot, Value step,
                                                   bool isFirst) const {
  PipelineState at = state.next;
  // After this workgroup's first tile, a kept operand is already there.
  if (pipelines.kept)
    pipelines.kept->steps.wait({step, ptx.math.constant(0)});
  stages.wait(at);
  // Instructions read through the async proxy what lanes copied without it.
  if (pipelines.producer == ::conv::Producer::AsyncCopies)
    ptx.fenceSharedForCopies();
  if (tile.promotes()) {
    SmallVector<Value> sums =
        matrix.createPromotedStep(state.sums, locate(slot, at.stage, step));
    release(stages, at.stage);
    return {sums, stages.getNext(at), at.stage};
  }
  SmallVector<Value> sums =
      matrix.createStep(state.sums, locate(slot, at.stage, step), isFirst);
  // A stage is released once the next step has been issued, so that the matrix
  // units never wait for an issue.
  if (!isFirst) {
    matrix.wait(1);
    release(stages, state.last);
  }
  return {sums, stages.getNext(at), at.stage};
}

ConsumerBuilder::State
ConsumerBuilder::createRun(const State &state, Value slot, Value steps,
                           bool isFirst,
                           function_ref<void()> releasePast) const {
  State first = createStep(state, slot, ptx.math.constant(0), isFirst);
  releasePast();
  return State::get(
      ptx.createFor(ptx.math.constant(1), steps, 1, first.carried(),
                    [&](Value step, ValueRange carried) {
                      return createStep(State::get(carried), slot, step,
                                        /*isFirst=*/false)
                          .carried();
                    }));
}

WarpgroupLoop::Runs WarpgroupLoop::countRuns() const {
  const IndexMath &math = ptx.math;
  if (pipelines.slots)
    return {count(outer), count(inner)};
  // One of the two loops has a constant number of steps.
  return {math.constant(1),
          geometry.sharesOuterLoop(tile.cluster)
              ? math.mul(count(outer), geometry.getInnerLoop().count())
              : math.mul(count(inner), geometry.getOuterLoop().count())};
}

WarpgroupLoop::Sums WarpgroupLoop::createConsumer(const WgmmaUnit &matrix,
                                                  const Runs &runs,
                                                  Value isReleasing,
                                                  LoopPosition position) const {
  using State = ConsumerBuilder::State;
  ConsumerBuilder builder(ptx, geometry, tile, matrix, pipelines, isReleasing);
  // The first step overwrites the accumulators, so nothing clears them, unless
  // its products are promoted.
  State start{tile.promotes() ? matrix.createZeros() : matrix.createUndefined(),
              position.stage, Value()};
  auto finish = [&](const State &end) {
    if (tile.promotes())
      return end.sums;
    SmallVector<Value> sums = matrix.finish(end.sums);
    builder.release(pipelines.stages, end.last);
    return sums;
  };
  if (!pipelines.slots) {
    State end = builder.createRun(start, Value(), runs.steps, /*isFirst=*/true);
    return {finish(end), {end.next, std::nullopt}};
  }
  PipelineState slot = *position.second;
  pipelines.slots->wait(slot);
  SmallVector<Value> carried =
      builder.createRun(start, slot.stage, runs.steps, /*isFirst=*/true)
          .carried();
  llvm::append_range(carried, pipelines.slots->getNext(slot).carried());
  carried.push_back(slot.stage);
  carried = ptx.createFor(
      ptx.math.constant(1), runs.count, 1, carried,
      [&](Value, ValueRange values) {
        PipelineState at = PipelineState::get(values.take_back(3));
        pipelines.slots->wait(at);
        SmallVector<Value> next =
            builder
                .createRun(
                    State::get(values.drop_back(3)), at.stage, runs.steps,
                    /*isFirst=*/false,
                    [&] { builder.release(*pipelines.slots, values.back()); })
                .carried();
        llvm::append_range(next, pipelines.slots->getNext(at).carried());
        next.push_back(at.stage);
        return next;
      });
  ValueRange values = carried;
  State end = State::get(values.drop_back(3));
  SmallVector<Value> sums = finish(end);
  builder.release(*pipelines.slots, values.back());
  return {sums, {end.next, PipelineState::get(values.take_back(3))}};
}
