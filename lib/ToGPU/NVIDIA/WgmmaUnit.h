//===- WgmmaUnit.h - matrix instructions of a warpgroup -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_WGMMAUNIT_H
#define CONV_LIB_TOGPU_NVIDIA_WGMMAUNIT_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/TmaGeometry.h"

namespace mlir::conv {

/// Computes the tile of one consumer: atoms of 64 rows and all columns, one
/// below the other. Operands are tiles in shared memory whose rows are 128
/// swizzled bytes: of the reduction, or, for a transposed operand, of its own
/// rows, 64 lines of the first ones, then 64 of the next.
///
/// Of an atom, lane l of warp w has of row 16 w + l / 4 + 8 h and of each eight
/// columns from 8 j the two from 8 j + 2 (l % 4): elements 4 j + 2 h and
/// 4 j + 2 h + 1 of its accumulators.
class WgmmaUnit {
public:
  /// `memory` is where stage 0 starts; `consumer` is the warpgroup among those
  /// that compute.
  WgmmaUnit(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
            const TmaGeometry &geometry, Type operandType, Value memory,
            Value consumer);

  /// Accumulators whose values nothing reads, for `createStep` with `isFirst`.
  SmallVector<Value> createUndefined() const;

  /// Starts adding the product of the tiles in `stage`; the first step writes
  /// instead of adding.
  SmallVector<Value> createStep(ValueRange accumulators, Value stage,
                                bool isFirst) const;

  /// Waits until at most `steps` are under way.
  void wait(int64_t steps) const;

  /// The accumulators after all steps. Nothing reads them before.
  SmallVector<Value> finish(ValueRange accumulators) const;

  /// Elements `first` and `first + 1` of an atom's accumulators.
  Value getPair(Value accumulators, int64_t first) const;

private:
  Value createDescriptor(uint64_t layout, Value address) const;
  Type getAccumulatorType() const;
  int64_t getNumAccumulators() const { return tile.columns / 2; }

  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  NVVM::WGMMATypes operandType;
  bool isLeftTransposed, isRightTransposed;
  Value left, right; ///< Descriptors of stage 0.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_WGMMAUNIT_H
