//===- WeightStationaryGeometry.h - products of halo tiles with a filter --===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says whether the weight_stationary main loop can compute a matrix product,
// and how: asked when a schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYGEOMETRY_H
#define CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYGEOMETRY_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Kernels/WeightStationary/WeightStationaryTile.h"

namespace mlir::conv {

struct WeightStationaryGeometry {
  TmaGeometry product; ///< Without a filter, which may have any layout.
  TmaResult result;
};

/// The geometry of `result = lhs * transpose(rhs)`; or none, and `obstacle`
/// says what a buffer of halo tiles needs, as "expects ..., but got ...".
std::optional<WeightStationaryGeometry> computeWeightStationaryGeometry(
    const ViewedTensor &lhs, const ViewedTensor &rhs,
    const ViewedTensor &result, std::string &obstacle);

/// The tile of a schedule whose main loop is `weight_stationary`.
::conv::WeightStationaryTile
getWeightStationaryTile(ScheduleAttr schedule,
                        const WeightStationaryGeometry &geometry);

/// Why the schedule's buffers are impossible; empty if they are possible.
std::string checkHaloTiles(const WeightStationaryGeometry &geometry,
                           ScheduleAttr schedule, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYGEOMETRY_H
