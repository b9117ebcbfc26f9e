//===- DgradPhase.h - positions that meet the same filter elements --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward data goes from positions of the input to those of the output. All
// input positions with one dgrad phase by the stride meet the same elements of
// the filter, one after the other, so that their windows are dense.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DGRADPHASE_H
#define CONV_LIB_PLAN_DGRADPHASE_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

namespace mlir::conv {

/// Positions of the input in one dimension, and the filter elements that meet
/// them: position number `i` is `dgrad phase + stride * i`, element number `j`
/// is `first + step * j`, and they meet in the output position `offset + i -
/// distance * j`. If there are no elements, `count` is zero.
struct DgradPhase {
  int64_t phase, stride, positions;
  int64_t first, step, count;
  int64_t offset, distance;
};

/// All combinations of the dgrad phases of each dimension, which have every
/// position once. Behind one that meets no element, all positions of the
/// dimensions that follow are one dgrad phase without elements.
SmallVector<SmallVector<DgradPhase>> listPhases(const ConvolutionShape &shape);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DGRADPHASE_H
