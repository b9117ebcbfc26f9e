//===- HaloTileView.h - positions that are numbered halo tile by halo tile -*-
// C++ -*-=//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Positions of a halo tile in each dimension, or nothing if rows or columns
/// of these digits are no positions that are numbered halo tile by halo tile.
SmallVector<int64_t> getHaloTile(ArrayRef<int64_t> digits);

/// `view` as if its positions were in order, and channels that columns have in
/// rows, those behind the last ones included; itself if there are neither, and
/// null if coordinates do not count them.
ViewAttr removeHaloTiles(ViewAttr view);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
