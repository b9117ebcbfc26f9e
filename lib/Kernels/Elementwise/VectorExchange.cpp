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

#include "../Parts/SharedMemory.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Workgroups of a unit that two buffers have to leave room for.
static constexpr int64_t kWorkgroupsOfUnit = 8;

void VectorExchange::allocate(Kernel &mutableKernel, gpu::GPUFuncOp function) {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({kernel.workItems * elements},
                              kernel.form.getResultType(), AffineMap(), space);
  bool fitTwo = kernel.chip.sharedMemoryOfUnit >=
                2 * kWorkgroupsOfUnit * computeBytes(type);
  SmallVector<MemRefType> types(fitTwo ? 2 : 1, type);
  buffers = allocateShared(mutableKernel, function, types);
}

Value VectorExchange::createPlace(Value number) const {
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(),
                                    kernel.math.mul(number, part));
}

SmallVector<VectorExchange::Piece> VectorExchange::exchange(ValueRange pieces) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  Value buffer = buffers[turn++ % buffers.size()];
  int64_t count = pieces.size();
  int64_t bytes = computeBytes(cast<MemRefType>(buffer.getType())) /
                  (kernel.workItems * count);
  Value own = math.mul(kernel.workItem, count);
  for (auto [i, piece] : llvm::enumerate(pieces))
    vector::StoreOp::create(b, piece, buffer, createPlace(math.add(own, i)))
        .setAlignment(bytes);
  gpu::BarrierOp::create(b);
  SmallVector<Piece> read;
  for (int64_t i = 0; i < count; ++i) {
    Value number = math.add(kernel.workItem, i * kernel.workItems);
    auto load = vector::LoadOp::create(b, pieces.front().getType(), buffer,
                                       createPlace(number));
    load.setAlignment(bytes);
    read.push_back({math.div(number, count), math.rem(number, count), load});
  }
  if (buffers.size() == 1)
    gpu::BarrierOp::create(b);
  return read;
}
