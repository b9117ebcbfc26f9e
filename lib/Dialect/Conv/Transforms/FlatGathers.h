//===- FlatGathers.h - flat gathers to gathers by dimension -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOSA uses gathers and scatters of whole tensors for non-zero padding.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_FLATGATHERS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_FLATGATHERS_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Rewrites the result of `tosa.gather` and `tosa.scatter` with constant
/// indices, below `root`, as one `linalg.generic` that gathers in each
/// dimension, which DataMovement.h reads, if that is equivalent.
void separateFlatGathers(Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_FLATGATHERS_H
