//===- WeightStationaryKernel.cpp - few output channels ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lane copies halo tiles as buffers become empty. Consumers first load the
// filter, and then multiply all taps of a slice without waits in between.
//
//===----------------------------------------------------------------------===//

#include "WeightStationaryKernel.h"

#include "../Parts/Warpgroup/BufferKernel.h"
#include "../Parts/Warpgroup/MbarrierPipeline.h"
#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/ResidentFilter.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "../Parts/Warpgroup/TmaCopies.h"
#include "../Parts/Warpgroup/TmaPositions.h"
#include "../Parts/Warpgroup/WarpgroupEpilogue.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "../Parts/Warpgroup/WgmmaUnit.h"

#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

namespace {
/// Builds the body of one kernel.
class WeightStationaryBody {
public:
  WeightStationaryBody(const Kernel &kernel, const PtxBuilder &ptx,
                       const ::conv::WeightStationaryTile &tile,
                       const WeightStationaryGeometry &geometry,
                       const TmaCopies &copies, int64_t workgroups,
                       Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), geometry(geometry),
        copies(copies), memory(memory),
        workItem(ptx.math.cast(kernel.workItem)),
        pipeline(ptx, ptx.offset(memory, tile.barrierOffset()),
                 tile.tile.stages),
        scheduler(ptx, kernel.form, /*first=*/0, workgroups) {}

  void create();

private:
  /// The sums, and the pipeline state of the next slice.
  struct State {
    SmallVector<Value> sums;
    PipelineState next;

    SmallVector<Value> carried() const;
    static State get(ValueRange carried);
  };

  void createProducer();
  void createConsumer(Value consumer, Value workItem);
  void loadFilter(Value consumer, Value workItem);
  /// Adds the products of all taps with slice `slice`.
  State createSlice(const WgmmaUnit &matrix, const State &state, Value slice,
                    bool isFirst) const;
  Value getStage(Value stage) const {
    return ptx.math.mul(stage, tile.stageBytes);
  }

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::WeightStationaryTile &tile;
  const WeightStationaryGeometry &geometry;
  const TmaCopies &copies;
  Value memory, workItem;
  MbarrierPipeline pipeline;
  PersistentScheduler scheduler;
};
} // namespace

SmallVector<Value> WeightStationaryBody::State::carried() const {
  SmallVector<Value> values = sums;
  llvm::append_range(values, next.carried());
  return values;
}

WeightStationaryBody::State
WeightStationaryBody::State::get(ValueRange carried) {
  return {llvm::to_vector_of<Value>(carried.drop_back(2)),
          PipelineState::get(carried.take_back(2))};
}

void WeightStationaryBody::createProducer() {
  const IndexMath &math = ptx.math;
  auto copySlice = [&](TileOrigin origin, Value channel, PipelineState at) {
    Value full = pipeline.acquire(
        at, math.constant(geometry.product.getSlotCopyBytes(tile.tile)));
    Value stage = ptx.offset(ptx.offset(memory, tile.pipelineOffset()),
                             getStage(at.stage));
    copies.createHaloTiles(origin, {channel, stage, full}, kernel.arguments[0]);
    return pipeline.getNext(at).carried();
  };
  scheduler.createLoop(pipeline.getStart().carried(), [&](TileOrigin origin,
                                                          ValueRange carried) {
    return ptx.createFor(
        math.constant(0), math.constant(tile.channels), Tile::kRowElements,
        carried, [&](Value channel, ValueRange values) {
          return copySlice(origin, channel, PipelineState::get(values));
        });
  });
}

void WeightStationaryBody::loadFilter(Value consumer, Value workItem) {
  const IndexMath &math = ptx.math;
  constexpr int64_t kVectors = ::conv::WeightStationaryTile::kVectorsPerRow;
  FilterOrder order{
      .vectors = tile.filterRows * kVectors,
      .run = Tile::kAccess,
      .getElement = [&](Value vector, Value i) {
        Value row = math.div(vector, kVectors);
        Value channel = math.add(
            math.mul(math.div(row, tile.taps), Tile::kRowElements),
            math.add(math.mul(math.rem(vector, kVectors), Tile::kAccess), i));
        Value number = math.add(
            math.mul(math.rem(row, tile.taps), tile.channels), channel);
        return ReductionElement{number, math.below(channel, tile.channels)};
      }};
  createFilter(kernel, ptx, tile, order, consumer, workItem, memory);
}

