//===- TmaEpilogue.h - tail and store through shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H
#define CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H

#include "../MatrixAccess.h"
#include "WgmmaSums.h"

#include "conv/Dialect/Conv/IR/TmaGeometry.h"

namespace mlir::conv {

/// Applies the tail to a consumer's accumulators, and stores the result. If it
/// can be copied, an atom's rows go to shared memory and from there in chunks
/// of columns by copies, which leave out what is beyond the result. Otherwise
/// each lane stores what it has.
class TmaEpilogue {
public:
  /// `staging` is this consumer's part of shared memory; `barrier` the named
  /// barrier of its warpgroup, of which `workItem` is a number.
  TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
              const ::conv::TmaTile &tile, const TmaResult &form,
              Value consumer, Value workItem, Value staging);

  /// Without accumulators if there is no product.
  void create(TileOrigin origin, ValueRange accumulators) const;
  /// Waits until the stores of all tiles have left shared memory.
  static void finish(const PtxBuilder &ptx, Value workItem);

private:
  /// A lane's two neighbouring columns of a row, in the result.
  struct Place {
    Value batch, row, column;
  };

  void createAtom(TileOrigin origin, Value row, Value sums) const;
  /// Puts the rows of an atom into shared memory, or into the result.
  void stageAtom(Place first, Value sums) const;
  void storeAtom(Place first, Value sums) const;
  /// Starts the copies of staged rows, the first of which is `row`.
  void copyRows(TileOrigin origin, Value row) const;
  /// The results of the pair of accumulators `offset` columns and `half`
  /// times 8 rows behind the first.
  Value createPair(Place &place, Value sums, int64_t offset,
                   int64_t half) const;
  MatrixAccess::Position locate(const MatrixAccess &access, Place place,
                                int64_t offset) const;
  Value createGuard(const MatrixAccess &access, Place place,
                    int64_t offset) const;
  Value load(const MatrixAccess &access, Value buffer, Place place) const;
  void store(Value pair, Place place) const;
  void synchronize() const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  const TmaResult &form;
  Value consumer, workItem, staging;
  SmallVector<MatrixAccess, 0> operands; ///< Of the tail.
  MatrixAccess result;
  Value isFirst;   ///< This work-item starts the copies.
  Value lane;      ///< Within the warp.
  Value warpRow;   ///< First row of the warp in an atom.
  Value stagedRow; ///< Where this lane's row starts in a chunk, for stmatrix.
  Value twist;     ///< XOR of its pieces, in bytes.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H
