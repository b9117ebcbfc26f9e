//===- DgradPhase.h - dgrad phases of backward data -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward data gathers output positions for each input position. All input
// positions of one dgrad phase meet the same filter elements at consecutive
// output positions, so that their windows are dense.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DGRADPHASE_H
#define CONV_LIB_PLAN_DGRADPHASE_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

namespace mlir::conv {

/// The input positions of a dgrad phase in one dimension, and the filter
/// elements that they meet: position `i` is `phase + stride * i`, element `j`
/// is `first + step * j`, and they meet in the output position `offset + i
/// - distance * j`. If there are no elements, `count` is zero.
struct DgradPhase {
  int64_t phase, stride, positions;
  int64_t first, step, count;
  int64_t offset, distance;
};

/// All combinations of the dgrad phases of each dimension, which cover every
/// position once. After a dgrad phase that meets no element, all positions of
/// the later dimensions are one dgrad phase without elements.
SmallVector<SmallVector<DgradPhase>> listPhases(const ConvolutionShape &shape);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DGRADPHASE_H
