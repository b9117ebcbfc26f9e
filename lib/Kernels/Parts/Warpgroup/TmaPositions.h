//===- TmaPositions.h - where rows and taps are in images -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAPOSITIONS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAPOSITIONS_H

#include "../Kernel.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// The image and the position in each dimension for a number among `positions`,
/// counted in plain order or halo tile by halo tile.
SmallVector<Value> createPosition(const IndexMath &math,
                                  ArrayRef<int64_t> positions,
                                  ArrayRef<int64_t> haloTile, Value number);

/// The number of a segment among the segments of all slices, given its number
/// in `slice`.
Value createSegment(const IndexMath &math, const TmaGeometry &geometry,
                    Value inSlice, Value slice);

/// Elements between the first tap of a window and the tap with this number, in
/// each dimension.
SmallVector<Value> createTapOffsets(const IndexMath &math,
                                    const TmaWindow &window, Value tap);

/// Bytes between these taps within a halo tile.
Value createTapBytes(const IndexMath &math, const TmaGeometry &geometry,
                     Value tap);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMAPOSITIONS_H
