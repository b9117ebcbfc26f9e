//===- TmaKernel.cpp - one tiled convolution to a warp-specialised kernel -===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warpgroup 0 copies and the others multiply. They part once, right behind the
// initialisation of the barriers, and go over the same tiles on their own.
//
//===----------------------------------------------------------------------===//

#include "TmaKernel.h"

#include "PersistentScheduler.h"
#include "TensorMaps.h"
#include "TmaEpilogue.h"
#include "TmaLoop.h"
#include "Warpgroups.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kWarpSize = 32;

/// The tensor map that each argument is passed as; null for addresses.
static SmallVector<TensorMapAttr> createTensorMaps(MLIRContext *context,
                                                   const TmaCopies &copies,
                                                   const TmaGeometry &geometry,
                                                   const ::conv::TmaTile &tile,
                                                   size_t numArguments) {
  SmallVector<TensorMapAttr> maps(numArguments);
  maps[0] = copies.createLeftMap(context);
  maps[1] = copies.createRightMap(context);
  if (geometry.isResultCopied)
    maps.back() = createResultMap(context, geometry, tile);
  return maps;
}

namespace {
/// Builds the body of one kernel.
class TmaBody {
public:
  TmaBody(const Kernel &kernel, const PtxBuilder &ptx,
          const ::conv::TmaTile &tile, const TmaGeometry &geometry,
          const TmaCopies &copies, Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), geometry(geometry),
        memory(memory),
        ring(ptx, ptx.offset(memory, tile.barrierOffset()), tile.stages),
        scheduler(ptx, kernel.form, kernel.chip),
        loop(ptx, geometry, tile, copies, ring, memory) {}

  void create();

private:
  void createProducer();
  void createConsumer(Value consumer, Value workItem);

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  const TmaGeometry &geometry;
  Value memory;
  MbarrierRing ring;
  PersistentScheduler scheduler;
  TmaLoop loop;
};
} // namespace

void TmaBody::createProducer() {
  scheduler.createLoop(
      ring.getStart().carried(), [&](TileOrigin origin, ValueRange carried) {
        return loop
            .createProducer(origin, kernel.arguments[0], kernel.arguments[1],
                            RingPosition::get(carried))
            .carried();
      });
}

void TmaBody::createConsumer(Value consumer, Value workItem) {
  WgmmaUnit matrix(ptx, tile, geometry, kernel.form.getOperandType(), memory,
                   consumer);
  Value staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                             ptx.math.mul(consumer, tile.stagingBytes()));
  TmaEpilogue epilogue(kernel, ptx, tile, geometry.isResultCopied, consumer,
                       workItem, staging);
  Value isReleasing = ptx.equal(ptx.math.rem(workItem, kWarpSize), 0);
  scheduler.createLoop(ring.getStart().carried(), [&](TileOrigin origin,
                                                      ValueRange carried) {
    TmaLoop::Sums sums =
        loop.createConsumer(matrix, isReleasing, RingPosition::get(carried));
    epilogue.create(matrix, origin, sums.accumulators);
    return sums.position.carried();
  });
  epilogue.finish();
}

void TmaBody::create() {
  Value workItem = ptx.math.cast(kernel.workItem);
  ptx.createIf(ptx.equal(workItem, 0),
               [&] { ring.initialize(tile.consumerWarps()); });
  gpu::BarrierOp::create(kernel.b);
  createRoles(
      ptx, tile, workItem, [&] { createProducer(); },
      [&](Value consumer, Value workItem) {
        createConsumer(consumer, workItem);
      });
}

FailureOr<BuiltKernel>
mlir::conv::buildTmaKernel(OpBuilder &builder, const TiledConvolution &form,
                           const ::conv::ChipInfo &chip, StringRef name,
                           ArrayRef<Type> argumentTypes) {
  MLIRContext *context = builder.getContext();
  Location loc = scf::ForallOp(form.forall).getLoc();
  ::conv::TmaTile tile = getTmaTile(form.schedule);
  std::string obstacle;
  std::optional<TmaGeometry> geometry =
      computeTmaGeometry(form.lhs.getViewed(), form.rhs.getViewed(),
                         form.result.getViewed(), obstacle);
  if (geometry)
    obstacle = checkTmaTile(*geometry, tile);
  if (!obstacle.empty())
    return emitError(loc) << obstacle;

  ImplicitLocOpBuilder b(loc, builder);
  PtxBuilder ptx(b);
  std::unique_ptr<TmaCopies> copies = createTmaCopies(ptx, *geometry, tile);
  SmallVector<TensorMapAttr> maps =
      createTensorMaps(context, *copies, *geometry, tile, argumentTypes.size());
  gpu::GPUFuncOp function =
      createWarpgroupFunction(builder, loc, name, argumentTypes, maps, tile);

  b.setInsertionPointToStart(&function.getBody().front());
  Kernel kernel = createWarpgroupKernel(b, form, chip, function, tile);
  Value memory =
      createSharedMemory(b, function->getParentOfType<gpu::GPUModuleOp>());
  TmaBody(kernel, ptx, tile, *geometry, *copies, memory).create();
  gpu::ReturnOp::create(b);
  return BuiltKernel{function, PersistentScheduler::getGridSize(form, chip),
                     tile.workItems(), tile.sharedBytes(), std::move(maps)};
}
