//===- EpilogueChunks.cpp - an operand of the epilogue in shared memory ---===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine must have read a chunk of the result before the next tile's
// operand overwrites it. Only the lane that started a store can wait for it,
// and a consumer that waited would start its products late.
//
//===----------------------------------------------------------------------===//

#include "EpilogueChunks.h"

#include "TmaCopies.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

MbarrierPipeline EpilogueChunks::getPipeline(const PtxBuilder &ptx,
                                             const Tile &tile, Value memory) {
  return MbarrierPipeline(ptx, ptx.offset(memory, tile.epilogueBarrierOffset()),
                          tile.consumers * tile.countEpilogueChunks());
}

void EpilogueChunks::initialize(const PtxBuilder &ptx, const Tile &tile,
                                Value memory) {
  getPipeline(ptx, tile, memory).initialize(1, Tile::kWarps);
}

EpilogueChunks::EpilogueChunks(const PtxBuilder &ptx, const Tile &tile,
                               Value memory, Value consumer)
    : ptx(ptx), tile(tile), pipeline(getPipeline(ptx, tile, memory)),
      consumer(consumer) {
  first = ptx.math.mul(consumer, tile.countEpilogueChunks());
  staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                       ptx.math.mul(consumer, tile.stagingBytes()));
}

void EpilogueChunks::wait(int64_t chunk, Value phase) const {
  pipeline.wait(locate(chunk, phase));
}

void EpilogueChunks::release(int64_t chunk, Value isReleasing) const {
  ptx.fenceSharedForCopies();
  ptx.synchronizeWarp();
  ptx.createIf(isReleasing,
               [&] { pipeline.release(ptx.math.add(first, chunk)); });
}

Value EpilogueChunks::getPlace(int64_t chunk) const {
  return ptx.offset(staging, chunk * tile.chunkBytes());
}

SmallVector<Value> EpilogueChunks::createCorner(const TmaResult &form,
                                                TileOrigin origin,
                                                int64_t chunk) const {
  const IndexMath &math = ptx.math;
  int64_t perAtom = tile.columns / tile.chunkColumns();
  Value row = math.add(
      math.add(origin.row, math.mul(consumer, tile.rows / tile.consumers)),
      chunk / perAtom * Tile::kAtomRows);
  return createResultCorner(
      ptx, form,
      {origin.batch, row,
       math.add(origin.column, chunk % perAtom * tile.chunkColumns())});
}

void EpilogueChunks::load(const Maps &maps, TileOrigin origin,
                          int64_t chunk) const {
  Value number = ptx.math.add(first, chunk);
  pipeline.announce(number, ptx.math.constant(tile.chunkBytes()));
  SmallVector<Value> offsets;
  if (maps.form.isIm2col())
    offsets.assign(maps.form.window.rank(),
                   ptx.truncate16(ptx.math.constant(0)));
  ptx.loadBox(getPlace(chunk), maps.operand, pipeline.getFull(number),
              createCorner(maps.form, origin, chunk), offsets);
}

void EpilogueChunks::store(const Maps &maps, TileOrigin origin,
                           int64_t chunk) const {
  ptx.storeBox(maps.result, getPlace(chunk),
               createCorner(maps.form, origin, chunk), maps.form.isIm2col());
  ptx.commitStores();
}

Value EpilogueChunks::createEpilogueWarp(const PersistentScheduler &scheduler,
                                         const Maps &maps, Value phase) const {
  const IndexMath &math = ptx.math;
  int64_t count = tile.countEpilogueChunks();
  // `last` is the previous tile: whether there is one, and its row and column.
  auto storeLast = [&](ValueRange last, int64_t chunk) {
    ptx.createIf(ptx.equal(last[0], 1), [&] {
      store(maps, {/*batch=*/Value(), last[1], last[2]}, chunk);
    });
  };
  Value none = math.constant(0);
  SmallVector<Value> end = scheduler.createLoop(
      {phase, none, none, none},
      [&](TileOrigin origin, ValueRange carried) -> SmallVector<Value> {
        Value phase = carried.front();
        for (int64_t chunk = 0; chunk < count; ++chunk) {
          pipeline.waitForEmpty(locate(chunk, phase));
          storeLast(carried.drop_front(), chunk);
          // Waits until the store of the previous chunk has read its source.
          if (chunk > 0) {
            ptx.waitForStores(/*pending=*/1);
            load(maps, origin, chunk - 1);
          }
        }
        ptx.waitForStores();
        load(maps, origin, count - 1);
        return {getNextPhase(ptx, phase), math.constant(1), origin.row,
                origin.column};
      });
  for (int64_t chunk = 0; chunk < count; ++chunk) {
    pipeline.waitForEmpty(locate(chunk, end.front()));
    storeLast(ValueRange(end).drop_front(), chunk);
  }
  ptx.waitForStores();
  return end.front();
}
