//===- TmaKernel.cpp - warp-specialised kernels ---------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warpgroup 0 copies and the others multiply. The roles branch once, after the
// barriers are initialised, and then iterate over the same tiles independently:
// all tiles of one subproblem, then without a pause all tiles of the next one.
// The workgroups of a cluster compute each tile together. If an operand of the
// epilogue is copied, idle lanes of warpgroup 0 load it, and store the result
// that overwrites it.
//
//===----------------------------------------------------------------------===//

#include "TmaKernel.h"

#include "../Parts/Warpgroup/ClusterSums.h"
#include "../Parts/Warpgroup/EpilogueChunks.h"
#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "../Parts/Warpgroup/TmaEpilogue.h"
#include "../Parts/Warpgroup/TmaLoop.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "ConvertedLoop.h"
#include "RightConverter.h"
#include "TmaPart.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kWarpSize = 32;

namespace {
/// Builds the body of a kernel: each role iterates over all subproblems' tiles.
class TmaBody {
public:
  TmaBody(const PtxBuilder &ptx, ArrayRef<TmaPart> parts,
          gpu::GPUFuncOp function, const ::conv::ChipInfo &chip,
          const ::conv::KeptTile &kept, int64_t clusters, Value memory)
      : ptx(ptx), parts(parts), function(function), chip(chip), kept(kept),
        tile(kept.tile), share(tile.share()), clusters(clusters),
        memory(memory), rest(ptx.offset(memory, kept.shift())),
        pipelines(ptx, kept, memory) {}

  void create();

private:
  /// A consumer's pipeline states, and its phase of the chunks of the
  /// epilogue.
  struct ConsumerPosition {
    LoopPosition loop;
    Value phase; ///< Null without chunks.

    SmallVector<Value> carried() const;
  };
  ConsumerPosition getPosition(ValueRange carried) const;
  PersistentScheduler getScheduler(const TmaPart &part) const {
    // Tiles that share the kept operand are consecutive in the raster, so each
    // workgroup keeps the same one throughout.
    if (kept.keeps())
      return PersistentScheduler(
          ptx,
          TileRaster(*part.form,
                     kept.keepsLeft() ? Raster::Rows : Raster::Columns,
                     kept.groups),
          part.firstTile, clusters);
    bool areGroupsNeighbours =
        part.geometry && part.geometry->haveGroupsSharedLines();
    return PersistentScheduler(
        ptx, *part.form, part.firstTile, clusters, tile.cluster,
        areGroupsNeighbours ? part.geometry->window.groups : 1);
  }
  bool endsFirst() const;
  SmallVector<Value> getArguments(const TmaPart &part);
  void createProducer();
  void createEpilogueWarp(Value consumer);
  void createConverter(Value lane);
  void createConsumer(Value consumer, Value workItem);
  /// The origin of this workgroup's share of its cluster's tile.
  TileOrigin getShareOrigin(TileOrigin origin) const {
    origin.column =
        ptx.math.add(origin.column, ptx.math.mul(rank, share.columns));
    return origin;
  }
  /// Builds a consumer's loop over a subproblem. Returns its next position.
  ConsumerPosition createPart(const TmaPart &part, Value consumer,
                              Value workItem, ConsumerPosition position);

  const PtxBuilder &ptx;
  ArrayRef<TmaPart> parts;
  gpu::GPUFuncOp function;
  const ::conv::ChipInfo &chip;
  const ::conv::KeptTile &kept;
  const ::conv::TmaTile &tile;
  ::conv::TmaTile share; ///< The part of a tile that this workgroup stores.
  int64_t clusters;      ///< Number of clusters or single workgroups.
  Value memory;
  /// Base address of the offsets of everything after the stages.
  Value rest;
  Value rank; ///< In the cluster.
  TmaPipelines pipelines;
};
} // namespace

SmallVector<Value> TmaBody::ConsumerPosition::carried() const {
  SmallVector<Value> values = loop.carried();
  if (phase)
    values.push_back(phase);
  return values;
}

TmaBody::ConsumerPosition TmaBody::getPosition(ValueRange carried) const {
  if (!tile.isEpilogueCopied)
    return {LoopPosition::get(carried), Value()};
  return {LoopPosition::get(carried.drop_back()), carried.back()};
}

/// Whether the next kernel starts only when this one ends, although it need not
/// wait. If units have few tiles with many steps each, this made products on an
/// H200 up to 2.8 % faster, and none of 18 slower. Short kernels would lose
/// what an early start hides, up to 13 %.
bool TmaBody::endsFirst() const {
  constexpr int64_t kLongSteps = 16, kFewTiles = 3;
  int64_t tiles = 0, steps = 0;
  for (const TmaPart &part : parts) {
    tiles += TileRaster(*part.form).countTiles();
    if (part.geometry && !part.geometry->reducesPositions)
      steps = std::max(steps, part.geometry->countSteps());
  }
  return tile.cluster == 1 && steps >= kLongSteps &&
         2 * tiles > chip.computeUnits &&
         tiles <= kFewTiles * chip.computeUnits;
}

