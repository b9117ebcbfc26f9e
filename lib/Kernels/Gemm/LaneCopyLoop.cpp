//===- LaneCopyLoop.cpp - tiles copied without registers --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both operands are copied to shared memory in lane order. Steps overlap as in
// RegisterPipelinedLoop.cpp: the matrix instructions of a round multiply what
// the previous round read, and the last round of a step reads the first
// fragments of the next tile. The barrier before that round guarantees that the
// next tile has arrived, and that all reads of the old one are done. The copies
// of the tile that takes its place start after this barrier, so each tile has
// as many steps to arrive as there are stages, less one.
//
// The copies of a tile are spread over that round and those that follow it:
// until the next barrier, or, with two stages, until half-way to it, so that
// the last copies have time to arrive.
//
// With more stages, an iteration of the loop has a step for each of them. Their
// numbers are constants then, which addresses of shared memory contain without
// an instruction. Two such steps in a row would take longer with two stages:
// LLVM then computes the addresses of copies between them, after the barrier.
//
//===----------------------------------------------------------------------===//

#include "TurnTaking.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::conv;

/// A barrier that orders shared memory. After it, all copies of the workgroup
/// have arrived, except the last `pending` ones of each work-item; reads of
/// shared memory are done, too, so their source may be overwritten. A fence of
/// the workgroup would wait for all copies, so this barrier uses fences of
/// wavefront scope to keep accesses in order, and explicit waits for counters.
static void createCopyBarrier(ImplicitLocOpBuilder &b, int64_t pending) {
  constexpr StringRef kScope = "wavefront";
  auto count = [&](int64_t value) {
    return b.getI32IntegerAttr(static_cast<int32_t>(value));
  };
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, kScope);
  amdgpu::MemoryCounterWaitOp::create(b, /*load=*/count(pending), nullptr,
                                      /*ds=*/count(0), nullptr, nullptr);
  ROCDL::SBarrierOp::create(b);
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, kScope);
}

namespace {
class LaneCopyLoop {
public:
  LaneCopyLoop(const Kernel &kernel, const MainLoopParts &parts)
      : kernel(kernel), parts(parts), steps(kernel.countSteps()),
        rounds(parts.matrix.numRounds()),
        stages(kernel.form.schedule.getStages()),
        shares(stages > 2 ? rounds : std::max<int64_t>(1, rounds / 2)),
        stepsOfIteration(stages > 2 ? stages : 1) {}

  SmallVector<Value> create();

private:
  /// Values that a step passes to the next one.
  struct State {
    SmallVector<Value> sums;
    SmallVector<Value> fragments; ///< For the step's first round.
    Value stage;                  ///< Stage of the fragments.
    Value before;                 ///< Stage of the previous step.

    SmallVector<Value> pack() const;
    State unpack(ValueRange values) const;
  };
  /// The tiles that a step copies, by the start of their reduction; null if
  /// there is no such tile.
  struct Copies {
    Value rest;  ///< The remaining shares of the tile begun in the last step.
    Value first; ///< The first share of the next tile.
  };
  int64_t numCopies() const {
    return parts.lhs.numCopies() + parts.rhs.numCopies();
  }
  /// Copies of a tile in the shares before `share`.
  int64_t countBefore(int64_t share) const {
    return share * numCopies() / shares;
  }
  /// Where tile `number` of each subproblem starts.
  Value getStart(const SharedNumber &number) const {
    return kernel.math.constant(
        number.map([&](int64_t n) { return n * kernel.gemmK(); }));
  }
  Value getNext(Value stage) const;
  void startShares(int64_t from, int64_t to, Value k, Value stage,
                   Value guard) const;
  State start() const;
  /// The state in which the first stage is next.
  State startStages(State state) const;
  State createStep(State state, Copies copies,
                   std::optional<int64_t> pending) const;

  /// A step of the subproblems whose `condition` is 1.
  State createStepIf(const SharedNumber &condition, State state, Copies copies,
                     std::optional<int64_t> pending) const;

  const Kernel &kernel;
  const MainLoopParts &parts;
  SharedNumber steps;
  int64_t rounds, stages, shares;
  int64_t stepsOfIteration;
};
} // namespace

SmallVector<Value> LaneCopyLoop::State::pack() const {
  SmallVector<Value> values = sums;
  llvm::append_range(values, fragments);
  values.append({stage, before});
  return values;
}

LaneCopyLoop::State LaneCopyLoop::State::unpack(ValueRange values) const {
  State state = *this;
  llvm::copy(values.take_front(sums.size()), state.sums.begin());
  llvm::copy(values.slice(sums.size(), fragments.size()),
             state.fragments.begin());
  state.stage = values.drop_back().back();
  state.before = values.back();
  return state;
}

/// The stage after `stage`.
Value LaneCopyLoop::getNext(Value stage) const {
  const IndexMath &math = kernel.math;
  if (stages == 2)
    return math.bitXor(stage, math.constant(1));
  Value isLast = kernel.b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, stage, math.constant(stages - 1));
  return kernel.b.createOrFold<arith::SelectOp>(isLast, math.constant(0),
                                                math.add(stage, 1));
}

