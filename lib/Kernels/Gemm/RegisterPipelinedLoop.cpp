//===- RegisterPipelinedLoop.cpp - overlapping steps ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix instructions of a round multiply what the previous round read from
// shared memory, even if that round belongs to the previous step. Meanwhile,
// loads from a step ago are written to shared memory, and the loads of the tile
// after the next one start into the freed registers.
//
// With two stages, writes go to the stage that the previous step read, and are
// placed between matrix instructions. Before the last round, a barrier follows
// the writes; then the last round reads what was written. With one stage, the
// writes are between two barriers: the first one ends the reads of the old
// tile, the second one makes the writes visible.
//
// Reading further ahead takes registers that loops with large tiles do not
// have, and made no loop with smaller tiles faster in conv-clock.
//
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "MainLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class PipelinedLoop {
public:
  PipelinedLoop(const Kernel &kernel, const MainLoopParts &parts)
      : kernel(kernel), parts(parts),
        steps(llvm::divideCeil(kernel.form.getReduction(), kernel.gemmK())),
        rounds(parts.matrix.numRounds()),
        isDouble(kernel.form.schedule.getStages() == 2) {}

  SmallVector<Value> create();

private:
  /// Values that a step passes to the next one.
  struct State {
    SmallVector<Value> sums;
    SmallVector<Value> fragments;          ///< For the step's first round.
    SmallVector<SmallVector<Value>> loads; ///< In flight, by block.
    SmallVector<Value> places;             ///< Places of these loads.
    Value stage;                           ///< Stage of the fragments.

    SmallVector<Value> pack() const;
    State unpack(ValueRange values) const;
  };
  void refill(State &state, Value stage, Value k, int64_t from,
              int64_t to) const;
  State start() const;
  void refillInRound(State &state, Value stage, Value k, int64_t round) const;
  State createStep(State state, Value k, bool hasNext) const;

  const Kernel &kernel;
  const MainLoopParts &parts;
  int64_t steps, rounds;
  bool isDouble;
};
} // namespace

SmallVector<Value> PipelinedLoop::State::pack() const {
  SmallVector<Value> values = sums;
  llvm::append_range(values, fragments);
  for (ArrayRef<Value> some : loads)
    llvm::append_range(values, some);
  llvm::append_range(values, places);
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
  llvm::for_each(state.loads, take);
  take(state.places);
  state.stage = values.front();
  return state;
}

/// Writes blocks to a stage and, if `k` is given, loads the tile at `k`.
void PipelinedLoop::refill(State &state, Value stage, Value k, int64_t from,
                           int64_t to) const {
  for (int64_t block = from; block < to; ++block) {
    parts.finishBlock(block, state.loads[block], stage);
    if (k)
      state.loads[block] = parts.startBlock(block, k, state.places);
  }
}

PipelinedLoop::State PipelinedLoop::start() const {
  const IndexMath &math = kernel.math;
  State state;
  state.sums = parts.matrix.createZeros();
  state.stage = math.constant(0);
  state.places = parts.createPlaces(math.constant(0));
  for (int64_t block = 0; block < parts.numBlocks(); ++block)
    state.loads.push_back(
        parts.startBlock(block, math.constant(0), state.places));
  Value next;
  if (steps > 1) {
    next = math.constant(kernel.gemmK());
    state.places = parts.movePlaces(kernel, state.places, next);
  }
  refill(state, state.stage, next, 0, parts.numBlocks());
  gpu::BarrierOp::create(kernel.b);
  state.fragments = parts.matrix.readRound(state.stage, 0);
  ScheduleFenceOp::create(kernel.b);
  return state;
}

/// Brings the next tile to shared memory in the rounds before the last one,
/// which reads it.
void PipelinedLoop::refillInRound(State &state, Value stage, Value k,
                                  int64_t round) const {
  int64_t last = rounds - 1;
  if (!isDouble && round < last)
    return;
  if (!isDouble) {
    // What joins the loads of both operands must not move up with its waits. In
    // other loops, this fence costs more than it saves in conv-clock.
    if (parts.lhs.loadsPerBlock() > 1 && parts.rhs.loadsPerBlock() > 1)
      ScheduleFenceOp::create(kernel.b);
    gpu::BarrierOp::create(kernel.b);
  }
  // With two stages, each round but the last one writes a share.
  int64_t shares = isDouble ? std::max<int64_t>(1, last) : 1;
  int64_t share = isDouble ? round : 0;
  if (share < shares)
    refill(state, stage, k, share * parts.numBlocks() / shares,
           (share + 1) * parts.numBlocks() / shares);
  if (round == last)
    gpu::BarrierOp::create(kernel.b);
}

/// Multiplies the tile of a step. `k` is the start of the tile after the next
/// one, if there is one.
PipelinedLoop::State PipelinedLoop::createStep(State state, Value k,
                                               bool hasNext) const {
  const IndexMath &math = kernel.math;
  Value current = state.stage;
  Value other = isDouble ? math.bitXor(current, math.constant(1)) : current;
  if (k)
    state.places = parts.movePlaces(kernel, state.places, k);
  for (int64_t round = 0; round < rounds; ++round) {
    if (hasNext)
      refillInRound(state, other, k, round);
    SmallVector<Value> fragments = state.fragments;
    if (round + 1 < rounds)
      state.fragments = parts.matrix.readRound(current, round + 1);
    else if (hasNext)
      state.fragments = parts.matrix.readRound(other, 0);
    state.sums = parts.matrix.multiplyRound(state.sums, fragments);
  }
  if (hasNext)
    ScheduleFenceOp::create(kernel.b);
  state.stage = other;
  return state;
}

SmallVector<Value> PipelinedLoop::create() {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t gemmK = kernel.gemmK();
  State state = start();
  if (steps > 2) {
    auto loop = scf::ForOp::create(
        b, math.constant(2 * gemmK), math.constant(steps * gemmK),
        math.constant(gemmK), state.pack(),
        [&](OpBuilder &, Location, Value k, ValueRange carried) {
          State after = createStep(state.unpack(carried), k, true);
          scf::YieldOp::create(b, after.pack());
        });
    disableUnrolling(loop);
    state = state.unpack(loop.getResults());
  }
  if (steps > 1)
    state = createStep(state, {}, /*hasNext=*/true);
  return createStep(state, {}, /*hasNext=*/false).sums;
}

SmallVector<Value>
mlir::conv::createRegisterPipelinedLoop(const Kernel &kernel,
                                        const MainLoopParts &parts) {
  return PipelinedLoop(kernel, parts).create();
}