SmallVector<Value> TmaBody::getArguments(const TmaPart &part) {
  return llvm::map_to_vector(part.arguments, [&](size_t position) -> Value {
    return function.getArgument(position);
  });
}

void TmaBody::createProducer() {
  LoopPosition position = pipelines.getStart();
  for (const TmaPart &part : parts) {
    if (!part.geometry)
      continue;
    TmaLoop loop(ptx, *part.geometry, tile, pipelines, memory, rank);
    SmallVector<Value> arguments = getArguments(part);
    // With a kept operand, the last carried value says if a tile is the first.
    SmallVector<Value> initial = position.carried();
    size_t carriedByLoop = initial.size();
    if (kept.keeps())
      initial.push_back(ptx.math.yes());
    SmallVector<Value> last = getScheduler(part).createLoop(
        initial, [&](TileOrigin origin, ValueRange carried) {
          Value isFirst = kept.keeps() ? carried.back() : Value();
          SmallVector<Value> next =
              loop.createProducer(
                      *part.copies, origin, arguments[0], arguments[1], isFirst,
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

void TmaBody::createEpilogueWarp(Value consumer) {
  EpilogueChunks chunks(ptx, tile, rest, consumer);
  Value phase = EpilogueChunks::getFirstPhase(ptx);
  for (const TmaPart &part : parts) {
    SmallVector<Value> arguments = getArguments(part);
    Value operand = arguments[part.getEpilogueArgument()];
    phase = chunks.createEpilogueWarp(
        getScheduler(part), {part.result, operand, arguments.back()}, phase);
  }
}

void TmaBody::createConverter(Value lane) {
  LoopPosition position = pipelines.getStart();
  for (const TmaPart &part : parts) {
    if (!part.geometry)
      continue;
    TmaLoop loop(ptx, *part.geometry, tile, pipelines, memory, rank);
    RightConverter converter(ptx, *part.geometry, tile, pipelines, memory,
                             lane);
    position = LoopPosition::get(getScheduler(part).createLoop(
        position.carried(), [&](TileOrigin, ValueRange carried) {
          return converter.create(loop.countSteps(), LoopPosition::get(carried))
              .carried();
        }));
  }
}

TmaBody::ConsumerPosition TmaBody::createPart(const TmaPart &part,
                                              Value consumer, Value workItem,
                                              ConsumerPosition position) {
  Kernel kernel =
      createWarpgroupKernel(ptx.b, *part.form, chip, getArguments(part), tile);
  Value staging = ptx.offset(ptx.offset(rest, tile.stagingOffset()),
                             ptx.math.mul(consumer, tile.stagingBytes()));
  TmaEpilogue epilogue(kernel, ptx, share, part.result, consumer, workItem,
                       staging);
  std::optional<EpilogueChunks> chunks;
  if (tile.isEpilogueCopied)
    epilogue.replaceChunks(chunks.emplace(ptx, tile, rest, consumer),
                           *part.epilogueOperand);
  auto createTiles =
      [&](function_ref<LoopPosition(TileOrigin, ConsumerPosition)> body) {
        return getPosition(getScheduler(part).createLoop(
            position.carried(), [&](TileOrigin origin, ValueRange carried) {
              ConsumerPosition at = getPosition(carried);
              at.loop = body(getShareOrigin(origin), at);
              if (chunks)
                at.phase = EpilogueChunks::getNextPhase(ptx, at.phase);
              return at.carried();
            }));
      };
  if (!part.geometry)
    return createTiles([&](TileOrigin own, ConsumerPosition at) {
      epilogue.create(own, {}, epilogue.load(own), at.phase);
      return at.loop;
    });
  TmaLoop loop(ptx, *part.geometry, tile, pipelines, memory, rank);
  Value isReleasing = ptx.equal(ptx.math.rem(workItem, kWarpSize), 0);
  std::optional<ConvertedLoop> converted;
  std::optional<WgmmaUnit> matrix;
  if (tile.isConverted())
    converted.emplace(ptx, *part.geometry, tile, pipelines, memory, consumer,
                      workItem);
  else
    matrix.emplace(ptx, tile, *part.geometry,
                   WgmmaUnit::Types(part.form->lhs.getElementType(),
                                    part.form->rhs.getElementType()),
                   WgmmaUnit::Operands{ptx.offset(memory, kept.leftOffset()),
                                       ptx.offset(memory, kept.rightOffset())},
                   consumer);
  return createTiles([&](TileOrigin own, ConsumerPosition at) {
    TmaEpilogue::Loaded loaded = epilogue.load(own);
    TmaLoop::Sums sums =
        converted ? converted->create(loop.countSteps(), isReleasing, at.loop)
                  : loop.createConsumer(*matrix, isReleasing, at.loop);
    if (tile.cluster > 1)
      sums.accumulators =
          ClusterSums(ptx, tile, memory, rank, consumer, workItem)
              .create(sums.accumulators);
    epilogue.create(own, sums.accumulators, std::move(loaded), at.phase);
    return sums.position;
  });
}

void TmaBody::createConsumer(Value consumer, Value workItem) {
  ConsumerPosition position{pipelines.getStart(), Value()};
  if (tile.isEpilogueCopied)
    position.phase = EpilogueChunks::getFirstPhase(ptx);
  for (const TmaPart &part : parts)
    position = createPart(part, consumer, workItem, position);
  // Epilogue warps wait for their own stores.
  if (!tile.isEpilogueCopied)
    TmaEpilogue::finish(ptx, workItem);
}

void TmaBody::create() {
  Value workItem = ptx.math.cast(
      gpu::ThreadIdOp::create(ptx.b, gpu::Dimension::x).getResult());
  rank = ptx.math.rem(
      ptx.math.cast(
          gpu::BlockIdOp::create(ptx.b, gpu::Dimension::x).getResult()),
      tile.cluster);
  ptx.createIf(ptx.equal(workItem, 0), [&] {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(),
                              TensorMapAttr::kArgumentName))
        ptx.prefetchMap(argument);
    pipelines.initialize(tile.consumerWarps(),
                         tile.isConverted() ? RightConverter::kWarps : 0);
    if (tile.cluster > 1)
      ClusterSums::initialize(ptx, tile, memory);
    if (tile.isEpilogueCopied)
      EpilogueChunks::initialize(ptx, tile, rest);
  });
  gpu::BarrierOp::create(ptx.b);
  // Everything up to here overlaps with the end of the previous kernel.
  if (endsFirst())
    ptx.waitForKernels();
  else
    joinStream(ptx, parts.front().form->schedule, chip,
               clusters * tile.cluster);
  auto epilogueWarp = [&](Value consumer) { createEpilogueWarp(consumer); };
  auto converter = [&](Value lane) { createConverter(lane); };
  createRoles(
      ptx, tile, workItem, [&] { createProducer(); },
      [&](Value consumer, Value workItem) {
        createConsumer(consumer, workItem);
      },
      tile.isEpilogueCopied ? function_ref<void(Value)>(epilogueWarp) : nullptr,
      tile.isConverted() ? function_ref<void(Value)>(converter) : nullptr);
}

FailureOr<BuiltKernel> mlir::conv::buildTmaKernel(OpBuilder &builder,
                                                  ArrayRef<KernelPart> parts,
                                                  const ::conv::ChipInfo &chip,
                                                  StringRef name) {
  const TiledConvolution &first = parts.front().form;
  ImplicitLocOpBuilder b(scf::ForallOp(first.forall).getLoc(), builder);
  PtxBuilder ptx(b);
  SmallVector<TmaPart, 0> analyzed;
  for (const KernelPart &part : parts) {
    FailureOr<TmaPart> found = analyzeTmaPart(b.getLoc(), part.form);
    if (failed(found))
      return failure();
    analyzed.push_back(std::move(*found));
  }
  ::conv::KeptTile kept = selectTmaTile(first, analyzed, chip);
  const ::conv::TmaTile &tile = kept.tile;
  BuiltKernel built{};
  built.workItems = tile.workItems();
  built.dynamicSharedBytes = reserveComputeUnit(chip, kept.sharedBytes());
  int64_t tiles = 0;
  for (auto [part, source] : llvm::zip(analyzed, parts)) {
    const auto &[form, buffers] = source;
    // Copies keep a reference to the geometry, which no longer moves.
    if (part.geometry)
      part.copies = createTmaCopies(ptx, *part.geometry, tile);
    addTmaArguments(part, buffers, tile, built.arguments);
    part.firstTile = tiles;
    tiles += TileRaster(form).countTiles();
  }
  // Sums overwrite the operands, so a cluster computes only one tile.
  built.cluster = tile.cluster;
  int64_t clusters =
      tile.cluster > 1 ? tiles : kept.countWorkgroups(tiles, chip.computeUnits);
  built.workgroups = clusters * tile.cluster;
  built.function =
      createWarpgroupFunction(builder, b.getLoc(), name, built.arguments, tile);

  b.setInsertionPointToStart(&built.function.getBody().front());
  Value memory = createSharedMemory(
      b, built.function->getParentOfType<gpu::GPUModuleOp>());
  TmaBody(ptx, analyzed, built.function, chip, kept, clusters, memory).create();
  gpu::ReturnOp::create(b);
  return std::move(built);
}
