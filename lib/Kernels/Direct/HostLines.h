//===- HostLines.h - lines of a register tile of the host -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where vectors run along lines of an image, a register tile of the main loop
// `direct` has several lines: a vector of the input is loaded once for all
// lines whose windows have it. That matters because most of these vectors cross
// a cache line. The model and the kernel decide here how many lines there are.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_HOSTLINES_H
#define CONV_LIB_KERNELS_DIRECT_HOSTLINES_H

#include "conv/Chip/HostProcessor.h"
#include "conv/Kernels/Direct/DirectTiling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

namespace mlir::conv {

/// Lines of a register tile, which divide those of the tile: 1 if windows of
/// neighbouring lines share nothing, or have more taps than are worth
/// unrolling.
inline int64_t countHostLines(const DirectTiling &tiling,
                              const ::conv::ChipInfo &chip) {
  constexpr int64_t kMostTaps = 64;
  const DigitBox &rows = tiling.rows, &reduction = tiling.reduction;
  if (tiling.isAlongBatch || rows.innermost == 0 || reduction.innermost == 0 ||
      llvm::product_of(reduction.digits) > kMostTaps)
    return 1;
  size_t line = rows.innermost - 1, tap = reduction.innermost - 1;
  int64_t ofLine = tiling.lhs.distances[tiling.batch.getRank() + line];
  // Taps of data gradients are in the opposite direction.
  int64_t ofTap = std::abs(
      ArrayRef(tiling.lhs.distances).take_back(reduction.getRank())[tap]);
  bool isShared = ofTap > 0 && ofLine % ofTap == 0 &&
                  ofLine / ofTap < reduction.digits[tap];
  if (!isShared)
    return 1;
  // A quarter of the registers have sums; the others have vectors of the input
  // and elements of the filter.
  int64_t lanes = std::gcd(int64_t(chip.processor->vectorLanes), rows.run);
  int64_t most = chip.processor->vectorRegisters * lanes / (4 * rows.run);
  int64_t lines = rows.sizes[line];
  for (int64_t count = most; count > 1; --count)
    if (lines % count == 0)
      return count;
  return 1;
}

/// Whether register tiles have whole vectors of channels at pixels that the
/// layer has, so that they can be stored at once.
inline bool hasWholeRegisterTiles(const DirectTiling &tiling) {
  auto areWhole = [](const DigitBox &space) {
    return llvm::all_of(llvm::seq<size_t>(space.getRank()), [&](size_t d) {
      int64_t run = space.getRun(d);
      return space.digits[d] % run == 0 && space.sizes[d] % run == 0;
    });
  };
  return tiling.isAlongBatch && areWhole(tiling.batch) &&
         areWhole(tiling.rows) && areWhole(tiling.columns);
}

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_HOSTLINES_H
