//===- KernelBody.h - what a main loop makes of a kernel --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A main loop is chosen by the schedule and builds everything between a
// kernel's arguments and its return, for one of its parts. GPU kernels share
// most parts; the host has its own.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_KERNELBODY_H
#define CONV_LIB_TOGPU_KERNELBODY_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Builds what a workgroup of `function` does for the kernel's form, at the
/// insertion point. Fails with a diagnostic if the schedule asks for what this
/// main loop cannot do.
using KernelBodyBuilder = LogicalResult (*)(Kernel &kernel,
                                            gpu::GPUFuncOp function);

/// Tiles in shared memory, which all work-items fill and multiply.
LogicalResult createStagedBody(Kernel &kernel, gpu::GPUFuncOp function);

/// Tiles in the cache of one thread; the workgroup is one work-item.
LogicalResult createHostCacheBody(Kernel &kernel, gpu::GPUFuncOp function);

/// Operands in shared memory, read once; sums in the registers of a work-item.
LogicalResult createDirectBody(Kernel &kernel, gpu::GPUFuncOp function);
/// The same, for a reduction that work-items share.
LogicalResult createDirectReductionBody(Kernel &kernel,
                                        gpu::GPUFuncOp function);
/// The same as `createDirectBody`, with matrix instructions.
LogicalResult createDirectMatrixBody(Kernel &kernel, gpu::GPUFuncOp function);

/// Work-items of a GPU's kernel without a product, and how many workgroups
/// share a tile.
inline constexpr int64_t kElementwiseWorkItems = 256;
int64_t countElementwiseShares(const TiledConvolution &form);

/// Kernels of an epilogue without a product, on a GPU and on the host.
LogicalResult createElementwiseBody(Kernel &kernel, gpu::GPUFuncOp function);
LogicalResult createHostElementwiseBody(Kernel &kernel,
                                        gpu::GPUFuncOp function);

/// Whether a GPU turns the tiles of a transform in shared memory: rows follow
/// each other in its source, and columns in its result.
bool turnsTiles(const TiledConvolution &form);

/// The kernel of such a transform, of `kElementwiseWorkItems`.
LogicalResult createTransposeBody(Kernel &kernel, gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_KERNELBODY_H
