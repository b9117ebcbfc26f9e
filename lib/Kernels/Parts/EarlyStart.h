//===- EarlyStart.h - kernels that overlap in a stream ----------*- C++ -*-===//
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
// shared memory and places in compute units (WarpgroupGemm/README.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_EARLYSTART_H
#define CONV_LIB_KERNELS_PARTS_EARLYSTART_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// Whether a kernel can start before the previous kernel has ended.
bool canStartEarly(const ::conv::ChipInfo &chip);

/// If the chip can, lets the next kernel start early if `isNextEarly`, and
/// waits for the previous kernels. Code built before this overlaps with these.
void startEarly(ImplicitLocOpBuilder &b, const ::conv::ChipInfo &chip,
                bool isNextEarly = true);

/// Whether a kernel that starts early lets the next one start while it runs.
/// Split-K products, of `workgroups` in all, and the kernel that adds their
/// slices only do so if the kernels of two calls fit on separate compute units.
bool letsNextStart(ScheduleAttr schedule, const ::conv::ChipInfo &chip,
                   int64_t workgroups);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_EARLYSTART_H
