//===- TmaEpilogue.h - tail and store through shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H
#define CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H

#include "../MatrixAccess.h"
#include "WgmmaUnit.h"

namespace mlir::conv {

/// Applies the tail to a consumer's accumulators, and stores the result: an
/// atom's rows go to shared memory and from there in chunks of channels by
/// copies, which leave out what is beyond the result.
class TmaEpilogue {
public:
  /// `staging` is this consumer's part of shared memory; `barrier` the named
  /// barrier of its warpgroup, of which `workItem` is a number.
  TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
              const ::conv::TmaTile &tile, Value consumer, Value workItem,
              Value staging, Value resultMap);

  void create(const WgmmaUnit &matrix, TileOrigin origin,
              ValueRange accumulators) const;
  /// Waits for the stores of all tiles.
  void finish() const;

private:
  void createAtom(const WgmmaUnit &matrix, Value row, Value channel,
                  Value accumulators) const;
  /// The tail of the two channels from `channel` of a row.
  Value createPair(Value sums, Value row, Value channel) const;
  /// The same two elements of an operand of the tail.
  Value load(const MatrixAccess &access, Value buffer, Value row,
             Value channel) const;
  void synchronize() const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  Value consumer, workItem, staging, resultMap;
  SmallVector<MatrixAccess, 0> operands; ///< Of the tail.
  Value isFirst;   ///< This work-item starts the copies.
  Value lane;      ///< Within the warp.
  Value warpRow;   ///< First row of the warp in an atom.
  Value stagedRow; ///< Where this lane's row starts in a chunk, for stmatrix.
  Value twist;     ///< XOR of its pieces, in bytes.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TMAEPILOGUE_H
