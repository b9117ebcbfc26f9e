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

/// Segments of a loop, each with a priority of its own.
static constexpr int64_t kSegments = 4;

/// The most operations of all segments but the first one, as they are built,
/// all of which count. A schedule with too many operations gives way to another
/// one (KernelLength.h).
static constexpr int64_t kMaxCopiedOperations = kMaxOperations;

TurnTaking::TurnTaking(const Kernel &kernel)
    : kernel(kernel),
      inLastRound(cast<StagedGemmAttr>(kernel.form.schedule.getKernel())
                      .getLastRound()) {
  if (inLastRound > 0)
    SetPriorityOp::create(kernel.b, kSegments - 1);
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

/// Segments of a loop of which this one has all iterations. Of a few
/// iterations, some segments have two: LLVM makes straight code of one.
int64_t TurnTaking::countSegments(scf::ForOp loop, int64_t iterations) const {
  if (inLastRound == 0)
    return 1;
  int64_t operations = 0;
  loop.getBody()->walk([&](Operation *) { ++operations; });
  return std::clamp<int64_t>(
      std::min(iterations * 2 / 3, 1 + kMaxCopiedOperations / operations), 1,
      kSegments);
}

SmallVector<Value> TurnTaking::createLoop(const LoopRange &range,
                                          ArrayRef<Value> initial,
                                          LoopBody body) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t segments = 1;
  // Where segment number `segment` starts.
  auto getStart = [&](int64_t segment) {
    return math.constant(range.count.map([&](int64_t n) {
      return range.first + segment * n / segments * range.step;
    }));
  };
  auto createSegment = [&](int64_t segment, ValueRange carried) {
    auto loop = scf::ForOp::create(
        b, getStart(segment), getStart(segment + 1), math.constant(range.step),
        carried, [&](OpBuilder &, Location, Value k, ValueRange values) {
          scf::YieldOp::create(b, body(k, values));
        });
    disableUnrolling(loop);
    return loop;
  };
  scf::ForOp loop = createSegment(0, initial);
  segments = countSegments(loop, range.count.minimum());
  if (segments == 1)
    return llvm::to_vector_of<Value>(loop.getResults());
  b.setInsertionPoint(loop);
  loop.setUpperBound(getStart(1));
  b.setInsertionPointAfter(loop);
  for (int64_t segment = 1; segment < segments; ++segment) {
    lowerPriority(segments - 1 - segment);
    loop = createSegment(segment, loop.getResults());
  }
  return llvm::to_vector_of<Value>(loop.getResults());
}
