//===- BufferKernel.h - kernels with a resident filter ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernels of the line_buffer and weight_stationary main loops have in
// common: one subproblem, whose filter is in shared memory, and tiles that the
// workgroups take in turn.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_BUFFERKERNEL_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_BUFFERKERNEL_H

#include "../Kernel.h"
#include "PtxBuilder.h"
#include "conv/Kernels/BuildKernel.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// What differs between these kernels at launch.
struct BufferLaunch {
  const ::conv::WarpgroupTile &tile;
  int64_t sharedBytes;
  TensorMapAttr leftMap, resultMap; ///< Null if lanes access it.
};

/// Why such a family has no kernel for all products of a convolution. `check`
/// sets the obstacle of one product, or leaves it empty if there is none.
std::string findProductObstacle(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(const ViewedProduct &, std::string &)> check);

/// The only subproblem of a kernel; emits an error if there are several.
FailureOr<KernelSubproblem>
getOnlySubproblem(ArrayRef<KernelSubproblem> subproblems);

/// The workgroups of such a kernel.
int64_t countBufferWorkgroups(const TiledConvolution &form,
                              const ::conv::ChipInfo &chip);

/// When the kernel after the one that adds split-K slices may start.
NextKernel selectNextOfSum(const TiledConvolution &sum,
                           const ::conv::ChipInfo &chip);

/// Creates the kernel's function. `createBody` gets the kernel, the number of
/// its workgroups, and the address of its shared memory.
BuiltKernel buildBufferKernel(
    const PtxBuilder &ptx, const KernelSubproblem &subproblem,
    const ::conv::ChipInfo &chip, StringRef name, const BufferLaunch &launch,
    function_ref<void(const Kernel &, int64_t, Value)> createBody);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_BUFFERKERNEL_H
