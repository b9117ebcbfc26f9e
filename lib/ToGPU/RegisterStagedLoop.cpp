//===- RegisterStagedLoop.cpp - double buffer in shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One barrier a step suffices with two stages: a stage is written only after
// the barrier that ends the step in which it was read.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

/// The pieces of both operands at one step, in registers.
static SmallVector<Value> loadBoth(const MainLoopParts &parts, Value k) {
  SmallVector<Value> pieces = parts.lhs.load(k);
  pieces.append(parts.rhs.load(k));
  return pieces;
}

static void storeBoth(const MainLoopParts &parts, ValueRange pieces,
                      size_t numLeftPieces, Value stage) {
  parts.lhs.store(pieces.take_front(numLeftPieces), stage);
  parts.rhs.store(pieces.drop_front(numLeftPieces), stage);
}

/// Unrolling a loop whose body is a whole tile only costs compile time and
/// instruction cache.
static void disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true),
                                          {}, {}, {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  // The name that llvm.br has for it: conversions copy it from loop to branch.
  loop->setAttr("loop_annotation", annotation);
}

SmallVector<Value>
mlir::conv::createRegisterStagedLoop(const Kernel &kernel,
                                     const MainLoopParts &parts) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t steps = llvm::divideCeil(kernel.form.getReduction(), kernel.gemmK());

  SmallVector<Value> first = parts.lhs.load(math.constant(0));
  size_t numLeftPieces = first.size();
  first.append(parts.rhs.load(math.constant(0)));
  Value stage = math.constant(0);
  storeBoth(parts, first, numLeftPieces, stage);
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
        Value current = carriedValues.back();
        SmallVector<Value> pieces =
            loadBoth(parts, math.add(k, kernel.gemmK()));
        SmallVector<Value> next =
            parts.matrix.createStep(carriedValues.drop_back(), current);
        Value other = math.bitXor(current, math.constant(1));
        storeBoth(parts, pieces, numLeftPieces, other);
        gpu::BarrierOp::create(b);
        next.push_back(other);
        scf::YieldOp::create(b, next);
      });
  disableUnrolling(loop);
  ValueRange results = loop.getResults();
  return parts.matrix.createStep(results.drop_back(), results.back());
}