/// Starts the copies of shares `from` to `to` of the tile at `k`. They bring
/// zeros if `guard` is false.
void LaneCopyLoop::startShares(int64_t from, int64_t to, Value k, Value stage,
                               Value guard) const {
  if (!k)
    return;
  int64_t first = countBefore(from), last = countBefore(to);
  int64_t ofLhs = parts.lhs.numCopies();
  parts.lhs.startCopies(std::min(first, ofLhs), std::min(last, ofLhs), k, stage,
                        guard);
  parts.rhs.startCopies(std::max(first - ofLhs, int64_t(0)),
                        std::max(last - ofLhs, int64_t(0)), k, stage, guard);
}

LaneCopyLoop::State LaneCopyLoop::startStages(State state) const {
  state.stage = kernel.math.constant(0);
  state.before = kernel.math.constant(stages - 1);
  return state;
}

LaneCopyLoop::State LaneCopyLoop::start() const {
  const IndexMath &math = kernel.math;
  State state = startStages({});
  state.sums = parts.matrix.createZeros();
  int64_t pending = 0;
  for (int64_t tile = 0; tile < std::min(stages, steps.maximum()); ++tile) {
    int64_t upTo = tile < stages - 1 ? shares : 1;
    Value hasTile = tile < steps.minimum()
                        ? math.yes()
                        : math.below(math.constant(tile), steps);
    startShares(0, upTo, getStart(tile), math.constant(tile), hasTile);
    pending += tile > 0 ? countBefore(upTo) : 0;
  }
  createCopyBarrier(kernel.b, pending);
  state.fragments = parts.matrix.readRound(state.stage, 0);
  ScheduleFenceOp::create(kernel.b);
  return state;
}

/// Multiplies the tile of a step. If there is a next step, its tile has arrived
/// once at most `pending` copies of later tiles are in flight.
LaneCopyLoop::State
LaneCopyLoop::createStep(State state, Copies copies,
                         std::optional<int64_t> pending) const {
  Value current = state.stage, next = pending ? getNext(current) : current;
  for (int64_t round = 0; round < rounds; ++round) {
    SmallVector<Value> fragments = state.fragments;
    if (round + 1 < rounds) {
      if (round + 1 < shares)
        startShares(round + 1, round + 2, copies.rest, state.before,
                    kernel.math.yes());
      state.fragments = parts.matrix.readRound(current, round + 1);
    } else if (pending) {
      createCopyBarrier(kernel.b, *pending);
      state.fragments = parts.matrix.readRound(next, 0);
      startShares(0, 1, copies.first, current, kernel.math.yes());
    }
    state.sums = parts.matrix.multiplyRound(state.sums, fragments, 0,
                                            parts.matrix.numProducts());
  }
  if (pending)
    ScheduleFenceOp::create(kernel.b);
  state.before = current;
  state.stage = next;
  return state;
}

LaneCopyLoop::State
LaneCopyLoop::createStepIf(const SharedNumber &condition, State state,
                           Copies copies,
                           std::optional<int64_t> pending) const {
  return state.unpack(createIf(kernel, condition, state.pack(), [&] {
    return createStep(state, copies, pending).pack();
  }));
}

SmallVector<Value> LaneCopyLoop::create() {
  const IndexMath &math = kernel.math;
  int64_t gemmK = kernel.gemmK();
  int64_t whileFull = (stages - 2) * numCopies();
  TurnTaking turns(kernel);
  State state = start();
  SharedNumber starts =
      steps.map([&](int64_t n) { return std::max<int64_t>(0, n - stages); });
  SharedNumber inLoop = starts.map(
      [&](int64_t n) { return n / stepsOfIteration * stepsOfIteration; });
  SharedNumber firstAfter = inLoop.map([&](int64_t n) { return n + stages; });
  if (inLoop.maximum() > 0) {
    state = state.unpack(turns.createLoop(
        {stages * gemmK, stepsOfIteration * gemmK,
         inLoop.map([&](int64_t n) { return n / stepsOfIteration; })},
        state.pack(), [&](Value k, ValueRange carried) {
          State after = state.unpack(carried);
          if (stepsOfIteration == stages)
            after = startStages(after);
          for (int64_t step = 0; step < stepsOfIteration; ++step) {
            Value next = math.add(k, step * gemmK);
            after = createStep(after, {math.sub(next, gemmK), next}, whileFull);
          }
          return after.pack();
        }));
    if (stepsOfIteration == stages)
      state = startStages(state);
  }
  // Steps that the loop leaves over.
  for (int64_t step = 0; step + 1 < stepsOfIteration; ++step) {
    auto isLeft = [&](int64_t n) {
      return n % stepsOfIteration > step ? 1 : 0;
    };
    Value next = math.add(getStart(firstAfter), step * gemmK);
    state = createStepIf(starts.map(isLeft), state,
                         {math.sub(next, gemmK), next}, whileFull);
  }
  // The last steps, as many as there are stages, have no new tiles, but the
  // first of them finishes the copies of the last tile.
  for (int64_t left = stages; left > 0; --left) {
    auto hasStep = [&](int64_t n) { return n >= left ? 1 : 0; };
    Copies copies{};
    if (left == stages)
      copies.rest = getStart(steps.map([](int64_t n) { return n - 1; }));
    std::optional<int64_t> pending;
    if (left > 1)
      pending = std::max<int64_t>(0, left - 2) * numCopies();
    state = createStepIf(steps.map(hasStep), state, copies, pending);
  }
  return state.sums;
}

SmallVector<Value> mlir::conv::createLaneCopyLoop(const Kernel &kernel,
                                                  const MainLoopParts &parts) {
  return LaneCopyLoop(kernel, parts).create();
}
