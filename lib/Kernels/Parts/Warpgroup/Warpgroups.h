//===- Warpgroups.h - kernels whose warpgroups have roles -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common code of kernels in which one warpgroup copies the tiles that the
// other warpgroups multiply.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H

#include "PtxBuilder.h"
#include "conv/Kernels/BuildKernel.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// Why there is no candidate with warpgroups: the chip or the type has no
/// `wgmma`, or `check` finds an obstacle in the first product of the plan.
/// Empty if no tile fits.
std::string explainWarpgroupAbsence(
    ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
    const PlanOptions &options,
    function_ref<void(const ViewedProduct &, std::string &)> check);

/// The shared memory to request so that a compute unit runs one workgroup at a
/// time. With programmatic dependent launch, workgroups of the next kernel
/// would otherwise crowd onto the units that the previous kernel leaves idle.
int64_t reserveComputeUnit(const ::conv::ChipInfo &chip, int64_t sharedBytes);

/// Creates a kernel's function without a body. Arguments that have a map are
/// passed as tensor maps.
gpu::GPUFuncOp createWarpgroupFunction(OpBuilder &builder, Location loc,
                                       StringRef name,
                                       ArrayRef<KernelArgument> arguments,
                                       const ::conv::WarpgroupTile &tile);

/// The description of the kernel that `b` is building for `form`, whose tensors
/// are in `arguments`.
Kernel createWarpgroupKernel(ImplicitLocOpBuilder &b,
                             const TiledConvolution &form,
                             const ::conv::ChipInfo &chip, ValueRange arguments,
                             const ::conv::WarpgroupTile &tile);

/// The address of the shared memory that the kernel requests at launch.
Value createSharedMemory(ImplicitLocOpBuilder &b, gpu::GPUModuleOp module);

/// Builds `producer` for one lane, and `consumer` for the warpgroups that
/// multiply, with the numbers of the consumer and of the work-item in it. In
/// the producer's warpgroup, one more lane per consumer may run `epilogueWarp`,
/// or all lanes of the other warps `converter`, with their number.
/// `createGatherRoles` builds `producer` for all lanes of that warpgroup.
void createGatherRoles(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                       Value workItem, function_ref<void()> producer,
                       function_ref<void(Value, Value)> consumer);
void createRoles(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                 Value workItem, function_ref<void()> producer,
                 function_ref<void(Value, Value)> consumer,
                 function_ref<void(Value)> epilogueWarp = nullptr,
                 function_ref<void(Value)> converter = nullptr);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H
