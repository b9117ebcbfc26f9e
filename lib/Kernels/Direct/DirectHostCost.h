//===- DirectHostCost.h - the cost of direct kernels on the host *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H

#include "TapRuns.h"

#include "DirectModel.h"
#include "conv/Chip/HostCalibration.h"

namespace mlir::conv {

/// Adds one product to the cost: instructions of copies, products and results.
/// `isReduction`: of the main loop `direct_reduction`.
void addHostProduct(const DirectTiling &tiling, const ViewedProduct &product,
                    bool isReduction, const ::conv::ChipInfo &chip,
                    DirectCost &cost);

/// Sums that each vector of a register tile has, so that enough products are in
/// flight: taps are added to one after the other, and all up at the end.
inline int64_t countChains(const ::conv::HostCalibration &fit, int64_t vectors,
                           int64_t taps) {
  auto inFlight = int64_t(fit.ports * fit.latencyCycles);
  return std::clamp<int64_t>(inFlight / vectors, 1, std::min(taps, kTapsOfRun));
}

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H
