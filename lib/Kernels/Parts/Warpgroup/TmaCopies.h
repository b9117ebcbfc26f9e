//===- TmaCopies.h - what a step of the reduction copies --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the tiles of both operands for one step of the main loop, or that of
// the right one, and halo tiles of the left one for several steps. The left
// tile is first in a stage; rows of all are 128 swizzled bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H

#include "PtxBuilder.h"
#include "TensorMaps.h"

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Where a window is at a number among all positions: innermost first, as a
/// tensor map lists dimensions, without channels.
SmallVector<Value> createCorner(const PtxBuilder &ptx, const TmaWindow &window,
                                Value position);

/// The box of a result, or of a tensor that lies like it, that has an atom's
/// rows from that of `origin` on and a chunk of columns: innermost first.
SmallVector<Value> createResultCorner(const PtxBuilder &ptx,
                                      const TmaResult &form, TileOrigin origin);

class TmaCopies {
public:
  TmaCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
            const ::conv::TmaTile &tile)
      : ptx(ptx), geometry(geometry), tile(tile),
        rows(getOperandRows(geometry, tile)) {}
  virtual ~TmaCopies() = default;

  /// The maps of both operands.
  virtual TensorMapAttr createLeftMap(MLIRContext *context) const = 0;
  virtual TensorMapAttr createRightMap(MLIRContext *context) const = 0;

  /// What a tile's copies have in common.
  virtual SmallVector<Value> createTile(TileOrigin origin) const = 0;

  /// Where a step of an operand that is kept goes, if it `isNeeded`, and the
  /// barrier that its copies count at.
  struct Kept {
    const ::conv::KeptTile &tile;
    Value isNeeded, memory, barrier;
  };
  /// A step: numbers of the outer and of the inner loop, and where it goes.
  struct Step {
    Value outer, inner, stage, barrier;
    std::optional<Kept> kept = std::nullopt;
  };
  virtual void createStep(TileOrigin origin, ArrayRef<Value> common,
                          const Step &step, Value leftMap,
                          Value rightMap) const = 0;

  /// The halo tiles that all steps of a number of the outer loop share.
  struct HaloTiles {
    Value outer, slot, barrier;
  };
  virtual void createHaloTiles(TileOrigin origin, const HaloTiles &haloTiles,
                               Value leftMap) const;

protected:
  /// The part of the reduction and the group that a tile is of.
  Value createPart(TileOrigin origin) const;
  Value createGroup(TileOrigin origin) const;
  /// What is number `inGroup` in the tile's group is this one of a tensor, of
  /// whose groups each has `ofGroup`.
  Value createInTensor(TileOrigin origin, Value inGroup, int64_t ofGroup) const;
  /// Adds the last coordinate of maps with a dimension for groups.
  void addGroup(SmallVectorImpl<Value> &coordinates, TileOrigin origin) const;
  /// The window's tap with this number, as offsets from the corner.
  SmallVector<Value> createOffsets(Value tap) const;
  /// `copy` brings an operand of a step to a place, and counts at a barrier:
  /// those of the stage, or of what is kept.
  void createLeft(const Step &step,
                  function_ref<void(Value, Value)> copy) const;
  void createRight(const Step &step,
                   function_ref<void(Value, Value)> copy) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::TmaTile &tile;
  BoxRows rows; ///< Of both operands in shared memory.

  /// Bytes of a box of a transposed tile: as many rows as those have elements.
  int64_t getBoxBytes() const { return rows.elements() * rows.bytes; }

private:
  void createKept(const Kept &kept,
                  function_ref<void(Value, Value)> copy) const;
};

/// The copies of a product.
std::unique_ptr<TmaCopies> createTmaCopies(const PtxBuilder &ptx,
                                           const TmaGeometry &geometry,
                                           const ::conv::TmaTile &tile);

/// Those for a reduction over taps and channels, with halo tiles or without;
/// over positions; and for plain matrices.
std::unique_ptr<TmaCopies> createFilterCopies(const PtxBuilder &ptx,
                                              const TmaGeometry &geometry,
                                              const ::conv::TmaTile &tile);
std::unique_ptr<TmaCopies> createGradientCopies(const PtxBuilder &ptx,
                                                const TmaGeometry &geometry,
                                                const ::conv::TmaTile &tile);
std::unique_ptr<TmaCopies> createMatrixCopies(const PtxBuilder &ptx,
                                              const TmaGeometry &geometry,
                                              const ::conv::TmaTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_TMACOPIES_H
