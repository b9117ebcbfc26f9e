//===- WarpgroupKernel.cpp - warp-specialised kernels ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warpgroup 0 copies, by one lane that starts copies of boxes or by all of its
// lanes, and the others multiply. The roles branch once, after the
// barriers are initialised, and then iterate over the same tiles independently:
// all tiles of one subproblem, then without a pause all tiles of the next one.
// The workgroups of a cluster compute each tile together. If an operand of the
// epilogue is copied, idle lanes of warpgroup 0 load it, and store the result
// that overwrites it.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupKernel.h"

#include "../Parts/DependentLaunch.h"
#include "../Parts/Warpgroup/ClusterSums.h"
#include "../Parts/Warpgroup/EpilogueChunks.h"
#include "../Parts/Warpgroup/GatherCopies.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "RegisterCopies.h"
#include "RightConverter.h"
#include "WarpgroupProducer.h"
#include "WarpgroupRoles.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Builds the body of a kernel: each role iterates over all subproblems' tiles.
class WarpgroupBody {
public:
  WarpgroupBody(const WarpgroupRoles &roles,
                ArrayRef<WarpgroupSubproblem> subproblems)
      : roles(roles), subproblems(subproblems), ptx(roles.ptx),
        tile(roles.tile) {}

  void create();

private:
  void createProducer();
  void createGatheringProducer(Value lane);
  void createLoadingProducer(Value lane);
  void createEpilogueWarp(Value consumer);
  void createConverter(Value lane);
  /// The subproblems with a product.
  ArrayRef<WarpgroupSubproblem> getProducts() const {
    return subproblems.take_while([](const WarpgroupSubproblem &subproblem) {
      return subproblem.geometry.has_value();
    });
  }

  const WarpgroupRoles &roles;
  ArrayRef<WarpgroupSubproblem> subproblems;
  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
};
} // namespace

void WarpgroupBody::createProducer() {
  const ::conv::KeptTile &kept = roles.kept;
  LoopPosition position = roles.pipelines.getStart();
  for (const WarpgroupSubproblem &subproblem : getProducts()) {
    WarpgroupLoop loop = roles.getLoop(subproblem);
    SmallVector<Value> arguments = roles.getArguments(subproblem);
    // With a kept operand, the last carried value says if a tile is the first.
    SmallVector<Value> initial = position.carried();
    size_t carriedByLoop = initial.size();
    if (kept.keeps())
      initial.push_back(ptx.math.yes());
    SmallVector<Value> last =
        roles.getScheduler(subproblem)
            .createLoop(initial, [&](TileOrigin origin, ValueRange carried) {
              Value isFirst = kept.keeps() ? carried.back() : Value();
              SmallVector<Value> next =
                  loop.createProducer(
                          *subproblem.copies, origin, arguments[0],
                          arguments[1], isFirst,
                          LoopPosition::get(carried.take_front(carriedByLoop)))
                      .carried();
              if (isFirst)
                next.push_back(
                    arith::ConstantOp::create(ptx.b, ptx.b.getBoolAttr(false)));
              return next;
            });
    position = LoopPosition::get(ValueRange(last).take_front(carriedByLoop));
  }
}

void WarpgroupBody::createGatheringProducer(Value lane) {
  LoopPosition position = roles.pipelines.getStart();
  for (const WarpgroupSubproblem &subproblem : getProducts()) {
    WarpgroupLoop loop = roles.getLoop(subproblem);
    SmallVector<Value> arguments = roles.getArguments(subproblem);
    ::conv::Gather gather = *computeGather(getViewed(*subproblem.form));
    int64_t sectorBytes = roles.chip.sectorBytes;
    GatherCopies left(ptx, subproblem.form->lhs, gather.left, sectorBytes,
                      arguments[0], tile.rows, lane);
    GatherCopies right(ptx, subproblem.form->rhs, gather.right, sectorBytes,
                       arguments[1], tile.columns, lane);
    position = LoopPosition::get(
        roles.getScheduler(subproblem)
            .createLoop(
                position.carried(), [&](TileOrigin origin, ValueRange carried) {
                  GatherCopies::Rows rows =
                      left.createRows(origin.batch, origin.row);
                  GatherCopies::Rows columns =
                      right.createRows(origin.batch, origin.column);
                  auto copy = [&](Value k, Value stage) {
                    left.createStep(rows, k, stage);
                    right.createStep(columns, k,
                                     ptx.offset(stage, tile.rightOffset()));
                  };
                  return loop
                      .createGatheringProducer(copy, LoopPosition::get(carried))
                      .carried();
                }));
  }
}

