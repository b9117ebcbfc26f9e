//===- DependentLaunch.cpp - kernels that overlap in a stream -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DependentLaunch.h"

#include "Warpgroup/PtxBuilder.h"

#include "conv/Chip/Chip.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::waitForKernels(ImplicitLocOpBuilder &b, LaunchAttr launch) {
  if (!launch)
    return;
  PtxBuilder ptx(b);
  if (launch.getNext() == NextKernel::AtOnce)
    ptx.startNextKernel();
  ptx.waitForKernels();
}

NextKernel mlir::conv::selectNextOfProduct(ScheduleAttr schedule,
                                           const ::conv::ChipInfo &chip,
                                           int64_t workgroups) {
  // Each call has a product and a sum.
  constexpr int64_t kKernelsOfTwoCalls = 4;
  bool fits = schedule.getSplits() == 1 ||
              workgroups * kKernelsOfTwoCalls <= chip.computeUnits;
  return fits ? NextKernel::AtOnce : NextKernel::AtEnd;
}
