//===- SearchLimits.h - which plans are ranked ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of what is ranked, which keep ranking short. A schedule beyond them
// can still be given by hand. Limits of tiles stand in the folder of each
// kernel family.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_SEARCHLIMITS_H
#define CONV_LIB_SCHEDULE_SEARCHLIMITS_H

#include <cstdint>

namespace mlir::conv {

/// Tile rows or columns beyond which plan options make no difference.
inline constexpr int64_t kLargestTile = 256;
/// With few tiles, only split-K slices run in parallel: more of them are ranked
/// if they fill the chip.
inline constexpr int64_t kFewTiles = 4;
/// Sides of halo tiles. Larger ones come first, because their halos are
/// relatively smaller and the first of equal costs wins.
inline constexpr int64_t kHaloTileSides[] = {16, 8};
/// Tile rows for which split-K over halo tiles is enumerated.
inline constexpr int64_t kHaloTileRows[] = {64, 128, 192, 256};
/// The most tile columns, if rows are taps, and the most columns for which that
/// is worth it: more columns fill the matrix instructions either way.
inline constexpr int64_t kMostTapColumns = 96;

/// The most channels of merged groups: they fill a row of a tensor copy.
inline constexpr int64_t kMergedChannels = 64;
/// Groups of fewer channels have direct kernels, which do less work than a
/// product of merged groups.
inline constexpr int64_t kFewestChannels = 4;
/// The most groups that are merged only for channels that are whole vectors.
inline constexpr int64_t kMostAlignedGroups = 8;
/// The most channels of a group that the host multiplies along positions: any
/// number of channels, and those that are not whole vectors.
inline constexpr int64_t kMostHostChannels = 8;
inline constexpr int64_t kMostPartialHostChannels = 32;
/// The most channels that are worth unfolding, and the most elements, as a
/// multiple of the elements of all tensors.
inline constexpr int64_t kMaxUnfoldedChannels = 4096;
inline constexpr double kMaxUnfoldedShare = 3;

/// Elements of Winograd's tile in each dimension that are worth ranking: those
/// of F(2, 3) and F(4, 3), and as many interpolation points for other filters.
inline constexpr int64_t kWinogradTiles[] = {4, 6};

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_SEARCHLIMITS_H
