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

/// What kernels whose filter stays in shared memory make of a problem, if they
/// can compute it.
struct WeightStationaryFacts {
  int64_t channels = 0;                        ///< Of halo tiles.
  int64_t haloTileBytes = 0, haloTileRows = 0; ///< Of one: in shared memory.
  int64_t taps = 1;                            ///< That share a halo tile.
};

} // namespace conv

#endif // CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYFACTS_H
