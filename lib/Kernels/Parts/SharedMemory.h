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

/// Allocates all shared-memory buffers of a kernel. If the size exceeds what
/// the kernel may declare statically, the kernel asks for it at launch.
SmallVector<Value> allocateShared(Kernel &kernel, gpu::GPUFuncOp function,
                                  ArrayRef<MemRefType> types);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_SHAREDMEMORY_H
