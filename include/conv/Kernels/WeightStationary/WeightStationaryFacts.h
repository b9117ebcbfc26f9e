//===- WeightStationaryFacts.h - facts of a problem -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYFACTS_H
#define CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYFACTS_H

#include "conv/Kernels/Problem.h"

namespace conv {

/// The facts of a problem that kernels with the filter in shared memory can
/// compute.
struct WeightStationaryFacts {
  int64_t channels = 0;                        ///< Channels of halo tiles.
  int64_t haloTileBytes = 0, haloTileRows = 0; ///< One tile in shared memory.
  int64_t taps = 1;                            ///< Taps that share one.
};

} // namespace conv

#endif // CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYFACTS_H
