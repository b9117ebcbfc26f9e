//===- TmaCopies.h - copies of a step of the reduction ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills both operands' tiles for one step of the main loop; or the right tile
// for one step, and the left operand's halo tiles for several steps. The left
// tile is first in a stage. All rows are 128 swizzled bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H

#include "PtxBuilder.h"
#include "TensorMaps.h"

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Coordinates of a window's corner at a position, numbered over all images:
/// innermost first, as in a tensor map, without channels.
SmallVector<Value> createCorner(const PtxBuilder &ptx, const TmaWindow &window,
                                Value position);

/// Coordinates of a box with an atom's rows from `origin` and a chunk of
/// columns, innermost first, in the result or a tensor with its layout.
SmallVector<Value> createResultCorner(const PtxBuilder &ptx,
                                      const TmaResult &form, TileOrigin origin);

class TmaCopies {
public:
  TmaCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
            const ::conv::WarpgroupTile &tile)
      : ptx(ptx), geometry(geometry), tile(tile),
        rows(getOperandRows(geometry, tile)) {}
  virtual ~TmaCopies() = default;

  /// The tensor maps of both operands.
  virtual TensorMapAttr createLeftMap(MLIRContext *context) const = 0;
  virtual TensorMapAttr createRightMap(MLIRContext *context) const = 0;

  /// Values that all steps of a tile share.
  virtual SmallVector<Value> createTile(TileOrigin origin) const = 0;

  /// Where the copies of a kept operand go in this step if they are needed
  /// (`isNeeded`), and the barrier that they signal.
  struct Kept {
    const ::conv::KeptTile &tile;
    Value isNeeded, memory, barrier;
  };
  /// A step: the indices of the outer and inner loop, and its destination.
  struct Step {
    Value outer, inner, stage, barrier;
    std::optional<Kept> kept = std::nullopt;
  };
  virtual void createStep(TileOrigin origin, ArrayRef<Value> common,
                          const Step &step, Value leftMap,
                          Value rightMap) const = 0;

  /// The halo tiles that all steps of one iteration of the outer loop share.
  struct HaloTiles {
    Value outer, slot, barrier;
  };
  virtual void createHaloTiles(TileOrigin origin, const HaloTiles &haloTiles,
                               Value leftMap) const;

protected:
  /// The split-K slice and the group of a tile.
  Value createSlice(TileOrigin origin) const;
  Value createGroup(TileOrigin origin) const;
  /// Converts a number in the tile's group, `inGroup`, to a number in the
  /// tensor, whose groups have `ofGroup` each.
  Value createInTensor(TileOrigin origin, Value inGroup, int64_t ofGroup) const;
  /// Adds the last coordinate of a map that has a dimension for groups.
  void addGroup(SmallVectorImpl<Value> &coordinates, TileOrigin origin) const;
  /// Offsets of a tap from the corner of its window.
  SmallVector<Value> createOffsets(Value tap) const;
  /// `copy` brings an operand of a step to an address and signals a barrier:
  /// the stage's barrier, or the barrier of the kept operand.
  void createLeft(const Step &step,
                  function_ref<void(Value, Value)> copy) const;
  void createRight(const Step &step,
                   function_ref<void(Value, Value)> copy) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::WarpgroupTile &tile;
  BoxRows rows; ///< Rows of both operands in shared memory.

  /// Bytes of a box of a transposed tile: as many rows as a row has elements.
  int64_t getBoxBytes() const { return rows.elements() * rows.bytes; }

private:
  void createKept(const Kept &kept,
                  function_ref<void(Value, Value)> copy) const;
};

/// The copies that fit the geometry of a product.
std::unique_ptr<TmaCopies> createTmaCopies(const PtxBuilder &ptx,
                                           const TmaGeometry &geometry,
                                           const ::conv::WarpgroupTile &tile);

/// The three kinds: a reduction over taps and channels, with or without halo
/// tiles; a reduction over positions; matrices.
std::unique_ptr<TmaCopies>
createFilterCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                   const ::conv::WarpgroupTile &tile);
std::unique_ptr<TmaCopies>
createGradientCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                     const ::conv::WarpgroupTile &tile);
std::unique_ptr<TmaCopies>
createMatrixCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                   const ::conv::WarpgroupTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H
