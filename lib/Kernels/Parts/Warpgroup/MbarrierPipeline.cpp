//===- MbarrierPipeline.cpp - a pipeline of mbarriers -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A "full" barrier counts one arrival of the producer, and announced bytes.
//
//===----------------------------------------------------------------------===//

#include "MbarrierPipeline.h"

using namespace mlir;
using namespace mlir::conv;

/// Maximal nanoseconds for which one try suspends the warp; tries repeat.
static constexpr int64_t kTryNanoseconds = 10000000;

void MbarrierPipeline::initializeEach(Value first, int64_t count) const {
  for (int64_t stage = 0; stage < stages; ++stage)
    NVVM::MBarrierInitOp::create(
        ptx.b,
        ptx.offset(first,
                   ptx.math.mul(ptx.math.constant(stage), kBarrierBytes)),
        ptx.math.constant(count), Value());
  NVVM::FenceMbarrierInitOp::create(ptx.b);
}

void MbarrierPipeline::initialize(int64_t fills, int64_t releases) const {
  initializeEach(full, fills);
  initializeEach(empty, releases);
}

void MbarrierPipeline::initializeFull(int64_t fills) const {
  initializeEach(full, fills);
}

PipelineState MbarrierPipeline::getStart() const {
  return {ptx.math.constant(0), ptx.math.constant(0)};
}

PipelineState MbarrierPipeline::getPosition(Value step) const {
  return {ptx.math.rem(step, stages),
          ptx.math.rem(ptx.math.div(step, stages), 2)};
}

PipelineState MbarrierPipeline::getNext(PipelineState position) const {
  Value next = ptx.math.add(position.stage, 1);
  Value wraps = ptx.equal(next, stages);
  Value flip = arith::ExtUIOp::create(ptx.b, ptx.b.getI32Type(), wraps);
  return {ptx.select(wraps, 0, next), ptx.math.bitXor(position.phase, flip)};
}

Value MbarrierPipeline::acquire(PipelineState position, Value bytes) const {
  waitForEmpty(position);
  announce(position.stage, bytes);
  return getFull(position.stage);
}

void MbarrierPipeline::waitForEmpty(PipelineState position) const {
  wait(getEmpty(position.stage),
       ptx.math.bitXor(position.phase, ptx.math.constant(1)));
}

void MbarrierPipeline::announce(Value stage, Value bytes) const {
  NVVM::MBarrierArriveExpectTxOp::create(
      ptx.b, /*res=*/Type(), getFull(stage), bytes, NVVM::MemScopeKind::CTA,
      /*relaxed=*/false, /*predicate=*/Value());
}

void MbarrierPipeline::wait(PipelineState position) const {
  wait(getFull(position.stage), position.phase);
}

void MbarrierPipeline::fill(Value stage) const {
  NVVM::MBarrierArriveOp::create(ptx.b, ptx.b.getI64Type(), getFull(stage),
                                 Value());
}

void MbarrierPipeline::fillWithCopies(Value stage) const {
  ptx.signalCopies(getFull(stage));
}

void MbarrierPipeline::release(Value stage) const {
  NVVM::MBarrierArriveOp::create(ptx.b, ptx.b.getI64Type(), getEmpty(stage),
                                 Value());
}

Value MbarrierPipeline::getFull(Value stage) const {
  return ptx.offset(full, ptx.math.mul(stage, kBarrierBytes));
}

Value MbarrierPipeline::getEmpty(Value stage) const {
  return ptx.offset(empty, ptx.math.mul(stage, kBarrierBytes));
}

void MbarrierPipeline::wait(Value barrier, Value parity) const {
  NVVM::MBarrierTryWaitParityOp::create(ptx.b, barrier, parity,
                                        ptx.math.constant(kTryNanoseconds));
}
