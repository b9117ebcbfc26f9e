//===- RegisterPipelinedLoop.cpp - overlapping steps ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix instructions of a round multiply what was read from shared memory
// before it, so the products of a tile's last round are issued after the next
// tile has begun to be read. Meanwhile, loads from a step ago are written to
// shared memory, and the loads of the tile after the next one start into the
// freed registers. Where registers allow, two tiles are in flight
// (`computePrefetchDistance`): loads have two steps then, and a loop starts
// with two tiles at once.
//
// With two stages, a loop starts after the barrier that makes a tile visible.
// Writes go to the stage of the previous tile and are spread over all rounds. A
// few products of the last round are issued before the barrier, where they hide
// the latency of the last accesses; the rest hides the first reads after it.
//
// The first step of a short reduction is built apart, since nothing precedes it
// that could be multiplied. Its loads started just before it, so they are
// written after its products.
//
// With one stage, the writes are between two barriers: the first one ends the
// reads of the old tile, the second one makes the writes visible. The loop ends
// after the first reads of a tile, so that the scheduler can place the last
// round's products anywhere around the barriers.
//
// Where a workgroup has waves on all SIMD units, some of its loads start after
// the second barrier: before it, each wave would wait until the load path took
// its loads, and then for the other waves. These are the loads of the last
// block if they are joined, since there are many of them, and those of a third
// of all blocks if a tile's rows are shorter than a line of the cache, since
// the load path takes twice as long for them. No write of the step waits for
// them.
//
// Reading further ahead takes registers that loops with large tiles do not
// have, and made no loop with smaller tiles faster in conv-clock.
//
//===----------------------------------------------------------------------===//

#include "TurnTaking.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class PipelinedLoop {
public:
  PipelinedLoop(const Kernel &kernel, const MainLoopParts &parts)
      : kernel(kernel), parts(parts), steps(kernel.countSteps()),
        rounds(parts.matrix.numRounds()),
        distance(computeLoadDistance(kernel, parts.loadsVectors())),
        stepsOfIteration(std::lcm(1 + rounds % 2, distance)),
        isDouble(kernel.form.schedule.getStages() == 2) {}

  SmallVector<Value> create();

