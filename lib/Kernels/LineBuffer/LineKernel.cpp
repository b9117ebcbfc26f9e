//===- LineKernel.cpp - kernels of line buffers ---------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer copies the image lines that a tile of positions sees, which are
// contiguous in memory. Consumers load fragments from the lines and multiply
// them with the filter, which stays in shared memory: a tile is a single step.
//
//===----------------------------------------------------------------------===//

#include "LineKernel.h"

#include "../Parts/Warpgroup/BufferKernel.h"
#include "../Parts/Warpgroup/MbarrierPipeline.h"
#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "../Parts/Warpgroup/WarpgroupEpilogue.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "../Parts/Warpgroup/WgmmaFragmentUnit.h"
#include "LineCopy.h"
#include "LineFragments.h"
#include "LineGradientBody.h"
#include "LineOrder.h"

#include "conv/Kernels/LineBuffer/LineGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

namespace {
/// Builds the body of one kernel.
class LineBody {
public:
  LineBody(const Kernel &kernel, const PtxBuilder &ptx,
           const ::conv::LineTile &tile, const TmaResult &result,
           int64_t workgroups, Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), result(result), memory(memory),
        workItem(ptx.math.cast(kernel.workItem)),
        pipeline(ptx, ptx.offset(memory, tile.barrierOffset()),
                 tile.tile.stages),
        scheduler(ptx, kernel.form, /*first=*/0, workgroups),
        fragments(ptx, tile.window,
                  ptx.math.rem(workItem, Tile::kWarpgroupSize)) {}

  void create();

private:
  void createProducer();
  void createConsumer(Value consumer, Value workItem);
  SmallVector<Value> createSums(const WgmmaFragmentUnit &matrix, Value row,
                                Value firstLine, Value lines) const;
  Value getStage(Value stage) const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::LineTile &tile;
  const TmaResult &result;
  Value memory, workItem;
  MbarrierPipeline pipeline;
  PersistentScheduler scheduler;
  LineFragments fragments;
};
} // namespace

Value LineBody::getStage(Value stage) const {
  return ptx.offset(ptx.offset(memory, tile.pipelineOffset()),
                    ptx.math.mul(stage, tile.stageBytes));
}

void LineBody::createProducer() {
  Value images = ptx.getAddress(kernel.arguments[0]);
  scheduler.createLoop(pipeline.getStart().carried(), [&](TileOrigin origin,
                                                          ValueRange carried) {
    PipelineState position = PipelineState::get(carried);
    LineCopy copy(ptx, tile.window, fragments.createFirstLine(origin.row),
                  tile.window.countLines(tile.tile.rows));
    pipeline.waitForEmpty(position);
    copy.createTail(images, getStage(position.stage));
    pipeline.announce(position.stage, copy.getBytes());
    Value full = pipeline.getFull(position.stage);
    copy.create(images, getStage(position.stage), full);
    return pipeline.getNext(position).carried();
  });
}

/// The sums of this consumer's atoms, all of which are in flight. Fragments of
/// `gemm_k` elements are loaded at a time while earlier ones are multiplied.
SmallVector<Value> LineBody::createSums(const WgmmaFragmentUnit &matrix,
                                        Value row, Value firstLine,
                                        Value lines) const {
  int64_t steps =
      tile.window.countGroups() / ::conv::LineWindow::kGroupsPerAtom;
  int64_t stepsAtOnce = kernel.gemmK() / kernel.form.schedule.getAtom().getK();
  SmallVector<Value> sums = matrix.createUndefined();
  for (auto [atom, sum] : llvm::enumerate(sums)) {
    SmallVector<LineFragments::Row> rows = fragments.createRows(
        ptx.math.add(row, int64_t(atom) * Tile::kAtomRows), firstLine, lines);
    for (int64_t first = 0; first < steps; first += stepsAtOnce) {
      int64_t last = std::min(first + stepsAtOnce, steps);
      SmallVector<SmallVector<Value>> loaded;
      for (int64_t step = first; step < last; ++step)
        loaded.push_back(fragments.load(rows, step));
      matrix.begin();
      for (int64_t step = first; step < last; ++step)
        sum = matrix.createProduct(sum, loaded[step - first], step);
      matrix.commit();
    }
  }
  return sums;
}

void LineBody::createConsumer(Value consumer, Value workItem) {
  const IndexMath &math = ptx.math;
  createFilter(kernel, ptx, tile, getLineOrder(ptx, tile.window), consumer,
               workItem, memory);
  WgmmaFragmentUnit matrix(ptx, tile.tile, kernel.form.getOperandType(),
                           memory);
  Value staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                             math.mul(consumer, tile.tile.stagingBytes()));
  WarpgroupEpilogue epilogue(kernel, ptx, tile.tile, result, consumer, workItem,
                             staging);
  Value isReleasing = ptx.equal(math.rem(workItem, kWarpSize), 0);
  scheduler.createLoop(pipeline.getStart().carried(), [&](TileOrigin origin,
                                                          ValueRange carried) {
    PipelineState position = PipelineState::get(carried);
    WarpgroupEpilogue::Loaded loaded = epilogue.load(origin);
    pipeline.wait(position);
    Value row = math.add(
        origin.row, math.mul(consumer, tile.tile.rows / tile.tile.consumers));
    SmallVector<Value> sums =
        createSums(matrix, row, fragments.createFirstLine(origin.row),
                   getStage(position.stage));
    // The whole warp has started its products, so all of its loads are done.
    ptx.createIf(isReleasing, [&] { pipeline.release(position.stage); });
    epilogue.create(origin, matrix.finish(sums), std::move(loaded));
    return pipeline.getNext(position).carried();
  });
  WarpgroupEpilogue::finish(ptx, workItem);
}

void LineBody::create() {
  ptx.createIf(ptx.equal(workItem, 0),
               [&] { pipeline.initialize(1, tile.tile.consumerWarps()); });
  gpu::BarrierOp::create(kernel.b);
  createRoles(
      ptx, tile.tile, workItem, [&] { createProducer(); },
      [&](Value consumer, Value workItem) {
        createConsumer(consumer, workItem);
      });
}

BuiltKernel mlir::conv::buildLineKernel(const PtxBuilder &ptx,
                                        const KernelSubproblem &subproblem,
                                        const LineGeometry &geometry,
                                        const ::conv::ChipInfo &chip,
                                        StringRef name) {
  const TiledConvolution &form = subproblem.form;
  MLIRContext *context = ptx.b.getContext();
  const TmaGeometry &product = geometry.product;
  const TmaResult &result = geometry.result;
  if (product.reducesPositions) {
    ::conv::LineGradientTile tile =
        getLineGradientTile(form.schedule, geometry);
    return buildBufferKernel(
        ptx, subproblem, chip, name,
        {tile.tile, tile.sharedBytes(),
         createPositionsMap(context, product, {}), TensorMapAttr()},
        [&](const Kernel &kernel, int64_t workgroups, Value memory) {
          createLineGradientBody(kernel, ptx, tile, product, workgroups,
                                 memory);
        });
  }
  ::conv::LineTile tile = getLineTile(form.schedule, geometry);
  return buildBufferKernel(
      ptx, subproblem, chip, name,
      {tile.tile, tile.sharedBytes(), TensorMapAttr(),
       createResultMap(context, result, tile.tile)},
      [&](const Kernel &kernel, int64_t workgroups, Value memory) {
        LineBody(kernel, ptx, tile, result, workgroups, memory).create();
      });
}
