//===- ConvertedLoop.h - products of parts in tf32 --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer of left tiles as copies bring them, and of right tiles as
// RightConverter leaves them. What instructions add up is cut off below the
// largest summand, so that each step has sums of its own, the small products
// first; those of all steps are added in f32 (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H

#include "../Parts/Warpgroup/TmaLoop.h"
#include "LeftFragments.h"

namespace mlir::conv {

class ConvertedLoop : public WgmmaSums {
public:
  /// `memory` is where stage 0 starts.
  ConvertedLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
                const ::conv::TmaTile &tile, const TmaRings &pipelines,
                Value memory, Value consumer, Value workItem);

  /// The sums of `steps` steps. `isReleasing` is true for one lane of each
  /// warp.
  TmaLoop::Sums create(Value steps, Value isReleasing,
                       LoopPosition position) const;

private:
  /// Parts of the left operand, one list of registers: of each atom and of each
  /// instruction, those of the high parts, and then of the low ones.
  SmallVector<Value> loadLeft(Value stage) const;
  ArrayRef<Value> getFragment(ArrayRef<Value> left, int64_t part, int64_t atom,
                              int64_t step) const;
  /// Starts the products of a step.
  SmallVector<Value> multiply(ArrayRef<Value> left, Value stage) const;
  SmallVector<Value> add(ValueRange sums, ValueRange others) const;
  int64_t countSteps() const {
    return geometry.getMultipliedBytes() / ::conv::TmaTile::kAtomBytes;
  }

  const TmaGeometry &geometry;
  const TmaRings &pipelines;
  Value memory;
  LeftFragments fragments;
  Value right; ///< Descriptor of the first parts.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H