private:
  using Loads = SmallVector<SmallVector<Value>>; ///< Of a tile, by block.
  /// Values that a step passes to the next one.
  struct State {
    SmallVector<Value> sums;
    SmallVector<Value> fragments; ///< Read, but not multiplied.
    SmallVector<Loads> tiles;     ///< In flight, the next tile first.
    Loads started;                ///< In this step.
    SmallVector<Value> places;    ///< Places of the last loads.
    SmallVector<Value> shared;    ///< What the next loads share of theirs.
    Value stage;                  ///< Stage of the current tile.
    Value guard;                  ///< Whether there is a tile to load.
    bool isFirst = false;         ///< Whether its step is the first one.

    SmallVector<Value> pack() const;
    State unpack(ValueRange values) const;
  };
  const ::conv::UnitCalibration &fit() const {
    return kernel.chip.calibration->unit;
  }
  /// Products of a tile's last round that precede the barrier: a third, but no
  /// more than hide the latency of the last writes, since those of long rounds
  /// are missed after the barrier.
  int64_t numEarly() const {
    int64_t enough =
        std::max<int64_t>(1, fit().writeLatencyCycles / kernel.atom.cycles);
    return isDouble ? std::min(parts.matrix.numProducts() / 3, enough) : 0;
  }
  /// The first block whose loads start after the barrier that shows the writes
  /// of a loop with one stage.
  int64_t firstLate() const {
    bool fillsUnit = kernel.workItems / kernel.chip.subgroupSize >=
                     kernel.chip.simdsPerComputeUnit;
    if (!fillsUnit)
      return parts.numBlocks();
    // The load path brings whole lines, and so takes longer for parts of them.
    bool takesParts = kernel.gemmK() * kernel.operandBytes() <
                      int64_t(kernel.chip.cacheLineBytes);
    bool isJoined = parts.rhs.loadsPerBlock() > 1;
    int64_t third = (parts.numBlocks() + 1) / 3;
    return parts.numBlocks() -
           std::max<int64_t>(isJoined, takesParts ? third : 0);
  }
  /// Whether the first step has code of its own, which multiplies nothing but
  /// what it has read. Long reductions gain little from it.
  bool buildsFirst() const {
    return isDouble && steps.maximum() * rounds <= fit().firstStepRounds &&
           (steps.isUniform() || steps.minimum() > 1 + distance);
  }
  /// Whether that step writes the next tile before its last products. With one
  /// tile in flight, all products are to hide its latency, and large subgroups
  /// have no registers for what is read meanwhile.
  bool writesEarly() const {
    constexpr int64_t kSmallSubgroup = 32 * 32;
    ArrayRef<int64_t> tile = kernel.subgroupTile();
    return distance > 1 && tile[0] * tile[1] <= kSmallSubgroup;
  }
  void multiply(State &state, ValueRange fragments, int64_t from,
                int64_t to) const {
    state.sums = parts.matrix.multiplyRound(state.sums, fragments, from, to);
  }
  Value getOther(Value stage) const;
  Value hasTile(int64_t tile) const {
    return steps.minimum() > tile
               ? kernel.math.yes()
               : kernel.math.below(kernel.math.constant(tile), steps);
  }
  void load(State &state, Value k, int64_t from, int64_t to) const;
  void refill(State &state, Value stage, Value k, int64_t from,
              int64_t to) const;
  void refillInOrder(State &state, Value stage, Value k) const;
  void passLoads(State &state) const;
  State start() const;
  void refillInRound(State &state, Value k, int64_t round) const;
  void beginTile(State &state, Value k, bool hasNext) const;
  void readRest(State &state, Value k, bool hasNext) const;
  void showNext(State &state, Value k) const;
  State createStep(State state, Value k, bool hasNext) const;

  const Kernel &kernel;
  const MainLoopParts &parts;
  SharedNumber steps;
  int64_t rounds;
  int64_t distance; ///< Tiles in flight while one is multiplied.
  /// Rounds take turns in two sets of registers. An iteration has an even
  /// number of them, so that no set has to be copied to the other one.
  int64_t stepsOfIteration;
  bool isDouble;
};
} // namespace

SmallVector<Value> PipelinedLoop::State::pack() const {
  SmallVector<Value> values = sums;
  llvm::append_range(values, fragments);
  for (const Loads &tile : tiles)
    for (ArrayRef<Value> block : tile)
      llvm::append_range(values, block);
  llvm::append_range(values, places);
  llvm::append_range(values, shared);
  values.push_back(stage);
  return values;
}

PipelinedLoop::State PipelinedLoop::State::unpack(ValueRange values) const {
  State state = *this;
  auto take = [&](SmallVector<Value> &some) {
    llvm::copy(values.take_front(some.size()), some.begin());
    values = values.drop_front(some.size());
  };
  take(state.sums);
  take(state.fragments);
  for (Loads &tile : state.tiles)
    llvm::for_each(tile, take);
  take(state.places);
  take(state.shared);
  state.stage = values.front();
  return state;
}

/// Starts the loads of blocks of the tile at `k`, if it is given.
void PipelinedLoop::load(State &state, Value k, int64_t from,
                         int64_t to) const {
  for (int64_t block = from; k && block < to; ++block)
    state.started[block] =
        parts.startBlock(block, k, state.places, state.shared, state.guard);
}

/// Writes blocks to a stage and, if `k` is given, loads the tile at `k`.
void PipelinedLoop::refill(State &state, Value stage, Value k, int64_t from,
                           int64_t to) const {
  for (int64_t block = from; block < to; ++block) {
    parts.finishBlock(block, state.tiles.front()[block], stage);
    load(state, k, block, block + 1);
  }
}

/// Refills all blocks, before the loop starts. The loads start in the order in
/// which the loop waits for them, one block at a time.
void PipelinedLoop::refillInOrder(State &state, Value stage, Value k) const {
  for (int64_t block = 0; block < parts.numBlocks(); ++block) {
    refill(state, stage, k, block, block + 1);
    ScheduleFenceOp::create(kernel.b);
  }
}

/// The loads of this step, if there are any, are in flight after all others.
void PipelinedLoop::passLoads(State &state) const {
  std::rotate(state.tiles.begin(), state.tiles.begin() + 1, state.tiles.end());
  if (!state.started.front().empty())
    state.tiles.back() = std::move(state.started);
  state.started.assign(size_t(parts.numBlocks()), {});
}

