//===- MbarrierRing.cpp - stages that travel from producer to consumer ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Full counts one arrival, the producer's, and the bytes that it announced.
//
//===----------------------------------------------------------------------===//

#include "MbarrierRing.h"

using namespace mlir;
using namespace mlir::conv;

/// How long a try may suspend the warp, in nanoseconds; it is repeated.
static constexpr int64_t kTryNanoseconds = 10000000;

void MbarrierRing::initializeEach(Value first, int64_t count) const {
  for (int64_t stage = 0; stage < stages; ++stage)
    NVVM::MBarrierInitOp::create(
        ptx.b,
        ptx.offset(first,
                   ptx.math.mul(ptx.math.constant(stage), kBarrierBytes)),
        ptx.math.constant(count), Value());
  NVVM::FenceMbarrierInitOp::create(ptx.b);
}

void MbarrierRing::initialize(int64_t fills, int64_t releases) const {
  initializeEach(full, fills);
  initializeEach(empty, releases);
}

void MbarrierRing::initializeFull(int64_t fills) const {
  initializeEach(full, fills);
}

RingPosition MbarrierRing::getStart() const {
  return {ptx.math.constant(0), ptx.math.constant(0)};
}

RingPosition MbarrierRing::getPosition(Value step) const {
  return {ptx.math.rem(step, stages),
          ptx.math.rem(ptx.math.div(step, stages), 2)};
}

RingPosition MbarrierRing::getNext(RingPosition position) const {
  Value next = ptx.math.add(position.stage, 1);
  Value wraps = ptx.equal(next, stages);
  Value flip = arith::ExtUIOp::create(ptx.b, ptx.b.getI32Type(), wraps);
  return {ptx.select(wraps, 0, next), ptx.math.bitXor(position.phase, flip)};
}

Value MbarrierRing::acquire(RingPosition position, Value bytes) const {
  waitForEmpty(position);
  announce(position.stage, bytes);
  return getFull(position.stage);
}

void MbarrierRing::waitForEmpty(RingPosition position) const {
  wait(getEmpty(position.stage),
       ptx.math.bitXor(position.phase, ptx.math.constant(1)));
}

void MbarrierRing::announce(Value stage, Value bytes) const {
  NVVM::MBarrierArriveExpectTxOp::create(
      ptx.b, /*res=*/Type(), getFull(stage), bytes, NVVM::MemScopeKind::CTA,
      /*relaxed=*/false, /*predicate=*/Value());
}

void MbarrierRing::wait(RingPosition position) const {
  wait(getFull(position.stage), position.phase);
}

void MbarrierRing::fill(Value stage) const {
  NVVM::MBarrierArriveOp::create(ptx.b, ptx.b.getI64Type(), getFull(stage),
                                 Value());
}

void MbarrierRing::release(Value stage) const {
  NVVM::MBarrierArriveOp::create(ptx.b, ptx.b.getI64Type(), getEmpty(stage),
                                 Value());
}

Value MbarrierRing::getFull(Value stage) const {
  return ptx.offset(full, ptx.math.mul(stage, kBarrierBytes));
}

Value MbarrierRing::getEmpty(Value stage) const {
  return ptx.offset(empty, ptx.math.mul(stage, kBarrierBytes));
}

void MbarrierRing::wait(Value barrier, Value parity) const {
  NVVM::MBarrierTryWaitParityOp::create(ptx.b, barrier, parity,
                                        ptx.math.constant(kTryNanoseconds));
}
