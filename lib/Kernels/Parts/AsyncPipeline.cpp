//===- AsyncPipeline.cpp - pipelines of async copies ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In step i, the copies refill the stage that step i - 1 read with the tile of
// step i + stages - 1: after the barrier at the start of step i, nobody reads
// that stage any more. Every step commits a group of copies, even an empty one
// if no tile is left, so that "all groups but the last stages - 2" always means
// the tile of the current step.
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"
#include "LoopUnrolling.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value>
mlir::conv::createAsyncPipeline(const Kernel &kernel, const SharedNumber &steps,
                                int64_t stages, ValueRange sums,
                                const AsyncPipelineStep &parts) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  // Prologue: starts the copies of the first steps' tiles.
  for (int64_t step = 0; step < stages - 1; ++step) {
    if (step < steps.maximum()) {
      Value number = math.constant(step);
      Value hasTile =
          step < steps.minimum() ? math.yes() : math.below(number, steps);
      parts.fill(number, number, hasTile)();
    }
    NVVM::CpAsyncCommitGroupOp::create(b);
  }

  auto carried = llvm::to_vector(sums);
  carried.push_back(math.constant(0));
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(steps), math.constant(1), carried,
      [&](OpBuilder &, Location, Value step, ValueRange carriedValues) {
        Value current = carriedValues.back();
        NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
        gpu::BarrierOp::create(b);
        Value free = math.rem(math.add(current, stages - 1), stages);
        Value later = math.add(step, stages - 1);
        std::function<void()> finish =
            parts.fill(later, free, math.below(later, steps));
        NVVM::CpAsyncCommitGroupOp::create(b);
        SmallVector<Value> next =
            parts.multiply(current, carriedValues.drop_back());
        finish();
        next.push_back(math.rem(math.add(current, 1), stages));
        scf::YieldOp::create(b, next);
      });
  disableUnrolling(loop);
  return llvm::to_vector_of<Value>(loop.getResults().drop_back());
}