PipelinedLoop::State PipelinedLoop::start() const {
  const IndexMath &math = kernel.math;
  State state;
  state.sums = parts.matrix.createZeros();
  state.stage = math.constant(0);
  state.guard = math.yes();
  state.places = parts.createPlaces(math.constant(0), state.guard);
  state.shared = parts.findShared(math.constant(0));
  state.tiles.resize(size_t(distance));
  state.started.resize(size_t(parts.numBlocks()));
  Value next = math.constant(0);
  auto moveTo = [&](int64_t tile) {
    next = {};
    if (steps.maximum() <= tile)
      return;
    next = math.constant(tile * kernel.gemmK());
    state.guard = hasTile(tile);
    state.places = parts.movePlaces(kernel, state.places, next, state.guard);
    state.shared = parts.moveShared(state.shared, next);
  };
  // Loads start in the order of the loop, which waits for each of them alone.
  load(state, next, 0, parts.numBlocks());
  passLoads(state);
  for (int64_t tile = 1; tile < distance; ++tile) {
    moveTo(tile);
    for (int64_t block = 0; block < parts.numBlocks(); ++block) {
      ScheduleFenceOp::create(kernel.b);
      load(state, next, block, block + 1);
    }
    passLoads(state);
  }
  moveTo(distance);
  refillInOrder(state, state.stage, next);
  passLoads(state);
  state.guard = math.yes();
  if (isDouble && next)
    state.shared = parts.moveShared(
        state.shared, math.constant((1 + distance) * kernel.gemmK()));
  gpu::BarrierOp::create(kernel.b);
  if (!isDouble)
    beginTile(state, {}, /*hasNext=*/false);
  else if (!buildsFirst())
    state.fragments = parts.matrix.createZeroFragments();
  return state;
}

Value PipelinedLoop::getOther(Value stage) const {
  return isDouble ? kernel.math.bitXor(stage, kernel.math.constant(1)) : stage;
}

/// With two stages, each round brings a share of the next tile.
void PipelinedLoop::refillInRound(State &state, Value k, int64_t round) const {
  if (state.isFirst) {
    if (writesEarly() && round == rounds - 1)
      refillInOrder(state, getOther(state.stage), k);
    return;
  }
  if (isDouble)
    refill(state, getOther(state.stage), k, round * parts.numBlocks() / rounds,
           (round + 1) * parts.numBlocks() / rounds);
}

/// Starts to read a tile while the previous one is finished.
void PipelinedLoop::beginTile(State &state, Value k, bool hasNext) const {
  SmallVector<Value> fragments = state.fragments;
  state.fragments = parts.matrix.readRound(state.stage, 0);
  if (hasNext)
    refillInRound(state, k, 0);
  if (!isDouble)
    load(state, k, firstLate(), parts.numBlocks());
  if (!fragments.empty())
    multiply(state, fragments, numEarly(), parts.matrix.numProducts());
  if (!isDouble)
    ScheduleFenceOp::create(kernel.b);
}

/// Reads the rest of a tile, and multiplies all but its last round.
void PipelinedLoop::readRest(State &state, Value k, bool hasNext) const {
  for (int64_t round = 1; round < rounds; ++round) {
    SmallVector<Value> fragments = state.fragments;
    state.fragments = parts.matrix.readRound(state.stage, round);
    if (hasNext)
      refillInRound(state, k, round);
    multiply(state, fragments, 0, parts.matrix.numProducts());
  }
}

/// Makes the next tile visible.
void PipelinedLoop::showNext(State &state, Value k) const {
  multiply(state, state.fragments, 0, numEarly());
  // What joins loads must not move up with its waits. In other loops with one
  // stage, this fence costs more than it saves in conv-clock.
  if (isDouble || parts.lhs.loadsPerBlock() > 1 ||
      parts.rhs.loadsPerBlock() > 1)
    ScheduleFenceOp::create(kernel.b);
  gpu::BarrierOp::create(kernel.b);
  state.stage = getOther(state.stage);
  if (isDouble)
    return;
  if (k)
    state.shared = parts.moveShared(state.shared, k);
  refill(state, state.stage, k, 0, firstLate());
  refill(state, state.stage, {}, firstLate(), parts.numBlocks());
  gpu::BarrierOp::create(kernel.b);
}