void WarpgroupBody::createLoadingProducer(Value lane) {
  using Copies = RegisterCopies;
  LoopPosition position = roles.pipelines.getStart();
  for (const WarpgroupSubproblem &subproblem : getProducts()) {
    const TiledConvolution &form = *subproblem.form;
    WarpgroupLoop loop = roles.getLoop(subproblem);
    SmallVector<Value> arguments = roles.getArguments(subproblem);
    std::string obstacle;
    auto loaded = *computeLoadedOperands(getViewed(form), obstacle);
    // Consumers split left elements themselves.
    int64_t rounded = form.lhs.getElementType().isF32() ? 1 : 0;
    Copies::Form leftForm{tile.isConverted() ? 0 : rounded, 0};
    Copies::Form rightForm{tile.isConverted() ? tile.convertedParts : rounded,
                           tile.convertedPartBytes()};
    Copies left(ptx, form.lhs, loaded.left, arguments[0], tile.rows, leftForm,
                lane);
    Copies right(ptx, form.rhs, loaded.right, arguments[1], tile.columns,
                 rightForm, lane);
    auto createTile = [&](TileOrigin origin, ValueRange carried) {
      Copies::Rows rows = left.createRows(origin.batch, origin.row);
      Copies::Rows columns = right.createRows(origin.batch, origin.column);
      auto load = [&](Value k, const WarpgroupLoop::Places &places,
                      function_ref<void()> waitForEmpty) {
        createLoadedTiles(
            ptx, {{left, rows, places.left}, {right, columns, places.right}}, k,
            waitForEmpty);
      };
      return loop.createLoadingProducer(load, LoopPosition::get(carried))
          .carried();
    };
    position =
        LoopPosition::get(roles.getScheduler(subproblem)
                              .createLoop(position.carried(), createTile));
  }
}

void WarpgroupBody::createEpilogueWarp(Value consumer) {
  EpilogueChunks chunks(ptx, tile, roles.rest, consumer);
  Value phase = EpilogueChunks::getFirstPhase(ptx);
  for (const WarpgroupSubproblem &subproblem : subproblems) {
    SmallVector<Value> arguments = roles.getArguments(subproblem);
    Value operand = arguments[subproblem.getEpilogueArgument()];
    phase = chunks.createEpilogueWarp(
        roles.getScheduler(subproblem),
        {subproblem.result, operand, arguments.back()}, phase);
  }
}

void WarpgroupBody::createConverter(Value lane) {
  ArrayRef<WarpgroupSubproblem> products = getProducts();
  RightConverter converter(ptx, *products.front().geometry, tile,
                           roles.pipelines, roles.memory, lane);
  roles.getScheduler(products).createLoop(
      roles.pipelines.getStart().carried(),
      [&](const SubproblemTile &origin, ValueRange carried) {
        Value steps = roles.countRuns(products, origin.subproblem).steps;
        return converter.create(steps, LoopPosition::get(carried)).carried();
      });
}

void WarpgroupBody::create() {
  Value workItem = ptx.math.cast(
      gpu::ThreadIdOp::create(ptx.b, gpu::Dimension::x).getResult());
  ptx.createIf(ptx.equal(workItem, 0), [&] {
    gpu::GPUFuncOp function = roles.function;
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(),
                              TensorMapAttr::kArgumentName))
        ptx.prefetchMap(argument);
    roles.pipelines.initialize(tile.consumerWarps());
    if (tile.cluster > 1)
      ClusterSums::initialize(ptx, tile, roles.memory);
    if (tile.isEpilogueCopied)
      EpilogueChunks::initialize(ptx, tile, roles.rest);
  });
  gpu::BarrierOp::create(ptx.b);
  // Everything up to here overlaps with the end of the previous kernel.
  waitForKernels(ptx.b, subproblems.front().form->launch);
  auto epilogueWarp = [&](Value consumer) { createEpilogueWarp(consumer); };
  auto converter = [&](Value lane) { createConverter(lane); };
  auto consumer = [&](Value consumer, Value workItem) {
    createConsumer(roles, subproblems, consumer, workItem);
  };
  if (tile.isGathered())
    return createGatherRoles(
        ptx, tile, workItem,
        [&] {
          tile.isLoaded() ? createLoadingProducer(workItem)
                          : createGatheringProducer(workItem);
        },
        consumer);
  createRoles(
      ptx, tile, workItem, [&] { createProducer(); }, consumer,
      tile.isEpilogueCopied ? function_ref<void(Value)>(epilogueWarp) : nullptr,
      tile.isConverted() ? function_ref<void(Value)>(converter) : nullptr);
}

