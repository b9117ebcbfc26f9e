//===- RegisterStagedLoop.cpp - double buffer in shared memory --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One barrier a step suffices with two stages: a stage is written only after
// the barrier that ends the step in which it was read. One stage takes half the
// shared memory, so that a compute unit has more workgroups, and a second
// barrier: all reads of a step are over before its successor is written.
//
// Fences keep the three phases of a step apart. Without them, LLVM moves loads
// down to the writes that need them, and a step waits for a whole latency.
//
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "MainLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value>
mlir::conv::createRegisterStagedLoop(const Kernel &kernel,
                                     const MainLoopParts &parts) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t steps = llvm::divideCeil(kernel.form.getReduction(), kernel.gemmK());
  bool isDouble = kernel.form.schedule.getStages() == 2;

  Value stage = math.constant(0);
  parts.finish(parts.start(math.constant(0), stage, math.yes()), stage);
  gpu::BarrierOp::create(b);
  SmallVector<Value> sums = parts.matrix.createZeros();
  if (steps == 1)
    return parts.matrix.createStep(sums, stage);

  // All steps but the last: the tile of the next step is on its way.
  SmallVector<Value> carried = sums;
  carried.push_back(stage);
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant((steps - 1) * kernel.gemmK()),
      math.constant(kernel.gemmK()), carried,
      [&](OpBuilder &, Location, Value k, ValueRange carriedValues) {
        Value current = isDouble ? carriedValues.back() : stage;
        Value other = isDouble ? math.bitXor(current, math.constant(1)) : stage;
        TileLoads loads =
            parts.start(math.add(k, kernel.gemmK()), other, math.yes());
        ScheduleFenceOp::create(b);
        SmallVector<Value> next =
            parts.matrix.createStep(carriedValues.drop_back(), current);
        ScheduleFenceOp::create(b);
        if (!isDouble)
          gpu::BarrierOp::create(b);
        parts.finish(loads, other);
        gpu::BarrierOp::create(b);
        next.push_back(other);
        scf::YieldOp::create(b, next);
      });
  disableUnrolling(loop);
  ValueRange results = loop.getResults();
  return parts.matrix.createStep(results.drop_back(),
                                 isDouble ? results.back() : stage);
}
