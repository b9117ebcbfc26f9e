//===- DependentLaunch.h - kernels that overlap in a stream -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With programmatic dependent launch, the next kernel of a stream starts when
// all workgroups of this one have let it start, or have ended. It then waits
// itself for the results of all previous kernels, which hides most of a launch.
// Which kernels start early, and which let the next one start while they run,
// was measured: meanwhile the workgroups of the next kernel take registers,
// shared memory and places in compute units (WarpgroupGemm/README.md). The
// decision is the kernel's `conv.launch`; builders only obey.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_DEPENDENTLAUNCH_H
#define CONV_LIB_KERNELS_PARTS_DEPENDENTLAUNCH_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// Lets the next kernel start, if `launch` lets it do so at once, and waits for
/// the previous kernels: nothing without a `launch`. Code built before this
/// overlaps with these.
void waitForKernels(ImplicitLocOpBuilder &b, LaunchAttr launch);

/// When the kernel after a product of `workgroups` in all, or after the kernel
/// that adds its slices, starts. Both kernels of a split-K product let it start
/// at once only if the kernels of two calls fit on separate compute units.
NextKernel selectNextOfProduct(ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip,
                               int64_t workgroups);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_DEPENDENTLAUNCH_H
