//===- TurnTaking.cpp - workgroups that end together ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The priority changes between loops that are alike. In a loop around them, or
// with a branch in their body, LLVM leaves addresses in it that never change,
// or moves its instructions, and takes longer than the turns save.
//
//===----------------------------------------------------------------------===//

#include "TurnTaking.h"
#include "../Parts/LoopUnrolling.h"
#include "conv/Kernels/KernelLength.h"

using namespace mlir;
using namespace mlir::conv;

/// Parts of a loop, each with a priority of its own.
static constexpr int64_t kParts = 4;

/// The most operations of all parts but the first one, as they are built, all
/// of which count. A schedule with too many operations gives way to another one
/// (KernelLength.h).
static constexpr int64_t kMaxCopiedOperations = kMaxOperations;

TurnTaking::TurnTaking(const Kernel &kernel)
    : kernel(kernel),
      inLastRound(cast<StagedGemmAttr>(kernel.form.schedule.getKernel())
                      .getLastRound()) {
  if (inLastRound > 0)
    SetPriorityOp::create(kernel.b, kParts - 1);
}

/// Lowers the priority of the last round's workgroups.
void TurnTaking::lowerPriority(int64_t level) const {
  ImplicitLocOpBuilder &b = kernel.b;
  int64_t earlier = std::max<int64_t>(0, kernel.launched - inLastRound);
  if (earlier == 0) {
    SetPriorityOp::create(b, level);
    return;
  }
  scf::IfOp::create(
      b, kernel.math.below(kernel.workgroup, earlier),
      [&](OpBuilder &, Location) { scf::YieldOp::create(b); },
      [&](OpBuilder &, Location) {
        SetPriorityOp::create(b, level);
        scf::YieldOp::create(b);
      });
}

/// Parts of a loop of which this one has all iterations. Of a few iterations,
/// some parts have two: LLVM makes straight code of one.
int64_t TurnTaking::countParts(scf::ForOp loop, int64_t iterations) const {
  if (inLastRound == 0)
    return 1;
  int64_t operations = 0;
  loop.getBody()->walk([&](Operation *) { ++operations; });
  return std::clamp<int64_t>(
      std::min(iterations * 2 / 3, 1 + kMaxCopiedOperations / operations), 1,
      kParts);
}

SmallVector<Value> TurnTaking::createLoop(const LoopRange &range,
                                          ArrayRef<Value> initial,
                                          LoopBody body) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t parts = 1;
  // Where part number `part` starts.
  auto getStart = [&](int64_t part) {
    return math.constant(range.count.map([&](int64_t n) {
      return range.first + part * n / parts * range.step;
    }));
  };
  auto createPart = [&](int64_t part, ValueRange carried) {
    auto loop = scf::ForOp::create(
        b, getStart(part), getStart(part + 1), math.constant(range.step),
        carried, [&](OpBuilder &, Location, Value k, ValueRange values) {
          scf::YieldOp::create(b, body(k, values));
        });
    disableUnrolling(loop);
    return loop;
  };
  scf::ForOp loop = createPart(0, initial);
  parts = countParts(loop, range.count.minimum());
  if (parts == 1)
    return llvm::to_vector_of<Value>(loop.getResults());
  b.setInsertionPoint(loop);
  loop.setUpperBound(getStart(1));
  b.setInsertionPointAfter(loop);
  for (int64_t part = 1; part < parts; ++part) {
    lowerPriority(parts - 1 - part);
    loop = createPart(part, loop.getResults());
  }
  return llvm::to_vector_of<Value>(loop.getResults());
}