WeightStationaryBody::State
WeightStationaryBody::createSlice(const WgmmaUnit &matrix, const State &state,
                                  Value slice, bool isFirst) const {
  const IndexMath &math = ptx.math;
  Value left = getStage(state.next.stage);
  Value firstRow = math.mul(slice, tile.taps);
  auto createTap = [&](ValueRange sums, Value tap, bool writes) {
    return matrix.createStep(
        sums,
        {math.add(left, createTapBytes(math, geometry.product, tap)),
         math.mul(math.add(firstRow, tap), tile.tile.rightBytes())},
        writes);
  };
  pipeline.wait(state.next);
  SmallVector<Value> sums =
      createTap(state.sums, math.constant(0), /*writes=*/isFirst);
  sums = ptx.createFor(math.constant(1), math.constant(tile.taps), 1, sums,
                       [&](Value tap, ValueRange carried) {
                         return createTap(carried, tap, /*writes=*/false);
                       });
  return {sums, pipeline.getNext(state.next)};
}

void WeightStationaryBody::createConsumer(Value consumer, Value workItem) {
  const IndexMath &math = ptx.math;
  loadFilter(consumer, workItem);
  WgmmaUnit matrix(
      ptx, tile.tile, geometry.product, kernel.form.getOperandType(),
      {ptx.offset(memory, tile.pipelineOffset()), memory}, consumer);
  Value staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                             math.mul(consumer, tile.tile.stagingBytes()));
  WarpgroupEpilogue epilogue(kernel, ptx, tile.tile, geometry.result, consumer,
                             workItem, staging);
  Value isReleasing = ptx.equal(math.rem(workItem, kWarpSize), 0);
  auto createSliceAndRelease = [&](const State &state, Value slice,
                                   bool isFirst) {
    State next = createSlice(matrix, state, slice, isFirst);
    matrix.wait(0);
    ptx.createIf(isReleasing, [&] { pipeline.release(state.next.stage); });
    return next;
  };
  scheduler.createLoop(pipeline.getStart().carried(), [&](TileOrigin origin,
                                                          ValueRange carried) {
    WarpgroupEpilogue::Loaded loaded = epilogue.load(origin);
    State state = createSliceAndRelease(
        {matrix.createUndefined(), PipelineState::get(carried)},
        math.constant(0), /*isFirst=*/true);
    state = State::get(
        ptx.createFor(math.constant(1), math.constant(tile.countSlices()), 1,
                      state.carried(), [&](Value slice, ValueRange values) {
                        return createSliceAndRelease(State::get(values), slice,
                                                     /*isFirst=*/false)
                            .carried();
                      }));
    epilogue.create(origin, matrix.finish(state.sums), std::move(loaded));
    return state.next.carried();
  });
  WarpgroupEpilogue::finish(ptx, workItem);
}

void WeightStationaryBody::create() {
  ptx.createIf(ptx.equal(workItem, 0), [&] {
    ptx.prefetchMap(kernel.arguments[0]);
    pipeline.initialize(1, tile.tile.consumerWarps());
  });
  gpu::BarrierOp::create(kernel.b);
  createRoles(
      ptx, tile.tile, workItem, [&] { createProducer(); },
      [&](Value consumer, Value workItem) {
        createConsumer(consumer, workItem);
      });
}

BuiltKernel mlir::conv::buildWeightStationaryKernel(
    const PtxBuilder &ptx, const KernelSubproblem &subproblem,
    const WeightStationaryGeometry &geometry, const ::conv::ChipInfo &chip,
    StringRef name) {
  ::conv::WeightStationaryTile tile =
      getWeightStationaryTile(subproblem.form.schedule, geometry);
  std::unique_ptr<TmaCopies> copies =
      createTmaCopies(ptx, geometry.product, tile.tile);
  MLIRContext *context = ptx.b.getContext();
  return buildBufferKernel(
      ptx, subproblem, chip, name,
      {tile.tile, tile.sharedBytes(), copies->createLeftMap(context),
       createResultMap(context, geometry.result, tile.tile)},
      [&](const Kernel &kernel, int64_t workgroups, Value memory) {
        WeightStationaryBody(kernel, ptx, tile, geometry, *copies, workgroups,
                             memory)
            .create();
      });
}