/// The number of clusters or single workgroups that compute all tiles. Sums of
/// a cluster overwrite the operands, so it computes only one tile.
static int64_t countClusters(const ::conv::KeptTile &kept, int64_t tiles,
                             const ::conv::ChipInfo &chip) {
  return kept.tile.cluster > 1 ? tiles
                               : kept.countWorkgroups(tiles, chip.computeUnits);
}

/// Whether units have few tiles with many steps each.
static bool hasLongTiles(ArrayRef<WarpgroupSubproblem> subproblems,
                         int64_t tiles, const ::conv::ChipInfo &chip) {
  const ::conv::WarpgroupCalibration &fit = chip.calibration->warpgroup;
  int64_t steps = 0;
  for (const WarpgroupSubproblem &subproblem : subproblems)
    if (subproblem.geometry && !subproblem.geometry->reducesPositions)
      steps = std::max(steps, subproblem.geometry->countSteps());
  return steps >= fit.longSteps && 2 * tiles > chip.computeUnits &&
         tiles <= fit.fewTilesOfUnit * chip.computeUnits;
}

FailureOr<NextKernel>
mlir::conv::selectNextOfTma(ArrayRef<TiledConvolution> forms,
                            const ::conv::ChipInfo &chip) {
  const TiledConvolution &first = forms.front();
  SmallVector<WarpgroupSubproblem, 0> subproblems;
  int64_t tiles = 0;
  for (const TiledConvolution &form : forms) {
    FailureOr<WarpgroupSubproblem> subproblem =
        analyzeWarpgroupSubproblem(scf::ForallOp(form.forall).getLoc(), form);
    if (failed(subproblem))
      return failure();
    subproblems.push_back(std::move(*subproblem));
    tiles += TileRaster(form).countTiles();
  }
  ::conv::KeptTile kept = selectWarpgroupTile(first, subproblems, chip);
  int64_t cluster = kept.tile.cluster;
  if (cluster == 1 && hasLongTiles(subproblems, tiles, chip))
    return NextKernel::AtEnd;
  return selectNextOfProduct(first.schedule, chip,
                             countClusters(kept, tiles, chip) * cluster);
}

FailureOr<BuiltKernel>
mlir::conv::buildWarpgroupGemm(OpBuilder &builder,
                               ArrayRef<KernelSubproblem> all,
                               const ::conv::ChipInfo &chip, StringRef name) {
  // Tiles with a product take longer, so they come first.
  SmallVector<KernelSubproblem, 0> subproblems;
  for (bool hasProduct : {true, false})
    for (const KernelSubproblem &subproblem : all)
      if (subproblem.form.hasProduct() == hasProduct)
        subproblems.push_back(subproblem);
  const TiledConvolution &first = subproblems.front().form;
  ImplicitLocOpBuilder b(scf::ForallOp(first.forall).getLoc(), builder);
  PtxBuilder ptx(b);
  SmallVector<WarpgroupSubproblem, 0> analyzed;
  for (const KernelSubproblem &subproblem : subproblems) {
    FailureOr<WarpgroupSubproblem> found =
        analyzeWarpgroupSubproblem(b.getLoc(), subproblem.form);
    if (failed(found))
      return failure();
    analyzed.push_back(std::move(*found));
  }
  ::conv::KeptTile kept = selectWarpgroupTile(first, analyzed, chip);
  const ::conv::WarpgroupTile &tile = kept.tile;
  BuiltKernel built{};
  built.workItems = tile.workItems();
  built.dynamicSharedBytes = reserveComputeUnit(chip, kept.sharedBytes());
  int64_t tiles = 0;
  for (auto [subproblem, source] : llvm::zip(analyzed, subproblems)) {
    const auto &[form, buffers] = source;
    // Copies keep a reference to the geometry, which no longer moves.
    if (subproblem.geometry && !tile.isGathered())
      subproblem.copies = createTmaCopies(ptx, *subproblem.geometry, tile);
    addTmaArguments(subproblem, buffers, tile, built.arguments);
    subproblem.firstTile = tiles;
    tiles += TileRaster(form).countTiles();
  }
  built.cluster = tile.cluster;
  int64_t clusters = countClusters(kept, tiles, chip);
  built.workgroups = clusters * tile.cluster;
  built.function =
      createWarpgroupFunction(builder, b.getLoc(), name, built.arguments, tile);

  b.setInsertionPointToStart(&built.function.getBody().front());
  Value memory = createSharedMemory(
      b, built.function->getParentOfType<gpu::GPUModuleOp>());
  WarpgroupRoles roles(ptx, built.function, chip, kept, clusters, memory);
  WarpgroupBody(roles, analyzed).create();
  gpu::ReturnOp::create(b);
  return std::move(built);
}
