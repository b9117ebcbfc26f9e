//===- TensorMaps.h - tensor maps of a kernel -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// The rows of boxes in shared memory.
struct BoxRows {
  int64_t bytes = ::conv::WarpgroupTile::kRowBytes;
  int64_t elementBytes = ::conv::WarpgroupTile::kElementBytes;
  Arithmetic arithmetic = Arithmetic::F32; ///< tf32: copies round.

  int64_t elements() const { return bytes / elementBytes; }
  /// The swizzle as tensor maps encode it: 16 means none.
  int64_t swizzle() const {
    using Tile = ::conv::WarpgroupTile;
    return Tile::isSwizzled(bytes) ? bytes : Tile::kAccessBytes;
  }
};

/// Whole rows of an operand. Copies round f32 that is multiplied as tf32.
BoxRows getOperandRows(const TmaGeometry &geometry,
                       const ::conv::WarpgroupTile &tile);

/// Boxes of a window's tensor: `positions` positions of one tap, with as many
/// channels as a row holds.
TensorMapAttr createWindowMap(MLIRContext *context, const TmaWindow &window,
                              int64_t positions, BoxRows rows = {});
/// Boxes of an image with the given extent in each dimension, and as many
/// channels as a row holds.
TensorMapAttr createBlockMap(MLIRContext *context, const TmaWindow &window,
                             ArrayRef<int64_t> extents, BoxRows rows = {});
/// Boxes of the window's tensor, each a halo tile including its halo.
TensorMapAttr createHaloTileMap(MLIRContext *context,
                                const TmaGeometry &geometry, BoxRows rows);
/// Such boxes with the halo tiles of a tile whose rows are taps.
TensorMapAttr createTapRowsMap(MLIRContext *context,
                               const TmaGeometry &geometry, int64_t rowsOfTile,
                               BoxRows rows);
/// Boxes of a filter with one tap: of `channels` output channels, or, if the
/// filter is transposed, of one row of output channels.
TensorMapAttr createFilterMap(MLIRContext *context, const TmaGeometry &geometry,
                              int64_t channels, BoxRows rows);
/// Boxes of a matrix: a row of reduction elements for each of
/// `rowsOfTile` rows, or, if rows are innermost, as many rows as such elements.
TensorMapAttr createMatrixMap(MLIRContext *context, const TmaGeometry &geometry,
                              const TmaMatrix &matrix, int64_t rowsOfTile,
                              BoxRows rows);
/// Boxes of a left operand that is reduced over positions: a row of channels
/// for as many positions. Dimensions are channels, positions and segments of
/// positions; or, if boxes are blocks of halo tiles, the operand's dimensions.
TensorMapAttr createPositionsMap(MLIRContext *context,
                                 const TmaGeometry &geometry, BoxRows rows);
/// Boxes of a result that is copied: a chunk of columns of an atom's rows.
/// Returns a null map if lanes store the result.
TensorMapAttr createResultMap(MLIRContext *context, const TmaResult &result,
                              const ::conv::WarpgroupTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H
