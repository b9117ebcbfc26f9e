//===- AsyncStagedLoop.cpp - a ring of tiles in shared memory ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step i fills the stage that step i - 1 read, with the tile of step
// i + stages - 1: after the barrier at its start, nobody reads that stage any
// more. Every step commits a group of copies, an empty one if there is no such
// tile, so that "all groups but the last stages - 2" always means the tile of
// this step.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value>
mlir::conv::createAsyncStagedLoop(const Kernel &kernel,
                                  const MainLoopParts &parts) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t gemmK = kernel.gemmK();
  int64_t steps = llvm::divideCeil(kernel.form.getReduction(), gemmK);
  int64_t stages = kernel.form.schedule.getStages();

  // The tiles of the first steps.
  for (int64_t step = 0; step < stages - 1; ++step) {
    Value stage = math.constant(step);
    if (step < steps)
      parts.finish(parts.start(math.constant(step * gemmK), stage, math.yes()),
                   stage);
    NVVM::CpAsyncCommitGroupOp::create(b);
  }

  SmallVector<Value> carried = parts.matrix.createZeros();
  carried.push_back(math.constant(0));
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(steps * gemmK), math.constant(gemmK),
      carried, [&](OpBuilder &, Location, Value k, ValueRange carriedValues) {
        Value current = carriedValues.back();
        NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
        gpu::BarrierOp::create(b);
        Value free = math.rem(math.add(current, stages - 1), stages);
        Value later = math.add(k, (stages - 1) * gemmK);
        TilePieces pieces =
            parts.start(later, free, math.below(later, steps * gemmK));
        NVVM::CpAsyncCommitGroupOp::create(b);
        SmallVector<Value> next =
            parts.matrix.createStep(carriedValues.drop_back(), current);
        parts.finish(pieces, free);
        next.push_back(math.rem(math.add(current, 1), stages));
        scf::YieldOp::create(b, next);
      });
  disableUnrolling(loop);
  return loop.getResults().drop_back();
}
