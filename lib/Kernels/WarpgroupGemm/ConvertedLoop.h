//===- ConvertedLoop.h - products of tf32 parts -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer whose left tiles come from copies and whose right tiles come from
// RightConverter. Instructions truncate sums relative to their largest summand.
// With two parts, each step therefore has sums of its own, with small products
// first, and the sums of all steps are added in f32 (docs/numerics.md). With
// one part, instructions add up all steps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H

#include "../Parts/Warpgroup/WarpgroupLoop.h"
#include "LeftFragments.h"

namespace mlir::conv {

class ConvertedLoop : public WgmmaSums {
public:
  /// `memory` is where stage 0 starts.
  ConvertedLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
                const ::conv::WarpgroupTile &tile,
                const WarpgroupPipelines &pipelines, Value memory,
                Value consumer, Value workItem);

  /// The sums of `steps` steps. `isReleasing` is true for one lane of each
  /// warp.
  WarpgroupLoop::Sums create(Value steps, Value isReleasing,
                             LoopPosition position) const;

private:
  /// Whether the left operand of a step is loaded during the products of the
  /// previous step: if there are registers for both. It is split when these
  /// products have ended: the assembler lets instructions run one by one if
  /// registers that one of them reads are computed while others run.
  bool loadsAhead() const { return tile.atomsPerConsumer() == 1; }
  /// Adds a step to what the loop carries: the sums, the position, and the
  /// parts of the left operand if it was loaded ahead.
  SmallVector<Value> addStep(ValueRange carried, Value isReleasing,
                             bool loadsNext) const;
  /// Waits for a stage, loads its left operand and releases it.
  SmallVector<Value> takeLeft(const PipelineState &at, Value isReleasing) const;
  /// The lane's elements of the left operand, for each atom and instruction.
  SmallVector<Value> loadLeft(Value stage) const;
  /// The tf32 parts of these elements as one list of registers: for each atom
  /// and instruction the high parts, then likewise the low parts.
  SmallVector<Value> split(ArrayRef<Value> elements) const;
  ArrayRef<Value> getFragment(ArrayRef<Value> left, int64_t part, int64_t atom,
                              int64_t step) const;
  /// Starts the products of a step, which are added to `totals` if instructions
  /// add up all steps.
  SmallVector<Value> multiply(ArrayRef<Value> left, Value stage,
                              ValueRange totals) const;
  SmallVector<Value> add(ValueRange sums, ValueRange others) const;
  int64_t countSteps() const {
    return geometry.getMultipliedBytes() / ::conv::WarpgroupTile::kAtomBytes;
  }

  const TmaGeometry &geometry;
  const WarpgroupPipelines &pipelines;
  Value memory;
  LeftFragments fragments;
  Value right; ///< Descriptor of the first tile.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_CONVERTEDLOOP_H
