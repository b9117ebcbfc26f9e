//===- LineGradientBody.cpp - gradients from image lines --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage has three states: "copied" once the producer has filled it,
// "gathered" once it has the windows of its positions, and "empty" once it is
// multiplied. Each im2col warpgroup takes every second step, so one writes
// windows while the other one waits for lines.
//
//===----------------------------------------------------------------------===//

#include "LineGradientBody.h"

#include "../Parts/Warpgroup/FragmentTile.h"
#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/TmaPositions.h"
#include "../Parts/Warpgroup/WarpgroupEpilogue.h"
#include "../Parts/Warpgroup/WarpgroupLoop.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "LineCopy.h"
#include "LineFragments.h"
#include "LineOrder.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;
using Window = ::conv::LineWindow;

/// Bytes of the 64 rows that a transposed tile has for each 64 columns.
static constexpr int64_t kBoxBytes = Tile::kRowElements * Tile::kRowBytes;
/// Fragments that are loaded before the first one is stored. No load moves
/// above a store, so each such batch pays the latency of shared memory once.
static constexpr int64_t kFragmentsAtOnce = 6;

namespace {
class LineGradientBody {
public:
  LineGradientBody(const Kernel &kernel, const PtxBuilder &ptx,
                   const ::conv::LineGradientTile &tile,
                   const TmaGeometry &geometry, int64_t workgroups,
                   Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), geometry(geometry),
        memory(memory), workItem(ptx.math.cast(kernel.workItem)),
        fragments(ptx, tile.window,
                  ptx.math.rem(workItem, Tile::kWarpgroupSize)),
        copied(ptx, getBarriers(0), getBarriers(2), tile.tile.stages),
        gathered(ptx, getBarriers(1), getBarriers(2), tile.tile.stages),
        scheduler(ptx, kernel.form, /*first=*/0, workgroups) {}

  void create();

private:
  /// The barriers of all stages for one of the three states.
  Value getBarriers(int64_t meaning) const {
    return ptx.offset(memory, tile.barrierOffset() + meaning *
                                                         tile.tile.stages *
                                                         Tile::kBarrierBytes);
  }
  Value getTile(Value stage) const {
    return ptx.offset(memory, ptx.math.mul(stage, tile.tile.stageBytes()));
  }
  Value getLines(Value stage) const {
    return ptx.offset(ptx.offset(memory, tile.linesOffset()),
                      ptx.math.mul(stage, tile.linesBytes()));
  }

  /// The position of a tile's step in the reduction.
  struct Step {
    Value segment, inSegment;
    Value position; ///< First position, counted over all.
  };
  Step getStep(TileOrigin origin, Value step) const;

  void createProducer();
  void createCopies(TileOrigin origin, const Step &step, Value images,
                    PipelineState at) const;
  void createIm2colWarpgroup(Value im2colWarpgroup, Value workItem);
  void createWindows(const FragmentTile &windows, TileOrigin origin,
                     const Step &step, Value stage) const;
  /// Writes the windows of column tile `columnTile`.
  void createWindows(const FragmentTile &windows,
                     ArrayRef<LineFragments::Row> rows, Value right,
                     int64_t columnTile) const;
  void createConsumer(Value workItem);

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::LineGradientTile &tile;
  const TmaGeometry &geometry;
  Value memory, workItem;
  LineFragments fragments;
  MbarrierPipeline copied, gathered; ///< Both share "empty".
  PersistentScheduler scheduler;
};
} // namespace

LineGradientBody::Step LineGradientBody::getStep(TileOrigin origin,
                                                 Value step) const {
  const IndexMath &math = ptx.math;
  int64_t perSegment = geometry.getInnerLoop().count();
  Value segment =
      createSegment(math, geometry, math.div(step, perSegment), origin.batch);
  Value inSegment = math.mul(math.rem(step, perSegment), Tile::kRowElements);
  return {segment, inSegment,
          math.add(math.mul(segment, geometry.segmentPositions), inSegment)};
}

void LineGradientBody::createCopies(TileOrigin origin, const Step &step,
                                    Value images, PipelineState at) const {
  const IndexMath &math = ptx.math;
  LineCopy copy(ptx, tile.window, fragments.createFirstLine(step.position),
                tile.countLines());
  Value bytes = math.add(copy.getBytes(), tile.tile.leftBytes());
  copied.waitForEmpty(at);
  copy.createTail(images, getLines(at.stage));
  copied.announce(at.stage, bytes);
  Value full = copied.getFull(at.stage);
  for (int64_t i = 0; i < tile.tile.rows / Tile::kRowElements; ++i)
    ptx.loadBox(ptx.offset(getTile(at.stage), i * kBoxBytes),
                kernel.arguments[0], full,
                {math.add(origin.row, i * Tile::kRowElements), step.inSegment,
                 step.segment});
  copy.create(images, getLines(at.stage), full);
}

void LineGradientBody::createProducer() {
  const IndexMath &math = ptx.math;
  Value images = ptx.getAddress(kernel.arguments[1]);
  scheduler.createLoop(copied.getStart().carried(), [&](TileOrigin origin,
                                                        ValueRange carried) {
    return ptx.createFor(math.constant(0), math.constant(geometry.countSteps()),
                         1, carried, [&](Value step, ValueRange values) {
                           PipelineState at = PipelineState::get(values);
                           createCopies(origin, getStep(origin, step), images,
                                        at);
                           return copied.getNext(at).carried();
                         });
  });
}

