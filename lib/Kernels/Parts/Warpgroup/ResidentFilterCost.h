//===- ResidentFilterCost.h - the time to load a filter ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTERCOST_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTERCOST_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/WarpgroupTile.h"
#include "conv/Kernels/Problem.h"

#include <algorithm>
#include <numeric>

namespace conv {

/// Elements of the right operand that a load of `ResidentFilter` brings: as
/// many as are adjacent along a column, of which `run` have consecutive numbers
/// (`FilterOrder`), or along a row.
inline int64_t countLoadedElements(const Run &right, int64_t run) {
  int64_t most = right.isAlongReduction ? run : WarpgroupTile::kAccess;
  return std::gcd(most, right.elements);
}

/// Cycles in which a work-item loads `elements` of a resident filter after the
/// loads that the launch hides.
inline double computeFilterCycles(const ChipInfo &chip, const Run &right,
                                  int64_t run, double elements) {
  const LineBufferCalibration &fit = chip.calibration->lineBuffer;
  double loads = elements / double(countLoadedElements(right, run));
  return fit.filterLoadCycles * std::max(0.0, loads - fit.launchLoads);
}

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTERCOST_H
