//===- HaloTileView.h - indices numbered by halo tile -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The halo tile's size in each spatial dimension of the view, or nothing if
/// the view does not number positions halo tile by halo tile.
SmallVector<int64_t> getHaloTile(ViewAttr view);

/// Returns `view` with positions and channels in plain order, padded ones
/// included, instead of halo tile by halo tile and row by row. The digits of an
/// index's parts become one digit in the place of the innermost part. Returns
/// null if coordinates do not count the parts as one index.
ViewAttr joinTiles(ViewAttr view);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_HALOTILEVIEW_H
