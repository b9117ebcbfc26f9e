//===- Warpgroups.h - kernels whose warpgroups have roles -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels have in common in which one warpgroup copies what the others
// multiply.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H

#include "PtxBuilder.h"
#include "conv/Kernels/BuildKernel.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// Why there is no candidate of warpgroups: the chip or the type has no
/// `wgmma`, or `check` finds an obstacle in the only or the first product of
/// the plan, or no tile fits.
std::string explainWarpgroupAbsence(
    ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
    const PlanOptions &options,
    function_ref<void(const ViewedProduct &, std::string &)> check);

/// The shared memory to ask for so that a compute unit has one workgroup at a
/// time. Workgroups of a kernel that starts early would else crowd on the units
/// that the one before leaves idle.
int64_t reserveComputeUnit(const ::conv::ChipInfo &chip, int64_t sharedBytes);

/// Waits for the kernels in front of this one, and lets the next one start
/// early. A product in parts, which has so many workgroups, and the kernel that
/// adds them do not, unless those of two calls have units of their own.
void joinStream(const PtxBuilder &ptx, ScheduleAttr schedule,
                const ::conv::ChipInfo &chip, int64_t workgroups);

/// The same for a kernel without warpgroups, which adds parts of products.
void joinStream(const TiledConvolution &form, const ::conv::ChipInfo &chip,
                gpu::GPUFuncOp kernel);

/// A kernel's function, without a body. Arguments with a map are passed as
/// tensor maps.
gpu::GPUFuncOp createWarpgroupFunction(OpBuilder &builder, Location loc,
                                       StringRef name,
                                       ArrayRef<KernelArgument> arguments,
                                       const ::conv::TmaTile &tile);

/// The description of what a kernel, in which `b` is, does for `form`, whose
/// tensors are in `arguments`.
Kernel createWarpgroupKernel(ImplicitLocOpBuilder &b,
                             const TiledConvolution &form,
                             const ::conv::ChipInfo &chip, ValueRange arguments,
                             const ::conv::TmaTile &tile);

/// The address of the shared memory that is asked for at launch.
Value createSharedMemory(ImplicitLocOpBuilder &b, gpu::GPUModuleOp module);

/// What one lane does that copies, and what warpgroups do that multiply: their
/// number among those, and a work-item's in its warpgroup. Beside the producer,
/// another lane for each of them may be its `epilogue warp`, or all lanes of
/// the other warps convert: numbers of those.
void createRoles(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                 Value workItem, function_ref<void()> producer,
                 function_ref<void(Value, Value)> consumer,
                 function_ref<void(Value)> epilogueWarp = nullptr,
                 function_ref<void(Value)> converter = nullptr);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPS_H
