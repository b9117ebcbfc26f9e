//===- WeightStationaryTile.h - a workgroup's tile --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used by the schedule's verifier, by the cost model and by the kernel. Plain
// numbers, nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYTILE_H
#define CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYTILE_H

#include "conv/Kernels/Parts/Warpgroup/FilterTile.h"

namespace conv {

/// A buffer holds a *slice*: 64 channels of the halo tiles of a tile, with
/// their halos. The filter's rows come slice by slice, and tap by tap in a
/// slice.
struct WeightStationaryTile : FilterTile {
  int64_t taps, channels;

  WeightStationaryTile(WarpgroupTile tile, int64_t taps, int64_t channels)
      : FilterTile{tile, ceilDiv(channels, WarpgroupTile::kRowElements) * taps,
                   tile.haloTileBytes},
        taps(taps), channels(channels) {}

  int64_t countSlices() const { return filterRows / taps; }
};

} // namespace conv

#endif // CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYTILE_H