/// Writes the windows of a step: a row of 64 elements for each position, then
/// the next 64 elements.
void LineGradientBody::createWindows(const FragmentTile &windows,
                                     TileOrigin origin, const Step &step,
                                     Value stage) const {
  Value right = ptx.offset(getTile(stage), tile.tile.leftBytes());
  SmallVector<LineFragments::Row> rows = fragments.createRows(
      step.position, fragments.createFirstLine(step.position), getLines(stage));
  int64_t tiles = tile.countColumnTiles();
  if (tiles == 1)
    return createWindows(windows, rows, right, 0);
  for (int64_t i = 0; i < tiles; ++i)
    ptx.createIf(ptx.equal(origin.column, i * tile.tile.columns),
                 [&] { createWindows(windows, rows, right, i); });
}

void LineGradientBody::createWindows(const FragmentTile &windows,
                                     ArrayRef<LineFragments::Row> rows,
                                     Value right, int64_t columnTile) const {
  constexpr int64_t kFragmentElements =
      Window::kGroupsPerAtom * Window::kGroupElements;
  int64_t before = columnTile * tile.tile.columns / kFragmentElements;
  int64_t count = tile.usedColumnsOf(columnTile) / kFragmentElements;
  for (int64_t first = 0; first < count; first += kFragmentsAtOnce) {
    int64_t last = std::min(first + kFragmentsAtOnce, count);
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t i = first; i < last; ++i)
      loaded.push_back(fragments.load(rows, before + i));
    for (int64_t i = first; i < last; ++i) {
      int64_t column = i * kFragmentElements;
      windows.store(ptx.offset(right, column / Tile::kRowElements * kBoxBytes),
                    column % Tile::kRowElements, loaded[i - first]);
    }
  }
}

void LineGradientBody::createIm2colWarpgroup(Value im2colWarpgroup,
                                             Value workItem) {
  const IndexMath &math = ptx.math;
  int64_t steps = geometry.countSteps();
  FragmentTile windows(ptx, workItem, Tile::kRowBytes);
  Value isFilling = ptx.equal(math.rem(workItem, kWarpSize), 0);
  // The carried value is the number of steps of all previous tiles.
  scheduler.createLoop(
      math.constant(0), [&](TileOrigin origin, ValueRange carried) {
        Value before = carried.front();
        ptx.createFor(
            im2colWarpgroup, math.constant(steps), tile.kIm2colWarpgroups, {},
            [&](Value step, ValueRange) {
              PipelineState at = copied.getPosition(math.add(before, step));
              copied.wait(at);
              createWindows(windows, origin, getStep(origin, step), at.stage);
              ptx.fenceSharedForCopies();
              ptx.synchronizeWarp();
              ptx.createIf(isFilling, [&] { gathered.fill(at.stage); });
              return SmallVector<Value>();
            });
        return SmallVector<Value>{math.add(before, steps)};
      });
}

void LineGradientBody::createConsumer(Value workItem) {
  Value consumer = ptx.math.constant(0);
  WgmmaUnit matrix(ptx, tile.tile, geometry, kernel.form.getOperandType(),
                   {ptx.offset(memory, tile.tile.leftOffset()),
                    ptx.offset(memory, tile.tile.rightOffset())},
                   consumer);
  auto getColumn = [&](Value column) -> WarpgroupEpilogue::Column {
    ReductionElement element = createLineElement(
        ptx, tile.window, ptx.math.div(column, Window::kGroupElements),
        ptx.math.rem(column, Window::kGroupElements));
    return {element.number, element.isUsed};
  };
  TmaResult stored{TmaResult::Form::Lanes,
                   kernel.form.getRows(),
                   kernel.form.getColumns(),
                   {}};
  WarpgroupEpilogue epilogue(kernel, ptx, tile.tile, stored, consumer, workItem,
                             /*staging=*/Value(), getColumn);
  WarpgroupPipelines pipelines(gathered);
  WarpgroupLoop loop(ptx, geometry, tile.tile, pipelines, memory);
  Value isReleasing = ptx.equal(ptx.math.rem(workItem, kWarpSize), 0);
  scheduler.createLoop(pipelines.getStart().carried(), [&](TileOrigin origin,
                                                           ValueRange carried) {
    WarpgroupEpilogue::Loaded loaded = epilogue.load(origin);
    WarpgroupLoop::Sums sums = loop.createConsumer(
        matrix, loop.countRuns(), isReleasing, LoopPosition::get(carried));
    epilogue.create(origin, sums.accumulators, std::move(loaded));
    return sums.position.carried();
  });
}

void LineGradientBody::create() {
  ptx.createIf(ptx.equal(workItem, 0), [&] {
    copied.initialize(1, tile.tile.consumerWarps());
    gathered.initializeFull(Tile::kWarps);
  });
  gpu::BarrierOp::create(kernel.b);
  createRoles(
      ptx, tile.tile, workItem, [&] { createProducer(); },
      [&](Value worker, Value workItem) {
        ptx.createIf(ptx.equal(worker, 0), [&] { createConsumer(workItem); });
        ptx.createIf(
            ptx.math.below(ptx.math.sub(worker, 1), tile.kIm2colWarpgroups),
            [&] { createIm2colWarpgroup(ptx.math.sub(worker, 1), workItem); });
      });
}

void mlir::conv::createLineGradientBody(const Kernel &kernel,
                                        const PtxBuilder &ptx,
                                        const ::conv::LineGradientTile &tile,
                                        const TmaGeometry &geometry,
                                        int64_t workgroups, Value memory) {
  LineGradientBody(kernel, ptx, tile, geometry, workgroups, memory).create();
}
