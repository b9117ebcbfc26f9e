//===- VectorExchange.cpp - vectors that work-items exchange ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In shared memory, vectors have the order they have in the result. If each
// work-item has an odd number of vectors, lanes that write at the same time use
// different banks. Lanes read neighbouring vectors.
//
//===----------------------------------------------------------------------===//

#include "VectorExchange.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Workgroups per unit for which two buffers must leave room.
static constexpr int64_t kWorkgroupsOfUnit = 8;

bool VectorExchange::allocate(gpu::GPUFuncOp function) {
  auto space = gpu::AddressSpaceAttr::get(site.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({site.workItems * elements}, site.element,
                              AffineMap(), space);
  int64_t bytes = computeBytes(type);
  if (bytes > site.chip.staticSharedMemory)
    return false;
  bool fitTwo = 2 * bytes <= site.chip.staticSharedMemory &&
                2 * bytes * kWorkgroupsOfUnit <= site.chip.sharedMemoryOfUnit;
  for (int i = 0; i < (fitTwo ? 2 : 1); ++i)
    buffers.push_back(function.addWorkgroupAttribution(type, site.b.getLoc()));
  return true;
}

Value VectorExchange::createOffset(Value number) const {
  return arith::IndexCastOp::create(site.b, site.b.getIndexType(),
                                    site.math.mul(number, part));
}

VectorExchange::Place VectorExchange::getPlace(int64_t i) const {
  const IndexMath &math = site.math;
  Value number = math.add(site.workItem, i * site.workItems);
  return {math.div(number, countVectors()), math.rem(number, countVectors())};
}

SmallVector<Value> VectorExchange::exchange(ValueRange vectors) {
  ImplicitLocOpBuilder &b = site.b;
  const IndexMath &math = site.math;
  Value buffer = buffers[turn++ % buffers.size()];
  int64_t bytes = part * getElementBytes(site.element);
  Value own = math.mul(site.workItem, countVectors());
  for (auto [i, stored] : llvm::enumerate(vectors))
    vector::StoreOp::create(b, stored, buffer, createOffset(math.add(own, i)))
        .setAlignment(bytes);
  gpu::BarrierOp::create(b);
  SmallVector<Value> read;
  for (int64_t i = 0; i < countVectors(); ++i) {
    Value number = math.add(site.workItem, i * site.workItems);
    auto load = vector::LoadOp::create(b, vectors.front().getType(), buffer,
                                       createOffset(number));
    load.setAlignment(bytes);
    read.push_back(load);
  }
  if (buffers.size() == 1)
    gpu::BarrierOp::create(b);
  return read;
}

void VectorExchange::endRound() {
  // After an odd number of exchanges, the first buffer may still be read.
  if (buffers.size() > 1 && turn % 2 == 1)
    gpu::BarrierOp::create(site.b);
  turn = 0;
}
