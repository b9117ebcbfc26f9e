//===- HaloTileView.h - indices that are numbered tile by tile --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Positions of a halo tile in each dimension of the view's positions, or
/// nothing if those are not numbered halo tile by halo tile.
SmallVector<int64_t> getHaloTile(ViewAttr view);

/// `view` as if its positions and channels were in order, those after the last
/// ones included, instead of halo tile by halo tile and row by row: the digits
/// of the parts of an index are one, which takes the place of the innermost of
/// them. It is null if coordinates do not count the parts as one index.
ViewAttr joinTiles(ViewAttr view);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
