//===- ElementwiseBody.h - kernels without a product, on a GPU --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISEBODY_H
#define CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISEBODY_H

#include "../Parts/KernelBody.h"

#include "conv/Plan/TransformSchedules.h"

namespace mlir::conv {

/// Whether the work-items of a kernel take their results one after the other
/// (`ElementwiseStream`), and whole rows so: each has a run of rows.
bool streamsElements(const TiledConvolution &form,
                     const ::conv::ChipInfo &chip);

/// How many times a tile has the elements that a workgroup has at a time.
int64_t countElementwiseShares(const std::array<int64_t, 3> &tile,
                               int64_t elements);
int64_t countElementwiseShares(const TiledConvolution &form);
/// The number of workgroups that share a tile.
int64_t countSharingWorkgroups(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip);

/// Elements of a work-item: a vector, if they are adjacent in memory.
int64_t countElementwiseElements(const TiledConvolution &form);
int64_t countElementwiseElements(int64_t operands, int64_t results);

/// Builds the kernel of an epilogue without a product.
LogicalResult createElementwiseBody(Kernel &kernel, gpu::GPUFuncOp function);

/// The distance in memory of neighbouring rows of a transform's source if its
/// tiles are transposed, by a GPU in shared memory, else 0: rows are near each
/// other in the source, and columns are adjacent in the result.
int64_t getTurnedDistance(const TiledConvolution &form,
                          const ::conv::ChipInfo &chip);
/// That distance for a copy between two views of equal shape.
int64_t getTurnedDistance(const ViewedTensor &source,
                          const ViewedTensor &result,
                          const ::conv::ChipInfo &chip);

/// Builds such a transform as a kernel of `kElementwiseWorkItems`.
LogicalResult createTransposeBody(Kernel &kernel, gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISEBODY_H
