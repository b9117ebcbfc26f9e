//===- Reshapes.h - reshapes around element-wise ops ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_RESHAPES_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_RESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Patterns that combine two reshapes into one or none.
void populateFoldReshapesPatterns(RewritePatternSet &patterns);

/// Moves reshapes past element-wise ops, in either direction, where the op then
/// has more dimensions, so that an epilogue has all dimensions of its
/// convolution. Front ends expose groups, or dimensions of size 1, only around
/// the convolution itself.
LogicalResult moveReshapesOutward(Operation *root);

/// Turns slices of computed tensors into loops that read at an offset. Loops
/// that read only part of a tensor do not verify: `restoreSlices` must follow.
void generalizeSlices(Operation *root);

/// Turns such loops back into slices.
void restoreSlices(Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_RESHAPES_H
