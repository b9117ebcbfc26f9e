//===- VectorExchange.cpp - pieces of neighbours, side by side --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces are in shared memory in the order in which they follow each other in
// the result. An odd number of them for each work-item leaves no two lanes that
// write at a time in one bank, and lanes read neighbours.
//
//===----------------------------------------------------------------------===//

#include "VectorExchange.h"

#include "SharedMemory.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Workgroups of a unit that two buffers have to leave room for.
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
  return {math.div(number, countPieces()), math.rem(number, countPieces())};
}

SmallVector<Value> VectorExchange::exchange(ValueRange pieces) {
  ImplicitLocOpBuilder &b = site.b;
  const IndexMath &math = site.math;
  Value buffer = buffers[turn++ % buffers.size()];
  int64_t bytes = part * site.element.getIntOrFloatBitWidth() / 8;
  Value own = math.mul(site.workItem, countPieces());
  for (auto [i, piece] : llvm::enumerate(pieces))
    vector::StoreOp::create(b, piece, buffer, createOffset(math.add(own, i)))
        .setAlignment(bytes);
  gpu::BarrierOp::create(b);
  SmallVector<Value> read;
  for (int64_t i = 0; i < countPieces(); ++i) {
    Value number = math.add(site.workItem, i * site.workItems);
    auto load = vector::LoadOp::create(b, pieces.front().getType(), buffer,
                                       createOffset(number));
    load.setAlignment(bytes);
    read.push_back(load);
  }
  if (buffers.size() == 1)
    gpu::BarrierOp::create(b);
  return read;
}

void VectorExchange::endRound() {
  // After the second buffer, work-items have met since they read the first.
  if (buffers.size() > 1 && turn % 2 == 1)
    gpu::BarrierOp::create(site.b);
  turn = 0;
}
