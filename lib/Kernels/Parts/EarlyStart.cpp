//===- EarlyStart.cpp - kernels that overlap in a stream ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyStart.h"

#include "Warpgroup/PtxBuilder.h"

#include "conv/Chip/Chip.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::canStartEarly(const ::conv::ChipInfo &chip) {
  return chip.backend == ::conv::Backend::NVPTX && chip.maxCluster() > 1;
}

void mlir::conv::startEarly(ImplicitLocOpBuilder &b,
                            const ::conv::ChipInfo &chip, bool isNextEarly) {
  if (!canStartEarly(chip))
    return;
  PtxBuilder ptx(b);
  if (isNextEarly)
    ptx.startNextKernel();
  ptx.waitForKernels();
}

bool mlir::conv::letsNextStart(ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip,
                               int64_t workgroups) {
  // Each call has a product and a sum.
  constexpr int64_t kKernelsOfTwoCalls = 4;
  return !schedule || schedule.getSplits() == 1 ||
         workgroups * kKernelsOfTwoCalls <= chip.computeUnits;
}
