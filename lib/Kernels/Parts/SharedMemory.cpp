//===- SharedMemory.cpp - buffers in shared memory --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The size of every buffer is a multiple of 16 bytes, so that the next buffer
// is aligned too.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value> mlir::conv::allocateShared(Kernel &kernel,
                                              gpu::GPUFuncOp function,
                                              ArrayRef<MemRefType> types) {
  ImplicitLocOpBuilder &b = kernel.b;
  int64_t bytes = llvm::sum_of(llvm::map_range(types, computeBytes));
  SmallVector<Value> buffers;
  if (bytes <= kernel.chip.staticSharedMemory) {
    // All subproblems of a kernel share one list of buffers, in this order.
    for (auto [i, type] : llvm::enumerate(types))
      buffers.push_back(
          i < function.getNumWorkgroupAttributions()
              ? function.getWorkgroupAttributions()[i]
              : function.addWorkgroupAttribution(type, b.getLoc()));
    return buffers;
  }
  kernel.dynamicSharedBytes = bytes;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), AffineMap(),
                         space));
  int64_t offset = 0;
  for (MemRefType type : types) {
    buffers.push_back(memref::ViewOp::create(
        b, type, memory, arith::ConstantIndexOp::create(b, offset),
        ValueRange{}));
    offset += computeBytes(type);
  }
  return buffers;
}
