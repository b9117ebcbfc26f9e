//===- RegisterStagedLoop.cpp - double buffer in shared memory --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With two stages, one barrier per step suffices: a stage is written only after
// the barrier that ends the step in which it was read. One stage takes half the
// shared memory, so a compute unit holds more workgroups, but it needs a second
// barrier: all reads of a step end before the next tile is written.
//
// Fences keep the three phases of a step apart. Without them, LLVM sinks loads
// to the writes that need them, and each step waits for a full latency.
//
// Loads start one step before they are written, or two steps where registers
// allow (`computePrefetchDistance`): with few workgroups on a unit, each waits
// for half of a load's latency then.
//
//===----------------------------------------------------------------------===//

#include "TurnTaking.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/Gemm/StagedModel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class RegisterStagedLoop {
public:
  RegisterStagedLoop(const Kernel &kernel, const MainLoopParts &parts)
      : kernel(kernel), parts(parts), steps(kernel.countSteps()),
        distance(computeLoadDistance(kernel, parts.loadsVectors())),
        isDouble(kernel.form.schedule.getStages() == 2) {}

  SmallVector<Value> create();

private:
  using Loads = SmallVector<SmallVector<Value>>; ///< Of a tile, by block.
  /// Values that a step passes to the next one.
  struct State {
    SmallVector<Value> sums;
    SmallVector<Loads> tiles;  ///< In flight, the next tile first.
    SmallVector<Value> places; ///< Places of the loads of the last one.
    SmallVector<Value> shared; ///< What these loads share of their places.
    Value stage;
    bool changesStage;

    SmallVector<Value> pack() const;
    State unpack(ValueRange values) const;
  };
  void startTile(State &state, Value k) const;
  void finishTile(State &state) const;
  State start() const;
  State createStep(State state, Value k) const;

  const Kernel &kernel;
  const MainLoopParts &parts;
  SharedNumber steps;
  int64_t distance; ///< Tiles in flight while one is multiplied.
  bool isDouble;
};
} // namespace

int64_t mlir::conv::computeLoadDistance(const Kernel &kernel,
                                        bool loadsVectors) {
  return ::conv::computePrefetchDistance(
      kernel.chip,
      getCandidate(kernel.form.schedule, kernel.chip,
                   kernel.form.getOperandType()),
      kernel.countSteps().minimum(), loadsVectors);
}

SmallVector<Value> RegisterStagedLoop::State::pack() const {
  SmallVector<Value> values = sums;
  for (const Loads &tile : tiles)
    for (ArrayRef<Value> block : tile)
      llvm::append_range(values, block);
  llvm::append_range(values, places);
  llvm::append_range(values, shared);
  if (changesStage)
    values.push_back(stage);
  return values;
}

RegisterStagedLoop::State
RegisterStagedLoop::State::unpack(ValueRange values) const {
  State state = *this;
  auto take = [&](SmallVector<Value> &some) {
    llvm::copy(values.take_front(some.size()), some.begin());
    values = values.drop_front(some.size());
  };
  take(state.sums);
  for (Loads &tile : state.tiles)
    llvm::for_each(tile, take);
  take(state.places);
  take(state.shared);
  if (changesStage)
    state.stage = values.front();
  return state;
}

void RegisterStagedLoop::startTile(State &state, Value k) const {
  Value all = kernel.math.yes();
  state.places = state.places.empty()
                     ? parts.createPlaces(k, all)
                     : parts.movePlaces(kernel, state.places, k, all);
  state.shared = state.shared.empty() ? parts.findShared(k)
                                      : parts.moveShared(state.shared, k);
  Loads &tile = state.tiles.emplace_back();
  for (int64_t block = 0; block < parts.numBlocks(); ++block)
    tile.push_back(parts.startBlock(block, k, state.places, state.shared, all));
}

/// Writes the next tile to shared memory.
void RegisterStagedLoop::finishTile(State &state) const {
  for (auto [block, loads] : llvm::enumerate(state.tiles.front()))
    parts.finishBlock(static_cast<int64_t>(block), loads, state.stage);
  state.tiles.erase(state.tiles.begin());
}

RegisterStagedLoop::State RegisterStagedLoop::start() const {
  const IndexMath &math = kernel.math;
  State state;
  state.sums = parts.matrix.createZeros();
  state.stage = math.constant(0);
  state.changesStage = isDouble;
  startTile(state, math.constant(0));
  // With one stage, many workgroups start together: they do not wait for each
  // other's second tiles.
  if (!isDouble)
    finishTile(state);
  for (int64_t tile = 1; tile < distance; ++tile) {
    ScheduleFenceOp::create(kernel.b);
    startTile(state, math.constant(tile * kernel.gemmK()));
  }
  if (isDouble && distance > 1)
    ScheduleFenceOp::create(kernel.b);
  if (isDouble)
    finishTile(state);
  gpu::BarrierOp::create(kernel.b);
  return state;
}

/// Multiplies a tile while others are in flight. If there are tiles left to
/// start, `k` is where the multiplied one lies.
RegisterStagedLoop::State RegisterStagedLoop::createStep(State state,
                                                         Value k) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  Value stage = state.stage;
  if (isDouble)
    state.stage = math.bitXor(stage, math.constant(1));
  if (k)
    startTile(state, math.add(k, distance * kernel.gemmK()));
  ScheduleFenceOp::create(b);
  state.sums = parts.matrix.createStep(state.sums, stage);
  ScheduleFenceOp::create(b);
  if (!isDouble)
    gpu::BarrierOp::create(b);
  finishTile(state);
  gpu::BarrierOp::create(b);
  return state;
}

SmallVector<Value> RegisterStagedLoop::create() {
  const IndexMath &math = kernel.math;
  int64_t gemmK = kernel.gemmK();
  TurnTaking turns(kernel);
  State state = start();
  // A tile passes through the registers of the one before the distance, so the
  // loop has as many steps: with one, registers in flight would be copied.
  SharedNumber inLoop = steps.map(
      [&](int64_t n) { return (n - distance) / distance * distance; });
  Value end = math.constant(inLoop.map([&](int64_t n) { return n * gemmK; }));
  if (inLoop.maximum() > 0) {
    state = state.unpack(turns.createLoop(
        {0, distance * gemmK,
         inLoop.map([&](int64_t n) { return n / distance; })},
        state.pack(), [&](Value k, ValueRange carried) {
          State after = state.unpack(carried);
          for (int64_t step = 0; step < distance; ++step)
            after = createStep(after, math.add(k, step * gemmK));
          return after.pack();
        }));
  }
  // Steps that the loop leaves over.
  for (int64_t step = 0; step + 1 < distance; ++step) {
    SharedNumber rest = steps.map(
        [&](int64_t n) { return (n - distance) % distance > step ? 1 : 0; });
    state = state.unpack(createIf(kernel, rest, state.pack(), [&] {
      return createStep(state, math.add(end, step * gemmK)).pack();
    }));
  }
  while (!state.tiles.empty())
    state = createStep(state, {});
  return parts.matrix.createStep(state.sums, state.stage);
}

SmallVector<Value>
mlir::conv::createRegisterStagedLoop(const Kernel &kernel,
                                     const MainLoopParts &parts) {
  return RegisterStagedLoop(kernel, parts).create();
}
