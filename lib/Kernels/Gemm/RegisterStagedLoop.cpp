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
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "MainLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class RegisterStagedLoop {
public:
  RegisterStagedLoop(const Kernel &kernel, const MainLoopParts &parts)
      : kernel(kernel), parts(parts),
        steps(llvm::divideCeil(kernel.form.getReduction(), kernel.gemmK())),
        isDouble(kernel.form.schedule.getStages() == 2) {}

  SmallVector<Value> create();

private:
  /// Values that a step passes to the next one.
  struct State {
    SmallVector<Value> sums;
    SmallVector<Value> places; ///< Places of the loads of its tile.
    Value stage;
  };
  using Loads = SmallVector<SmallVector<Value>>; ///< By block.
  Loads startTile(Value k, ValueRange places) const;
  void finishTile(const Loads &loads, Value stage) const;
  State createStep(const State &state, Value k) const;

  const Kernel &kernel;
  const MainLoopParts &parts;
  int64_t steps;
  bool isDouble;
};
} // namespace

RegisterStagedLoop::Loads
RegisterStagedLoop::startTile(Value k, ValueRange places) const {
  Loads loads;
  for (int64_t block = 0; block < parts.numBlocks(); ++block)
    loads.push_back(parts.startBlock(block, k, places));
  return loads;
}

void RegisterStagedLoop::finishTile(const Loads &loads, Value stage) const {
  for (auto [block, some] : llvm::enumerate(loads))
    parts.finishBlock(static_cast<int64_t>(block), some, stage);
}

/// Multiplies the tile at `k` while the loads of the next tile are in flight.
RegisterStagedLoop::State RegisterStagedLoop::createStep(const State &state,
                                                         Value k) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  State next = state;
  if (isDouble)
    next.stage = math.bitXor(state.stage, math.constant(1));
  Value ofNext = math.add(k, kernel.gemmK());
  next.places = parts.movePlaces(kernel, state.places, ofNext);
  Loads loads = startTile(ofNext, next.places);
  ScheduleFenceOp::create(b);
  next.sums = parts.matrix.createStep(state.sums, state.stage);
  ScheduleFenceOp::create(b);
  if (!isDouble)
    gpu::BarrierOp::create(b);
  finishTile(loads, next.stage);
  gpu::BarrierOp::create(b);
  return next;
}

SmallVector<Value> RegisterStagedLoop::create() {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  State state{parts.matrix.createZeros(), parts.createPlaces(math.constant(0)),
              math.constant(0)};
  finishTile(startTile(math.constant(0), state.places), state.stage);
  gpu::BarrierOp::create(b);
  if (steps == 1)
    return parts.matrix.createStep(state.sums, state.stage);

  // In all steps but the last, the tile of the next step is in flight.
  SmallVector<Value> carried = state.sums;
  llvm::append_range(carried, state.places);
  carried.push_back(state.stage);
  auto unpack = [&](ValueRange values) {
    ValueRange sums = values.take_front(state.sums.size());
    ValueRange places = values.drop_front(sums.size()).drop_back();
    return State{sums, places, isDouble ? values.back() : state.stage};
  };
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant((steps - 1) * kernel.gemmK()),
      math.constant(kernel.gemmK()), carried,
      [&](OpBuilder &, Location, Value k, ValueRange values) {
        State next = createStep(unpack(values), k);
        SmallVector<Value> all = next.sums;
        llvm::append_range(all, next.places);
        all.push_back(next.stage);
        scf::YieldOp::create(b, all);
      });
  disableUnrolling(loop);
  state = unpack(loop.getResults());
  return parts.matrix.createStep(state.sums, state.stage);
}

SmallVector<Value>
mlir::conv::createRegisterStagedLoop(const Kernel &kernel,
                                     const MainLoopParts &parts) {
  return RegisterStagedLoop(kernel, parts).create();
}
