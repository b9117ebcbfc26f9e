//===- LineKernel.cpp - one tiled convolution to a kernel of line buffers -*-
// C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer copies the lines that a tile of positions sees, which are one
// piece of memory. Consumers load fragments from them and multiply these with
// the filter, which stays: a tile is one step.
//
//===----------------------------------------------------------------------===//

#include "LineKernel.h"

#include "LineCopy.h"
#include "LineFilter.h"
#include "LineFragments.h"
#include "LineGradientBody.h"
#include "MbarrierRing.h"
#include "PersistentScheduler.h"
#include "TensorMaps.h"
#include "TmaEpilogue.h"
#include "Warpgroups.h"
#include "WgmmaFragmentUnit.h"

#include "conv/Dialect/Conv/IR/LineGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

static constexpr int64_t kWarpSize = 32;

namespace {
/// Builds the body of one kernel.
class LineBody {
public:
  LineBody(const Kernel &kernel, const PtxBuilder &ptx,
           const ::conv::LineTile &tile, bool isResultCopied, Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), isResultCopied(isResultCopied),
        memory(memory), workItem(ptx.math.cast(kernel.workItem)),
        ring(ptx, ptx.offset(memory, tile.barrierOffset()), tile.tile.stages),
        scheduler(ptx, kernel.form, kernel.chip),
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
  bool isResultCopied;
  Value memory, workItem;
  MbarrierRing ring;
  PersistentScheduler scheduler;
  LineFragments fragments;
};
} // namespace

Value LineBody::getStage(Value stage) const {
  return ptx.offset(ptx.offset(memory, tile.ringOffset()),
                    ptx.math.mul(stage, tile.stageBytes()));
}

void LineBody::createProducer() {
  Value images = AddressOp::create(
      ptx.b, LLVM::LLVMPointerType::get(ptx.b.getContext(), 1),
      kernel.arguments[0]);
  scheduler.createLoop(
      ring.getStart().carried(), [&](TileOrigin origin, ValueRange carried) {
        RingPosition position = RingPosition::get(carried);
        LineCopy copy(ptx, tile.window, fragments.createFirstLine(origin.row),
                      tile.window.countLines(tile.tile.rows));
        Value full = ring.acquire(position, copy.getBytes());
        copy.create(images, getStage(position.stage), full);
        return ring.getNext(position).carried();
      });
}

/// The sums of this consumer's atoms, all of which are under way. Fragments of
/// `gemm_k` elements are loaded at a time, while those before are multiplied.
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
  WgmmaFragmentUnit matrix(ptx, tile.tile, kernel.form.getOperandType(),
                           memory);
  Value staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                             math.mul(consumer, tile.tile.stagingBytes()));
  TmaEpilogue epilogue(kernel, ptx, tile.tile, isResultCopied, consumer,
                       workItem, staging);
  Value isReleasing = ptx.equal(math.rem(workItem, kWarpSize), 0);
  scheduler.createLoop(ring.getStart().carried(), [&](TileOrigin origin,
                                                      ValueRange carried) {
    RingPosition position = RingPosition::get(carried);
    ring.wait(position);
    Value row = math.add(
        origin.row, math.mul(consumer, tile.tile.rows / tile.tile.consumers));
    SmallVector<Value> sums =
        createSums(matrix, row, fragments.createFirstLine(origin.row),
                   getStage(position.stage));
    // Products were started by the whole warp: all its loads are done.
    ptx.createIf(isReleasing, [&] { ring.release(position.stage); });
    epilogue.create(matrix, origin, matrix.finish(sums));
    return ring.getNext(position).carried();
  });
  epilogue.finish();
}

void LineBody::create() {
  ptx.createIf(ptx.equal(workItem, 0),
               [&] { ring.initialize(1, tile.tile.consumerWarps()); });
  createLineFilter(kernel, ptx, tile, memory);
  gpu::BarrierOp::create(kernel.b);
  createRoles(
      ptx, tile.tile, workItem, [&] { createProducer(); },
      [&](Value consumer, Value workItem) {
        createConsumer(consumer, workItem);
      });
}

/// The tensor map that each argument is passed as; null for addresses.
static SmallVector<TensorMapAttr> createTensorMaps(MLIRContext *context,
                                                   const TmaGeometry &product,
                                                   const ::conv::TmaTile &tile,
                                                   size_t numArguments) {
  SmallVector<TensorMapAttr> maps(numArguments);
  if (product.reducesPositions)
    maps.front() = createPositionsMap(context, product);
  else if (product.isResultCopied)
    maps.back() = createResultMap(context, product, tile);
  return maps;
}

FailureOr<BuiltKernel>
mlir::conv::buildLineKernel(OpBuilder &builder, const TiledConvolution &form,
                            const ::conv::ChipInfo &chip, StringRef name,
                            ArrayRef<Type> argumentTypes) {
  Location loc = scf::ForallOp(form.forall).getLoc();
  std::string obstacle;
  std::optional<LineGeometry> geometry =
      computeLineGeometry(getViewed(form.lhs), getViewed(form.rhs),
                          getViewed(form.result), obstacle);
  if (geometry)
    obstacle = checkLines(*geometry, form.schedule, chip);
  if (!obstacle.empty())
    return emitError(loc) << obstacle;
  const TmaGeometry &product = geometry->product;
  ::conv::LineTile tile = getLineTile(form.schedule, *geometry);
  ::conv::LineGradientTile gradient =
      getLineGradientTile(form.schedule, *geometry);
  const ::conv::TmaTile &sizes =
      product.reducesPositions ? gradient.tile : tile.tile;

  SmallVector<TensorMapAttr> maps = createTensorMaps(
      builder.getContext(), product, sizes, argumentTypes.size());
  gpu::GPUFuncOp function =
      createWarpgroupFunction(builder, loc, name, argumentTypes, maps, sizes);
  ImplicitLocOpBuilder b(loc, builder);
  b.setInsertionPointToStart(&function.getBody().front());
  PtxBuilder ptx(b);
  Kernel kernel = createWarpgroupKernel(b, form, chip, function, sizes);
  Value memory =
      createSharedMemory(b, function->getParentOfType<gpu::GPUModuleOp>());
  if (product.reducesPositions)
    createLineGradientBody(kernel, ptx, gradient, product, memory);
  else
    LineBody(kernel, ptx, tile, product.isResultCopied, memory).create();
  gpu::ReturnOp::create(b);
  int64_t sharedBytes =
      product.reducesPositions ? gradient.sharedBytes() : tile.sharedBytes();
  return BuiltKernel{function, PersistentScheduler::getGridSize(form, chip),
                     sizes.workItems(), sharedBytes, std::move(maps)};
}