/// Multiplies a tile, except for the last round. `k` is the start of the tile
/// after those in flight, if there is one.
PipelinedLoop::State PipelinedLoop::createStep(State state, Value k,
                                               bool hasNext) const {
  if (k)
    state.places = parts.movePlaces(kernel, state.places, k, state.guard);
  state.isFirst = isDouble && state.fragments.empty();
  if (isDouble)
    beginTile(state, k, hasNext);
  readRest(state, k, hasNext);
  if (state.isFirst && hasNext && !writesEarly()) {
    ScheduleFenceOp::create(kernel.b);
    refillInOrder(state, getOther(state.stage), k);
  }
  if (hasNext)
    showNext(state, k);
  if (hasNext && !isDouble)
    beginTile(state, k, hasNext);
  // Found in a step of its own, the scalar instructions would hold up its first
  // products. With one stage, other workgroups have products meanwhile.
  if (k && isDouble)
    state.shared =
        parts.moveShared(state.shared, kernel.math.add(k, kernel.gemmK()));
  if (hasNext)
    passLoads(state);
  return state;
}

SmallVector<Value> PipelinedLoop::create() {
  const IndexMath &math = kernel.math;
  int64_t gemmK = kernel.gemmK();
  TurnTaking turns(kernel);
  State state = start();
  // The first tile whose load is started by the loop.
  int64_t first = 1 + distance;
  if (buildsFirst() && steps.minimum() > first) {
    state = createStep(state, math.constant(first * gemmK), /*hasNext=*/true);
    ++first;
  }
  SharedNumber inLoop = steps.map([&](int64_t n) {
    return std::max<int64_t>(0, n - first) / stepsOfIteration *
           stepsOfIteration;
  });
  Value end =
      math.constant(inLoop.map([&](int64_t n) { return (n + first) * gemmK; }));
  // Stages and places of a few steps are constants without a loop.
  constexpr int64_t kFewSteps = 4;
  bool isStraight =
      buildsFirst() && inLoop.isUniform() && inLoop.getUniform() <= kFewSteps;
  for (int64_t step = 0; isStraight && step < inLoop.getUniform(); ++step)
    state = createStep(state, math.constant((first + step) * gemmK),
                       /*hasNext=*/true);
  if (!isStraight && inLoop.maximum() > 0) {
    state = state.unpack(turns.createLoop(
        {first * gemmK, stepsOfIteration * gemmK,
         inLoop.map([&](int64_t n) { return n / stepsOfIteration; })},
        state.pack(), [&](Value k, ValueRange carried) {
          State after = state.unpack(carried);
          for (int64_t step = 0; step < stepsOfIteration; ++step)
            after = createStep(after, math.add(k, step * gemmK), true);
          return after.pack();
        }));
  }
  auto stepIf = [&](const SharedNumber &isLeft, Value k) {
    if (!isLeft.isUniform())
      state = state.unpack(createIf(kernel, isLeft, state.pack(), [&] {
        return createStep(state, k, /*hasNext=*/true).pack();
      }));
    else if (isLeft.getUniform())
      state = createStep(state, k, /*hasNext=*/true);
  };
  // The steps that the loop leaves over.
  for (int64_t step = 0; step + 1 < stepsOfIteration; ++step) {
    SharedNumber isLeft = steps.map([&](int64_t n) {
      int64_t left = std::max<int64_t>(0, n - first) % stepsOfIteration;
      return left > step ? 1 : 0;
    });
    stepIf(isLeft, math.add(end, step * gemmK));
  }
  // The tiles in flight.
  for (int64_t tile = distance; tile > 0; --tile)
    stepIf(steps.map([&](int64_t n) { return n > tile ? 1 : 0; }), {});
  state = createStep(state, {}, /*hasNext=*/false);
  multiply(state, state.fragments, 0, parts.matrix.numProducts());
  return state.sums;
}

SmallVector<Value>
mlir::conv::createRegisterPipelinedLoop(const Kernel &kernel,
                                        const MainLoopParts &parts) {
  return PipelinedLoop(kernel, parts).create();
}
