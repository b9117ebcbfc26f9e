//===- SharedMemory.h - buffers in shared memory ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_SHAREDMEMORY_H
#define CONV_LIB_KERNELS_PARTS_SHAREDMEMORY_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Bytes of the elements of a buffer.
int64_t computeBytes(MemRefType type);

/// All buffers of a kernel in shared memory. The kernel asks for them at launch
/// if it may not declare as much.
SmallVector<Value> allocateShared(Kernel &kernel, gpu::GPUFuncOp function,
                                  ArrayRef<MemRefType> types);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_SHAREDMEMORY_H
