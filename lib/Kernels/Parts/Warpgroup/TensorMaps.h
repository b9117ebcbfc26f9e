//===- TensorMaps.h - tensor maps of a tma kernel ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Rows of boxes in shared memory.
struct BoxRows {
  int64_t bytes = ::conv::TmaTile::kRowBytes;
  int64_t elementBytes = ::conv::TmaTile::kElementBytes;
  Arithmetic arithmetic = Arithmetic::F32; ///< With tf32, copies round.

  int64_t elements() const { return bytes / elementBytes; }
  /// What a map calls it: 16 is none.
  int64_t swizzle() const {
    using Tile = ::conv::TmaTile;
    return Tile::isSwizzled(bytes) ? bytes : Tile::kGranuleBytes;
  }
};

/// Whole rows of an operand. Copies round f32 that is multiplied as it arrives.
BoxRows getOperandRows(const TmaGeometry &geometry,
                       const ::conv::TmaTile &tile);

/// Boxes of a window's tensor: one tap of that many positions, and as many
/// channels as rows hold.
TensorMapAttr createWindowMap(MLIRContext *context, const TmaWindow &window,
                              int64_t positions, BoxRows rows = {});
/// Boxes of so many elements of an image in each dimension, and as many
/// channels as rows hold.
TensorMapAttr createBlockMap(MLIRContext *context, const TmaWindow &window,
                             ArrayRef<int64_t> extents, BoxRows rows = {});
/// Boxes of the window's tensor that are halo tiles with their halos.
TensorMapAttr createHaloTileMap(MLIRContext *context,
                                const TmaGeometry &geometry, BoxRows rows);
/// Boxes of them that have the halo tiles of a tile whose rows are taps.
TensorMapAttr createTapRowsMap(MLIRContext *context,
                               const TmaGeometry &geometry, int64_t rowsOfTile,
                               BoxRows rows);
/// Boxes of a filter: one tap of that many channels of the result, or, if it is
/// transposed, of a row of them.
TensorMapAttr createFilterMap(MLIRContext *context, const TmaGeometry &geometry,
                              int64_t channels, BoxRows rows);
/// Boxes of a plain matrix: a row of the reduction of each of `rowsOfTile`
/// rows, or one of rows, if those are innermost, of as many elements.
TensorMapAttr createMatrixMap(MLIRContext *context, const TmaGeometry &geometry,
                              const TmaMatrix &matrix, int64_t rowsOfTile,
                              BoxRows rows);
/// Boxes of a left operand that is reduced over positions: a row of channels of
/// as many positions. Dimensions are channels, positions and runs of those; or,
/// if boxes are blocks of halo tiles, those of the operand.
TensorMapAttr createPositionsMap(MLIRContext *context,
                                 const TmaGeometry &geometry, BoxRows rows);
/// Boxes of a result that is copied, a chunk of columns of an atom's rows; none
/// if lanes store it.
TensorMapAttr createResultMap(MLIRContext *context, const TmaResult &result,
                              const ::conv::TmaTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TENSORMAPS_H
